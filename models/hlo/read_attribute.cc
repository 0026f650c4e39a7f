// One attribute: its stretch of text, its form, and the forms that are lists of one kind of thing.
// The forms with a grammar of their own are in read_attribute_forms.cc.
#include "models/hlo/read_attribute.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace oomph::hlo {
namespace {

// Forms whose syntax grows from year to year: what is new in them is kept as it stands, not refused.
bool MayBeVerbatim(Form form) {
  switch (form) {
    case Form::kGroups:
    case Form::kMetadata:
    case Form::kMap:
    case Form::kSharding:
      return true;
    default:
      return false;
  }
}

// Literals as XLA prints them have single blanks; a longer run of blanks, or a comment, is written as one.
void Normalize(std::string_view text, std::string& normal) {
  normal.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    const bool line_comment = text.substr(i).starts_with("//");
    const bool comment = line_comment || text.substr(i).starts_with("/*");
    if (comment) {
      const size_t close = text.find(line_comment ? "\n" : "*/", i + 2);
      i = close == std::string_view::npos ? text.size() : close + (line_comment ? 0 : 1);
    }
    if (comment || Is(text[i], kBlank)) {
      if (!normal.empty() && normal.back() != ' ') normal.push_back(' ');
    } else {
      if (text[i] == '}' && normal.ends_with("{ ")) normal.push_back(' ');  // XLA's empty array is {  }
      normal.push_back(text[i]);
    }
  }
  while (!normal.empty() && normal.back() == ' ') normal.pop_back();
}

}  // namespace

std::string NormalLiteral(std::string_view text) {
  std::string normal;
  Normalize(text, normal);
  return normal;
}

bool AttributeReader::Read(AttributeId& attribute) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  const char* key_end = start;
  while (key_end < cursor_.end() && Is(*key_end, kNameChar)) ++key_end;
  if (key_end == start) return cursor_.Fail(start, "the name of an attribute");
  if (key_end == cursor_.end() || *key_end != '=') {
    // Blanks around '=' are legal and rare.
    cursor_.MoveTo(key_end);
    if (!cursor_.Expect('=')) return false;
  } else {
    cursor_.MoveTo(key_end + 1);
  }
  cursor_.SkipBlanks();
  const char* value = cursor_.at();
  const std::string_view name(start, static_cast<size_t>(key_end - start));
  if (value < cursor_.end() && *value == '{' &&
      std::string_view("ysnrt").find(name.back()) != std::string_view::npos) {
    // Only keys that end in these letters take a computation.
    const Key key = KeyNamed(name);
    if (RowOf(key).form == Form::kComputation) return ReadInline(key, attribute);
  }
  const bool literal = name == "literal";
  const char* end = EndOfValue(value, literal);
  if (end == nullptr) return false;
  if (end == value) return cursor_.Fail(value, "the value of the attribute");
  const auto known = known_.find(std::string_view(start, static_cast<size_t>(end - start)));
  if (known != known_.end()) {
    cursor_.MoveTo(end);
    attribute = known->second;
    return true;
  }
  return ReadNew(start, key_end, end, attribute);
}

bool AttributeReader::ReadInline(Key key, AttributeId& attribute) {
  uint32_t index = 0;
  if (!names_.ReadInlineComputation(index)) return false;
  const Reference reference = {Reference::kComputation, index & ((1u << 30) - 1)};
  attribute = module_.attribute_table.Add(key, Form::kComputation, {}, std::span(&reference, 1));
  return true;
}

// The cursor stands on the value. A value ends before a comma or blank outside of all brackets.
bool AttributeReader::ReadNew(const char* start, const char* key_end, const char* end,
                              AttributeId& attribute) {
  const std::string_view name(start, static_cast<size_t>(key_end - start));
  const char* begin = cursor_.at();
  const std::string_view value(begin, static_cast<size_t>(end - begin));
  const Key key = KeyNamed(name);
  Form form = RowOf(key).form;
  numbers_.clear();
  references_.clear();
  if (key == Key::kUnknown) AddString(name);
  header_alias_ = key == Key::kInputOutputAlias;
  const char* text_end = cursor_.Narrow(end);
  bool good = ReadForm(form, value);
  if (good && !cursor_.AtEnd()) good = cursor_.Fail(cursor_.at(), "the end of the attribute");
  cursor_.Narrow(text_end);
  if (!good && MayBeVerbatim(RowOf(key).form)) {
    cursor_.ForgetError();
    numbers_.clear();
    references_.clear();
    form = Form::kVerbatim;
    AddString(value);
    good = true;
  }
  if (!good) return false;
  cursor_.MoveTo(end);
  attribute = module_.attribute_table.Add(key, form, numbers_, references_);
  if (form != Form::kInstructions) {
    known_.emplace(std::string_view(start, static_cast<size_t>(end - start)), attribute);
  }
  return true;
}

const char* AttributeReader::EndOfValue(const char* start, bool with_blanks) {
  const char* end = cursor_.end();
  const char* p = start;
  while (true) {
    while (p < end && !Is(*p, kBreak)) ++p;
    if (p == end) break;
    const char c = *p;
    if (c == '{' || c == '(' || c == '[') {
      p = cursor_.EndOfBrackets(p);
    } else if (c == '"' || c == '\'') {
      p = cursor_.EndOfQuoted(p);
    } else if (c == '/' && (p + 1 == end || (p[1] != '*' && p[1] != '/'))) {
      ++p;
    } else if (with_blanks && (c == ' ' || c == '\t')) {
      ++p;
    } else {
      break;
    }
    if (p == nullptr) return nullptr;
  }
  while (p > start && Is(p[-1], kBlank)) --p;
  return p;
}

