// The forms of attributes that have a grammar of their own: windows, paddings, slices, groups, aliases,
// metadata, shardings.
#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "models/hlo/read_attribute.h"

namespace oomph::hlo {

// {(f32[2], s32[])->f32[2]}
bool AttributeReader::ReadProgramShape() {
  if (!cursor_.Expect('{') || !cursor_.Expect('(')) return false;
  ShapeId shape = 0;
  if (!cursor_.Try(')')) {
    do {
      if (!references_.empty())
        saw_tight_layout_ |= cursor_.at() < cursor_.end() && !Is(*cursor_.at(), kBlank);
      if (!shapes_.Read(shape)) return false;
      AddReference(Reference::kShape, shape);
    } while (cursor_.Try(','));
    if (!cursor_.Expect(')')) return false;
  }
  if (!cursor_.Try(std::string_view("->"))) return cursor_.Expected("'->'");
  if (!shapes_.Read(shape)) return false;
  AddReference(Reference::kShape, shape);
  return cursor_.Expect('}');
}

bool AttributeReader::ReadWindow() {
  Window window;
  if (!cursor_.Expect('{')) return false;
  const char* start = cursor_.at();
  while (!cursor_.Try('}')) {
    if (!ReadWindowPart(window)) return false;
  }
  const size_t rank = window.size.size();
  for (const auto* part :
       {&window.stride, &window.pad_low, &window.lhs_dilate, &window.rhs_dilate, &window.rhs_reversal}) {
    if (!part->empty() && part->size() != rank) {
      return cursor_.Refuse(start, "the parts of the window have not as many dimensions as its size");
    }
  }
  numbers_ = NumbersOf(window);
  return true;
}

bool AttributeReader::ReadWindowPart(Window& window) {
  const struct {
    std::string_view name;
    std::vector<int64_t>* part;
    std::vector<int64_t>* high;
  } parts[] = {{"size", &window.size, nullptr},
               {"stride", &window.stride, nullptr},
               {"pad", &window.pad_low, &window.pad_high},
               {"lhs_dilate", &window.lhs_dilate, nullptr},
               {"rhs_dilate", &window.rhs_dilate, nullptr},
               {"rhs_reversal", &window.rhs_reversal, nullptr}};
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  const std::string_view name = cursor_.TryName();
  for (const auto& part : parts) {
    if (part.name != name) continue;
    if (!part.part->empty()) return cursor_.Refuse(start, "a part of a window is given twice");
    return cursor_.Expect('=') && ReadTimes(*part.part, part.high);
  }
  return cursor_.Fail(start, "size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal or '}'");
}

// 3x3, or pairs 0_1x0_1 where `high` is given.
bool AttributeReader::ReadTimes(std::vector<int64_t>& low, std::vector<int64_t>* high) {
  do {
    int64_t value = 0;
    if (!cursor_.Integer(value)) return false;
    low.push_back(value);
    if (high == nullptr) continue;
    if (!cursor_.Expect('_') || !cursor_.Integer(value)) return false;
    high->push_back(value);
  } while (cursor_.at() < cursor_.end() && *cursor_.at() == 'x' && cursor_.Try('x'));
  return true;
}

// 0_1x2_3, with interior 0_1_1x2_3_0.
bool AttributeReader::ReadPadding() {
  do {
    int64_t low = 0, high = 0, interior = 0;
    if (!cursor_.Integer(low) || !cursor_.Expect('_') || !cursor_.Integer(high)) return false;
    if (cursor_.Try('_') && !cursor_.Integer(interior)) return false;
    numbers_.insert(numbers_.end(), {low, high, interior});
  } while (cursor_.Try('x'));
  return true;
}

// {[0:8], [0:8:2]}
bool AttributeReader::ReadSlices() {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Try('}')) return true;
  do {
    int64_t start = 0, limit = 0, stride = 1;
    if (!cursor_.Expect('[') || !cursor_.Integer(start) || !cursor_.Expect(':') || !cursor_.Integer(limit)) {
      return false;
    }
    if (cursor_.Try(':') && !cursor_.Integer(stride)) return false;
    if (!cursor_.Expect(']')) return false;
    numbers_.insert(numbers_.end(), {start, limit, stride});
  } while (cursor_.Try(','));
  return cursor_.Expect('}');
}

