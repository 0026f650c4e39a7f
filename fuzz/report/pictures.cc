// See pictures.h.
#include "fuzz/report/pictures.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "fuzz/judge.h"
#include "fuzz/report/show.h"
#include "fuzz/store/case_file.h"
#include "subjects/child/child.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr size_t kMostBlocks = 400, kFewestBlocks = 8;

const Family* FamilyOf(const json& finding, const SubjectTable& table) {
  for (const Family* family : table.families()) {
    if (family->name() == finding["family"].get<std::string>()) return family;
  }
  return nullptr;
}

// The picture with as many blocks as fit into `bytes`.
std::string DrawWithin(size_t bytes, const Family& family, const Case& c, const Outcome& outcome,
                       const Verdict& verdict) {
  DrawOptions options;
  options.in_page = true;
  for (options.max_blocks = kMostBlocks;; options.max_blocks /= 2) {
    std::string svg = family.Draw(c, outcome, verdict, options);
    if (svg.size() <= bytes || options.max_blocks <= kFewestBlocks) return svg;
  }
}

std::string WhatItSaysToday(const Verdict& verdict, const std::string& signature) {
  if (verdict.signature == signature) return "";
  if (verdict.found()) return absl::StrCat("Run for this report it ended otherwise: ", verdict.signature);
  return "Run for this report it showed no fault: fixed since, or not each time.";
}

// In a child: runs the case and draws it. The answer is the note, a line end, the picture.
absl::StatusOr<std::string> RunAndDraw(const SubjectTable& table, const Pair& pair, const CaseFile& file,
                                       const std::string& signature, size_t bytes) {
  const auto loaded = table.Load(pair);
  if (!loaded.ok()) return loaded.status();
  loaded->subject->Prepare(*file.value);
  Judge judge(*file.family, *loaded->subject, loaded->reference.get());
  const Verdict verdict = judge.Run(*file.value);
  return absl::StrCat(Printable(WhatItSaysToday(verdict, signature)), "\n",
                      DrawWithin(bytes, *file.family, *file.value, judge.outcome(), verdict));
}

class Painter {
 public:
  Painter(const SubjectTable& table, const PictureOptions& options)
      : table_(table), options_(options), bytes_left_(options.bytes) {}

  Picture Paint(const json& finding, size_t pictures_left) {
    const size_t bytes = std::min(options_.bytes_each, bytes_left_ / std::max<size_t>(1, pictures_left));
    Picture picture = Make(finding, bytes);
    bytes_left_ -= std::min(bytes_left_, picture.svg.size() + picture.note.size());
    return picture;
  }

 private:
  Picture Make(const json& finding, size_t bytes) const {
    const Family* family = FamilyOf(finding, table_);
    if (family == nullptr) return {"", "No picture: this oomph does not know the family."};
    auto file = ParseCaseFile(finding["file"], finding["case"], std::vector{family});
    if (!file.ok()) return {"", absl::StrCat("No picture: ", ErrorLine(file.status()))};
    if (family->Size(*file->value) == 0) return {"", "No picture: the case has no steps."};
    const std::string subject = file->subject.empty() ? finding["subject"].get<std::string>() : file->subject;
    if (NamesForeignCode(subject)) {
      return OfModel(*file, absl::StrCat("a report does not start ", subject, " (check does, with --subject)"), bytes);
    }
    const auto pairs = table_.Find(subject, family);
    if (!pairs.ok()) return OfModel(*file, ErrorLine(pairs.status()), bytes);
    return MakeInChild(pairs->front(), *file, finding["signature"], bytes);
  }

  // What a right allocator does with the case is still worth a look.
  Picture OfModel(const CaseFile& file, const std::string& why, size_t bytes) const {
    const auto model = table_.Find("model", file.family);
    if (!model.ok()) return {"", absl::StrCat("No picture: ", why, ".")};
    Picture picture = MakeInChild(model->front(), file, "", bytes);
    picture.note = picture.svg.empty() ? absl::StrCat("No picture: ", why, ".")
                                       : absl::StrCat("Not the finding: ", why, ". This is what the model does.");
    return picture;
  }

  // Without a signature nothing is said of what it shows today.
  Picture MakeInChild(const Pair& pair, const CaseFile& file, const std::string& signature, size_t bytes) const {
    if (Left() <= 0) return {"", "No picture: the time for pictures was used up (--seconds)."};
    ChildLimits limits;
    limits.start_time = std::chrono::milliseconds(
        static_cast<int64_t>(1000 * std::min(options_.seconds_each, Left())) + 1);
    const auto answer = AskInChild(
        pair.Spec(), [&] { return RunAndDraw(table_, pair, file, signature, bytes); }, limits, "over its case");
    if (!answer.ok()) return {"", absl::StrCat("No picture: ", ErrorLine(answer.status()))};
    const size_t end = std::min(answer->find('\n'), answer->size());
    return {answer->substr(std::min(end + 1, answer->size())), answer->substr(0, end)};
  }

  double Left() const {
    return options_.seconds - std::chrono::duration<double>(Clock::now() - start_).count();
  }

  const SubjectTable& table_;
  const PictureOptions& options_;
  const Clock::time_point start_ = Clock::now();
  size_t bytes_left_;
};

}  // namespace

std::map<std::string, Picture> DrawPictures(const json& report, const SubjectTable& table,
                                            const PictureOptions& options) {
  std::map<std::string, Picture> pictures;
  Painter painter(table, options);
  size_t left = report["findings"].size();
  for (const json& finding : report["findings"]) {
    pictures[finding["signature"]] = painter.Paint(finding, left--);
  }
  return pictures;
}

}  // namespace oomph