bool AttributeReader::ReadForm(Form& form, std::string_view value) {
  switch (form) {
    case Form::kInt: {
      int64_t number = 0;
      if (!cursor_.Integer(number)) return false;
      numbers_.push_back(number);
      return true;
    }
    case Form::kBool: {
      bool flag = false;
      if (!cursor_.Boolean(flag)) return false;
      numbers_.push_back(flag);
      return true;
    }
    case Form::kInts:
      if (value.starts_with("{{")) return ReadGroups(form);  // slice_sizes of a collective-permute
      return cursor_.Integers('{', '}', numbers_);
    case Form::kWord:
      return ReadWord();
    case Form::kString:
      if (!cursor_.Quoted(scratch_)) return false;
      AddString(scratch_);
      return true;
    case Form::kComputation:
    case Form::kShape:
      return ReadOne(form);
    case Form::kBools:
    case Form::kWords:
    case Form::kComputations:
    case Form::kInstructions:
    case Form::kShapes:
      return ReadList(form);
    case Form::kProgramShape:
      return ReadProgramShape();
    case Form::kWindow:
      return ReadWindow();
    case Form::kPadding:
      return ReadPadding();
    case Form::kSlices:
      return ReadSlices();
    case Form::kGroups:
    case Form::kIotaGroups:
      return ReadGroups(form);
    case Form::kAliases:
      return ReadAliases();
    case Form::kDonors:
      return ReadDonors();
    case Form::kMetadata:
      return ReadMetadata();
    case Form::kMap:
      return ReadMap();
    case Form::kSharding: {
      Sharding sharding;
      if (!ReadSharding(sharding, true)) return false;
      numbers_ = NumbersOf(sharding);
      return true;
    }
    case Form::kLiteral:
      Normalize(value, scratch_);
      AddString(scratch_);
      cursor_.MoveTo(cursor_.end());
      return true;
    case Form::kJson:
    case Form::kVerbatim:
      AddString(value);
      cursor_.MoveTo(cursor_.end());
      return true;
  }
  return false;
}

// Any letters up to the end: LT, dot_bf16_bf16_f32, b01f_01io->b01f, L.1@2:4.
bool AttributeReader::ReadWord() {
  const char* start = cursor_.at();
  const char* p = start;
  while (p < cursor_.end() && !Is(*p, kBreak)) ++p;
  if (p == start) return cursor_.Fail(start, "a word");
  cursor_.MoveTo(p);
  AddString(cursor_.From(start));
  return true;
}

bool AttributeReader::ReadList(Form form) {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Try('}')) return true;
  do {
    if (!ReadOne(form)) return false;
  } while (cursor_.Try(','));
  return cursor_.Expect('}');
}

bool AttributeReader::ReadOne(Form form) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  std::string_view name;
  switch (form) {
    case Form::kBools: {
      bool flag = false;
      if (!cursor_.Boolean(flag)) return false;
      numbers_.push_back(flag);
      return true;
    }
    case Form::kWords:
      return ReadWord();
    case Form::kShape:
    case Form::kShapes: {
      ShapeId shape = 0;
      if (!shapes_.Read(shape)) return false;
      AddReference(Reference::kShape, shape);
      return true;
    }
    case Form::kComputation:
    case Form::kComputations: {
      if (!cursor_.Name(name, "the name of a computation")) return false;
      const std::optional<uint32_t> index = names_.ComputationNamed(name);
      if (!index.has_value()) {
        return cursor_.Refuse(start,
                              absl::StrCat("no computation named '", std::string(name), "' stands above"));
      }
      AddReference(Reference::kComputation, *index);
      return true;
    }
    default: {
      if (!cursor_.Name(name, "the name of an instruction")) return false;
      const std::optional<uint32_t> index = names_.InstructionNamed(name);
      if (!index.has_value()) {
        return cursor_.Refuse(start,
                              absl::StrCat("no instruction named '", std::string(name), "' stands above"));
      }
      AddReference(Reference::kInstruction, *index);
      return true;
    }
  }
}

// A quoted text, a bracketed stretch, or a word: as it stands.
bool AttributeReader::ReadRaw(std::string_view& text) {
  const char c = cursor_.Peek();
  const char* start = cursor_.at();
  const char* end = start;
  if (c == '{' || c == '[' || c == '(') {
    end = cursor_.EndOfBrackets(start);
  } else if (c == '"' || c == '\'') {
    end = cursor_.EndOfQuoted(start);
  } else {
    while (end < cursor_.end() && !Is(*end, kBreak)) ++end;
    if (end == start) return cursor_.Fail(start, "a value");
  }
  if (end == nullptr) return false;
  cursor_.MoveTo(end);
  text = cursor_.From(start);
  return true;
}

void AttributeReader::AddList(const std::vector<int64_t>& list) {
  numbers_.push_back(static_cast<int64_t>(list.size()));
  numbers_.insert(numbers_.end(), list.begin(), list.end());
}

}  // namespace oomph::hlo