// {{0,1},{2,3}}, {} or [2,4]<=[4,2]T(1,0)
bool AttributeReader::ReadGroups(Form& form) {
  if (cursor_.Peek() == '[') {
    std::vector<int64_t> sizes, iota, order;
    if (!cursor_.Integers('[', ']', sizes)) return false;
    if (!cursor_.Try(std::string_view("<="))) return cursor_.Expected("'<='");
    if (!ReadIota(iota, order)) return false;
    form = Form::kIotaGroups;
    AddList(sizes);
    AddList(iota);
    AddList(order);
    return true;
  }
  form = Form::kGroups;
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Try('}')) return true;
  do {
    const size_t count = numbers_.size();
    numbers_.push_back(0);
    if (!cursor_.Expect('{')) return false;
    if (cursor_.Try('}')) continue;
    do {
      int64_t member = 0;
      if (!cursor_.Integer(member)) return false;
      numbers_.push_back(member);
    } while (cursor_.Try(','));
    numbers_[count] = static_cast<int64_t>(numbers_.size() - count - 1);
    if (!cursor_.Expect('}')) return false;
  } while (cursor_.Try(','));
  return cursor_.Expect('}');
}

// [4,2]T(1,0), what stands behind <=
bool AttributeReader::ReadIota(std::vector<int64_t>& iota, std::vector<int64_t>& order) {
  if (!cursor_.Integers('[', ']', iota)) return false;
  return !cursor_.Try('T') || cursor_.Integers('(', ')', order);
}

// { {0}: (1, {2}, must-alias), {1}: (2, {}) }, or without the braces around one pair of operands in old texts
bool AttributeReader::ReadAliases() {
  std::vector<Alias> aliases;
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Try('}')) return true;
  do {
    Alias alias;
    if (header_alias_) alias.kind = kMayAlias;
    if (!cursor_.Integers('{', '}', alias.output) || !cursor_.Expect(':') || !cursor_.Expect('(') ||
        !cursor_.Integer(alias.parameter) || !cursor_.Expect(',') ||
        !cursor_.Integers('{', '}', alias.index)) {
      return false;
    }
    if (cursor_.Try(',')) {
      if (cursor_.Try(std::string_view("must-alias"))) {
        alias.kind = kMustAlias;
      } else if (cursor_.Try(std::string_view("may-alias"))) {
        alias.kind = kMayAlias;
      } else {
        return cursor_.Expected("may-alias or must-alias");
      }
    }
    if (!cursor_.Expect(')')) return false;
    aliases.push_back(std::move(alias));
  } while (cursor_.Try(','));
  numbers_ = NumbersOf(aliases);
  return cursor_.Expect('}');
}

// { (0, {1}), (2, {}) }
bool AttributeReader::ReadDonors() {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Try('}')) return true;
  do {
    int64_t parameter = 0;
    std::vector<int64_t> index;
    if (!cursor_.Expect('(') || !cursor_.Integer(parameter) || !cursor_.Expect(',') ||
        !cursor_.Integers('{', '}', index) || !cursor_.Expect(')')) {
      return false;
    }
    numbers_.push_back(parameter);
    AddList(index);
  } while (cursor_.Try(','));
  return cursor_.Expect('}');
}

// {op_name="x" source_line=3}: fields one after another, with or without commas.
bool AttributeReader::ReadMetadata() {
  if (!cursor_.Expect('{')) return false;
  while (!cursor_.Try('}')) {
    std::string_view name;
    if (!cursor_.Name(name, "the name of a field or '}'") || !cursor_.Expect('=')) return false;
    AddString(name);
    const char next = cursor_.Peek();
    if (next == '"' || next == '\'') {
      numbers_.push_back(kFieldText);
      if (!cursor_.Quoted(scratch_)) return false;
      AddString(scratch_);
    } else if (next == '-' || Is(next, kDigit)) {
      int64_t number = 0;
      if (!cursor_.Integer(number)) return false;
      numbers_.insert(numbers_.end(), {kFieldNumber, number});
    } else {
      std::string_view raw;
      numbers_.push_back(kFieldRaw);
      if (!ReadRaw(raw)) return false;
      AddString(raw);
    }
    cursor_.Try(',');
  }
  return true;
}

