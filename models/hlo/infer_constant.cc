// The rule of constants: the literal has the elements of its shape, within the range of its type.
// Not for reading values: nothing of the literal is kept.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// From where on a number rounds to more than the largest finite one of its type: that one and half a step.
// All numbers round to one of f4e2m1fn.
double LimitOf(Type type) {
  switch (type) {
    case Type::kF4e2m1fn:
      return std::numeric_limits<double>::infinity();
    case Type::kF8e3m4:
      return 15.75;
    case Type::kF8e4m3:
    case Type::kF8e4m3fnuz:
      return 248;
    case Type::kF8e4m3b11fnuz:
      return 31;
    case Type::kF8e4m3fn:
      return 464;
    case Type::kF8e5m2:
    case Type::kF8e5m2fnuz:
      return 61440;
    case Type::kF8e8m0fnu:
      return std::ldexp(1.5, 127);
    case Type::kF16:
      return 65520;
    case Type::kBf16:
      return std::ldexp(511.0, 119);
    case Type::kF32:
    case Type::kC64:
      return static_cast<double>(std::numeric_limits<float>::max()) + std::ldexp(1.0, 103);
    default:
      return std::numeric_limits<double>::infinity();
  }
}

class LiteralReader {
 public:
  LiteralReader(const ShapeBook& shapes, std::string_view text) : shapes_(shapes), text_(text) {}

  // What is wrong with the literal; empty where nothing is.
  std::string Judge(ShapeId shape) {
    if (!Value(shape)) return error_;
    Blanks();
    return at_ == text_.size() ? "" : "has more than one literal";
  }

