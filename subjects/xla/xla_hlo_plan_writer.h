// Writes plans as the text of models/hlo/plan_text.h, which a plugin against another absl cannot link. Only for
// xla_hlo_plugin.cc. Not for: what a plan says (see xla_hlo_planners.h).
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_PLAN_WRITER_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_PLAN_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/service/hlo_value.h"
#include "xla/shape_util.h"

namespace oomph::xla_hlo {

class PlanWriter {
 public:
  struct Head {
    absl::string_view planner;
    bool reuses_operands = false, complete = false;
    std::optional<int64_t> peak, minimum;
  };
  struct Kind {
    const xla::ShapeIndex* parameter_index = nullptr;
    int64_t parameter = 0;
    bool constant = false, output = false, thread_local_ = false;
  };

  void Clear() { text_.clear(); }
  void Append(const PlanWriter& other) { text_ += other.text_; }
  const std::string& text() const { return text_; }

  // Those that follow speak of it. All modules come before all plans.
  void Module(absl::string_view text) { absl::StrAppend(&text_, "module ", text.size(), "\n", text, "\n"); }
  void Plan(const Head& head, size_t module) {
    absl::StrAppend(&text_, "plan ", head.planner, " module ", module, head.reuses_operands ? " reuses_operands" : "",
                    head.complete ? " complete" : "");
    if (head.peak) absl::StrAppend(&text_, " peak ", *head.peak);
    if (head.minimum) absl::StrAppend(&text_, " minimum ", *head.minimum);
    text_ += '\n';
  }
  void Memory(int64_t space, std::optional<int64_t> capacity, int64_t alignment) {
    absl::StrAppend(&text_, "memory ", space);
    if (capacity) absl::StrAppend(&text_, " capacity ", *capacity);
    if (alignment != 1) absl::StrAppend(&text_, " alignment ", alignment);
    text_ += '\n';
  }
  void Steps(const std::vector<xla::HloInstruction*>& steps) {
    for (const xla::HloInstruction* step : steps) absl::StrAppend(&text_, "step ", step->name(), "\n");
  }
  void Allocation(int64_t bytes, int64_t space, const Kind& kind) {
    absl::StrAppend(&text_, "allocation ", bytes, " space ", space);
    if (kind.parameter_index != nullptr) {
      absl::StrAppend(&text_, " parameter ", kind.parameter, " {", absl::StrJoin(*kind.parameter_index, ","), "}");
    }
    absl::StrAppend(&text_, kind.constant ? " constant" : "", kind.output ? " output" : "",
                    kind.thread_local_ ? " thread_local" : "", "\n");
  }
  // `live` in half-open steps; its end is -1 where there is none.
  void Value(const xla::HloPosition& position, int64_t offset, int64_t bytes, int64_t begin, int64_t end) {
    absl::StrAppend(&text_, "value ", position.instruction->name(), " {", absl::StrJoin(position.index, ","), "} at ");
    absl::StrAppend(&text_, offset, " bytes ", bytes);
    if (end >= 0) absl::StrAppend(&text_, " live ", begin, " ", end);
    text_ += '\n';
  }
  void Scoped(absl::string_view name, int64_t space, int64_t offset, int64_t reserved, int64_t asked) {
    absl::StrAppend(&text_, "scoped ", name, " space ", space, " at ", offset, " reserved ", reserved);
    absl::StrAppend(&text_, " asked ", asked, "\n");
  }

 private:
  std::string text_;
};

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_PLAN_WRITER_H_