// {a="x",b.c={n = 1 : i32}}
bool AttributeReader::ReadMap() {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Try('}')) return true;
  do {
    std::string_view name, value;
    if (!cursor_.Name(name, "a key") || !cursor_.Expect('=') || !ReadRaw(value)) return false;
    AddString(name);
    AddString(value);
  } while (cursor_.Try(','));
  return cursor_.Expect('}');
}

// {replicated}, {maximal device=0}, {devices=[2,1]0,1}, {devices=[2,4]<=[8] last_tile_dim_replicate}, or a
// tuple
// {{replicated}, {manual}} of such.
bool AttributeReader::ReadSharding(Sharding& sharding, bool may_be_tuple) {
  if (!cursor_.Expect('{')) return false;
  if (may_be_tuple && (cursor_.Peek() == '{' || cursor_.Peek() == '}')) {
    sharding.kind = Sharding::kTuple;
    if (cursor_.Try('}')) return true;
    do {
      if (!ReadSharding(sharding.elements.emplace_back(), false)) return false;
    } while (cursor_.Try(','));
    return cursor_.Expect('}');
  }
  return ReadShardingWords(sharding) && cursor_.Expect('}');
}

bool AttributeReader::ReadShardingWords(Sharding& sharding) {
  bool placed = false;
  while (cursor_.Peek() != '}') {
    const char* start = cursor_.at();
    const std::string_view word = cursor_.TryName();
    int64_t kind = -1;
    for (int64_t k = Sharding::kReplicated; k <= Sharding::kUnreduced; ++k) {
      if (word == WordOf(k)) kind = k;
    }
    if (word == "devices") kind = Sharding::kTiled;
    if (kind >= 0) {
      if (placed) return cursor_.Refuse(start, "a sharding says twice where it is");
      placed = true;
      sharding.kind = kind;
      if (kind == Sharding::kTiled && !ReadDevices(sharding)) return false;
    } else if (word == "device" && sharding.kind == Sharding::kMaximal && sharding.devices.empty()) {
      if (!cursor_.Expect('=') || !cursor_.Integer(sharding.devices.emplace_back())) return false;
    } else if (word == "last_tile_dim_replicate") {
      sharding.last_replicated = true;
    } else if (word == "last_tile_dims" && sharding.last_dims.empty()) {
      if (!cursor_.Expect('=') || !cursor_.Expect('{')) return false;
      do {
        const std::string_view dim = cursor_.TryName();
        int64_t found = -1;
        for (int64_t k = Sharding::kReplicated; k <= Sharding::kUnreduced; ++k) {
          if (dim == WordOf(k)) found = k;
        }
        if (found < 0) return cursor_.Expected("a kind of sharding");
        sharding.last_dims.push_back(found);
      } while (cursor_.Try(','));
      if (!cursor_.Expect('}')) return false;
    } else if ((word == "shard_as" || word == "shard_like") && sharding.group_kind == 0) {
      sharding.group_kind = word == "shard_as" ? 1 : 2;
      if (!cursor_.Integer(sharding.group)) return false;
    } else {
      return cursor_.Fail(start, "a word of a sharding");
    }
  }
  return placed || cursor_.Expected("a kind of sharding");
}

bool AttributeReader::ReadDevices(Sharding& sharding) {
  if (!cursor_.Expect('=') || !cursor_.Integers('[', ']', sharding.dimensions)) return false;
  if (cursor_.Try(std::string_view("<="))) return ReadIota(sharding.iota, sharding.order);
  do {
    if (!cursor_.Integer(sharding.devices.emplace_back())) return false;
  } while (cursor_.Try(','));
  return true;
}

}  // namespace oomph::hlo
