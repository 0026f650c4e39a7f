// Reads the attributes of an HLO text. Only for the readers of this folder.
#ifndef OOMPH_MODELS_HLO_READ_ATTRIBUTE_H_
#define OOMPH_MODELS_HLO_READ_ATTRIBUTE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "models/hlo/cursor.h"
#include "models/hlo/module.h"
#include "models/hlo/read_shape.h"

namespace oomph::hlo {

// What names in attributes stand for, answered by the reader of the module.
class NameResolver {
 public:
  virtual ~NameResolver() = default;
  // Reads a computation that stands in braces where its name could stand: to_apply={ ... }
  virtual bool ReadInlineComputation(uint32_t& index) = 0;
  virtual std::optional<uint32_t> ComputationNamed(std::string_view name) const = 0;
  virtual std::optional<uint32_t> InstructionNamed(std::string_view name) const = 0;
};

// A literal with single blanks and without comments, as XLA prints it.
std::string NormalLiteral(std::string_view text);

class AttributeReader {
 public:
  AttributeReader(Cursor& cursor, ShapeReader& shapes, Module& module, NameResolver& names)
      : cursor_(cursor), shapes_(shapes), module_(module), names_(names) {}

  // Reads `key=value` at the cursor. The same text as before is the same attribute and is looked up, unless
  // it speaks of instructions, whose indices hold in one computation only.
  bool Read(AttributeId& attribute);

  // Whether parameters in an entry_computation_layout were separated by a comma alone.
  bool saw_tight_layout() const { return saw_tight_layout_; }

 private:
  bool ReadInline(Key key, AttributeId& attribute);
  bool ReadNew(const char* start, const char* key_end, const char* value_end, AttributeId& attribute);
  const char* EndOfValue(const char* start, bool with_blanks);
  bool ReadForm(Form& form, std::string_view value);
  bool ReadWord();
  bool ReadList(Form form);
  bool ReadOne(Form form);
  bool ReadProgramShape();
  bool ReadWindow();
  bool ReadWindowPart(Window& window);
  bool ReadTimes(std::vector<int64_t>& low, std::vector<int64_t>* high);
  bool ReadPadding();
  bool ReadSlices();
  bool ReadGroups(Form& form);
  bool ReadIota(std::vector<int64_t>& iota, std::vector<int64_t>& order);
  bool ReadAliases();
  bool ReadDonors();
  bool ReadMetadata();
  bool ReadMap();
  bool ReadSharding(Sharding& sharding, bool may_be_tuple);
  bool ReadShardingWords(Sharding& sharding);
  bool ReadDevices(Sharding& sharding);
  bool ReadRaw(std::string_view& text);

  void AddList(const std::vector<int64_t>& list);
  void AddString(std::string_view text) { AddReference(Reference::kString, module_.strings.Add(text)); }
  void AddReference(Reference::Kind kind, uint32_t id) {
    references_.push_back({kind, id & ((1u << 30) - 1)});
  }

  Cursor& cursor_;
  ShapeReader& shapes_;
  Module& module_;
  NameResolver& names_;
  absl::flat_hash_map<std::string_view, AttributeId, TextHash> known_;  // by text
  std::vector<int64_t> numbers_;                                        // of the attribute being read
  std::vector<Reference> references_;
  std::string scratch_;
  bool header_alias_ = false;
  bool saw_tight_layout_ = false;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_READ_ATTRIBUTE_H_