 private:
  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  void Blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r') {
        ++at_;
      } else if (text_.substr(at_).starts_with("/*")) {
        const size_t close = text_.find("*/", at_ + 2);
        at_ = close == std::string_view::npos ? text_.size() : close + 2;
      } else {
        return;
      }
    }
  }

  bool Try(char c) {
    Blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string_view Token() {
    Blanks();
    const size_t start = at_;
    while (at_ < text_.size() && std::string_view(" ,(){}\t\n\r").find(text_[at_]) == std::string_view::npos)
      ++at_;
    std::string_view token = text_.substr(start, at_ - start);
    // nan(0x7fc00001) and -nan(…) say which of the many.
    if (token.ends_with("nan") && at_ < text_.size() && text_[at_] == '(') {
      at_ = std::min(text_.find(')', at_), text_.size() - 1) + 1;
    }
    return token;
  }

  bool Value(ShapeId shape) {
    if (shapes_.IsTuple(shape)) return Tuple(shape);
    if (shapes_.IsToken(shape)) return Token().empty() ? Fail("has no token") : true;
    if (!shapes_.IsArray(shape)) return Fail("is no array and no tuple");
    const Type type = shapes_.TypeOf(shape);
    return Array(type, shapes_.SizesOf(shape));
  }

  bool Tuple(ShapeId shape) {
    if (!Try('(')) return Fail("lacks the parenthesis of a tuple");
    for (size_t i = 0; i < shapes_.Elements(shape); ++i) {
      if (i > 0 && !Try(',')) return Fail("has too few elements of a tuple");
      if (!Value(shapes_.Element(shape, i))) return false;
    }
    return Try(')') || Fail("has too many elements of a tuple");
  }

  // {{1, 2}, {3, 4}}, or {...}, which stands for what was left out.
  bool Array(Type type, const Sizes& sizes) {
    Sizes seen(sizes.size(), 0);
    size_t depth = 0;
    do {
      while (Try(',')) {
      }
      if (Try('{')) {
        if (depth == sizes.size()) return Fail("has more braces than dimensions");
        if (depth > 0 && ++seen[depth - 1] > sizes[depth - 1]) return Fail("has too many elements");
        seen[depth++] = 0;
      } else if (Try('}')) {
        if (depth == 0) return Fail("has a brace too many");
        --depth;
        if (seen[depth] != sizes[depth]) {
          return Fail(absl::StrCat("has ", seen[depth], " elements where ", sizes[depth], " belong"));
        }
      } else if (depth == 1 && text_.substr(at_).starts_with("...")) {
        at_ += 3;
        return Try('}') || Fail("has more after ...");
      } else {
        // One number without braces stands for all.
        if (depth != 0 && depth != sizes.size()) return Fail("has fewer braces than dimensions");
        if (depth > 0 && ++seen[depth - 1] > sizes[depth - 1]) return Fail("has too many elements");
        if (!Scalar(type)) return false;
      }
    } while (depth > 0);
    return true;
  }

  bool Scalar(Type type) {
    if (ClassOf(type) == kComplexes) {
      if (!Try('(')) return Fail("a complex number lacks its parenthesis");
      if (!Real(ComponentOf(type), Token())) return false;
      if (!Try(',')) return Fail("a complex number lacks its comma");
      return Real(ComponentOf(type), Token()) && (Try(')') || Fail("a complex number lacks its parenthesis"));
    }
    return Real(type, Token());
  }

  bool Real(Type type, std::string_view token) {
    if (token.empty()) return Fail("ends too early");
    if (type == Type::kPred) return token == "true" || token == "false" || Integer(type, token);
    if ((ClassOf(type) & kIntegers) != 0) return Integer(type, token);
    return Float(type, token);
  }

  bool Integer(Type type, std::string_view token) {
    const int bits = type == Type::kPred ? 64 : RowOf(type).bits;  // any number is true or false
    const char* end = token.data() + token.size();
    const auto good = [&](auto& value) {
      const auto [stop, code] = std::from_chars(token.data(), end, value);
      return code == std::errc() && stop == end;
    };
    if (ClassOf(type) == kUnsigned) {
      uint64_t value = 0;
      if (good(value) && (bits == 64 || value >> bits == 0)) return true;
    } else {
      int64_t value = 0;
      if (good(value) && (bits == 64 || (value >> (bits - 1)) == (value < 0 ? -1 : 0))) return true;
    }
    return Fail(absl::StrCat(Shown(token), " is no ", std::string(RowOf(type).name)));
  }

  // As XLA's reader has it: a digit first, or a minus and a point; without a point and an exponent 64 bits at most; within
  // the range of a double, but that what is too small is 0.
  bool Float(Type type, std::string_view token) {
    const std::string_view bare = token.starts_with('-') ? token.substr(1) : token;
    if (bare == "nan" || bare == "inf") return true;
    double value = 0;
    const bool read = !token.starts_with('.') && FitsItsForm(bare) && Number(token, value);
    const bool positive = type != Type::kF8e8m0fnu || value > 0;  // the type has no other
    if (read && positive && std::abs(value) < LimitOf(type)) return true;
    return Fail(absl::StrCat(Shown(token), " is no ", std::string(RowOf(type).name)));
  }

  static bool FitsItsForm(std::string_view digits) {
    if (digits.find_first_not_of("0123456789") != digits.npos) return true;
    uint64_t whole = 0;
    return std::from_chars(digits.data(), digits.data() + digits.size(), whole).ec == std::errc();
  }

  static bool Number(std::string_view token, double& value) {
    const char* end = token.data() + token.size();
    const auto [stop, code] = std::from_chars(token.data(), end, value);
    if (stop != end) return false;
    if (code != std::errc::result_out_of_range) return code == std::errc();
    // Too large or too small? This one tells by the value.
    absl::from_chars(token.data(), end, value);
    return std::abs(value) < 1;
  }

  // A literal may be one word of megabytes.
  static std::string Shown(std::string_view token) {
    return token.size() <= 60 ? std::string(token) : absl::StrCat(std::string(token.substr(0, 60)), "...");
  }

  const ShapeBook& shapes_;
  const std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

}  // namespace

Inferred InferConstant(Context& context) {
  const Module& module = context.facts.module;
  const std::string error =
      LiteralReader(context.shapes, module.strings[context.self().payload]).Judge(context.result);
  if (!error.empty()) {
    return Wrong(Rule::kLiteral,
                 absl::StrCat("the literal of ", context.shapes.Text(context.result), " ", error));
  }
  return context.result;
}

}  // namespace oomph::hlo
