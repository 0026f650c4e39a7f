// Reads a module from its text. Only for the readers of this folder; others take Parse of text.h.
#ifndef OOMPH_MODELS_HLO_READ_MODULE_H_
#define OOMPH_MODELS_HLO_READ_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "models/hlo/cursor.h"
#include "models/hlo/module.h"
#include "models/hlo/read_attribute.h"
#include "models/hlo/read_shape.h"

namespace oomph::hlo {

inline constexpr uint32_t kNoIndex = UINT32_MAX;

class ModuleReader final : public NameResolver {
 public:
  explicit ModuleReader(std::string_view text)
      : cursor_(text), shapes_(cursor_, module_.shapes), attributes_(cursor_, shapes_, module_, *this) {
    module_.strings.Reserve(text.size() / 8);
  }

  bool Read() { return ReadHeader() && ReadTables() && ReadComputations() && Finish(); }
  absl::Status status(std::string_view name) const { return cursor_.status(name); }
  Module Take() { return std::move(module_); }

  std::optional<uint32_t> ComputationNamed(std::string_view name) const override {
    const std::optional<StringId> id = module_.strings.Find(name);
    if (!id.has_value()) return std::nullopt;
    const auto found = computations_.find(*id);
    return found == computations_.end() ? std::nullopt : std::optional<uint32_t>(found->second);
  }

  std::optional<uint32_t> InstructionNamed(std::string_view name) const override {
    const std::optional<StringId> id = module_.strings.Find(name);
    if (!id.has_value()) return std::nullopt;
    const uint32_t index = IndexOf(*id);
    return index == kNoIndex ? std::nullopt : std::optional<uint32_t>(index);
  }

 private:
  // Where a name was last defined: instruction `index` of the computation with this scope. Scopes are
  // numbered in the order in which they open, computations in that in which they close.
  struct Definition {
    uint32_t scope = kNoIndex;
    uint32_t index = 0;
  };
  // What is put aside while a computation is read within another.
  struct Scope {
    uint32_t number = 0;  // 0: outside of all computations
    std::vector<Instruction> instructions;
    std::optional<uint32_t> root;
    std::vector<std::pair<StringId, Definition>> hidden;  // definitions of outer scopes that were replaced
  };

  uint32_t IndexOf(StringId name) const {
    if (name >= definitions_.size()) return kNoIndex;
    const Definition& definition = definitions_[name];
    return definition.scope == scope_.number ? definition.index : kNoIndex;
  }

  bool ReadHeader();
  bool ReadTables();
  bool ReadTexts(std::vector<StringId>& texts);
  bool ReadTable(const std::vector<std::pair<std::string_view, size_t>>& fields, std::vector<int64_t>& rows);
  bool ReadNumberOfRow(size_t rows);
  bool ReadComputations();
  bool ReadComputation();
  bool ReadBody(std::optional<StringId> name);
  bool ReadInlineComputation(uint32_t& index) override;
  StringId FreshComputationName();
  bool ReadSignature();
  size_t LinesOfBody();
  bool ReadInstruction();
  bool ReadCall(Instruction& instruction, int depth);
  bool ReadOpcode(Instruction& instruction);
  bool ReadPayload(Instruction& instruction);
  bool ReadLiteral(Instruction& instruction);
  bool ReadOperands(Instruction& instruction, int depth);
  bool ReadOperand(int depth, uint32_t& operand);
  bool ReadNested(ShapeId shape, int depth, uint32_t& operand);
  bool ReadElements(uint32_t& operand);
  bool ReadAttributes(ListRange& range);
  bool Define(const Instruction& instruction, const char* at, uint32_t& index);
  StringId FreshName(std::string_view like);
  bool Finish();
  std::string_view Beginning() const {
    return has_header_ ? "a computation" : "'HloModule' or a computation";
  }

  Module module_;
  Cursor cursor_;
  ShapeReader shapes_;
  AttributeReader attributes_;
  absl::flat_hash_map<StringId, uint32_t> computations_;
  std::vector<Definition> definitions_;  // by the id of the name
  Scope scope_;                          // of the computation being read
  uint32_t scopes_ = 0;                  // opened so far
  int scope_depth_ = 0;
  std::vector<uint32_t> operand_stack_;
  std::vector<AttributeId> attribute_stack_;
  std::optional<uint32_t> entry_;
  const char* counted_to_ = nullptr;  // up to here LinesOfBody has counted
  bool has_header_ = false;
  size_t fresh_ = 0;
  size_t fresh_computations_ = 0;
  bool saw_name_ = false;
  bool saw_long_list_ = false;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_READ_MODULE_H_
