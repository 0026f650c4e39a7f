// Takes the texts of attributes and types apart, one level at a time. Each function is a question that a text may not be
// able to answer. Not for: the text of a module (read.h).
#ifndef OOMPH_MODELS_MLIR_VALUES_H_
#define OOMPH_MODELS_MLIR_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace oomph::mlir {

// Behind the bracket that `text[at]` opens; 0: it opens none, or is not closed by its like. Quotes are passed, and the > of
// -> and >= closes nothing.
size_t EndOfBrackets(std::string_view text, size_t at);
// The first place at or behind `at` where one of `stops` stands outside of brackets and quotes; size(): nowhere.
size_t FindOutside(std::string_view text, std::string_view stops, size_t at = 0);
std::string_view Trimmed(std::string_view text);

// "[a, b]", "{a = 1, b}", "(a)", "<a, b>" -> their parts, without blanks around. Absent: no such list.
std::optional<std::vector<std::string_view>> Elements(std::string_view list);
// The value of a key in "{a = 1, b}". Of a flag it is empty.
std::optional<std::string_view> Entry(std::string_view dictionary, std::string_view key);
// "12", "-3 : i64", "true", "0x10 : index".
std::optional<int64_t> Integer(std::string_view text);
// "array<i64: 32, 16>", "[1, 2 : i64]", "dense<[1, 2]> : tensor<2xi64>", "array<i64>".
std::optional<std::vector<int64_t>> Integers(std::string_view text);
// "@name" and "@\"name\"" without mark and quotes.
std::optional<std::string_view> Symbol(std::string_view text);
// "\"text\"" without its quotes, escapes as written.
std::optional<std::string_view> Quoted(std::string_view text);

// "#tpu.memory_space<vmem>" -> "tpu.memory_space", "vmem". A name alone has no body.
struct Named {
  std::string_view name, body;
};
std::optional<Named> ReadNamed(std::string_view text);

// "memref<8x?xf32, strided<[1]>, #tpu.memory_space<vmem>>"
struct ShapedType {
  std::string_view kind;  // "memref", "vector", "tensor"
  std::vector<int64_t> sizes;  // -1: not known
  std::string_view element;
  std::vector<std::string_view> rest;  // what follows the element: layout, memory space, encoding
};
std::optional<ShapedType> ReadShaped(std::string_view type);

// "(i32, index) -> (f32)", "() -> i32"
struct FunctionType {
  std::vector<std::string_view> operands, results;
};
std::optional<FunctionType> ReadFunction(std::string_view type);

}  // namespace oomph::mlir

#endif  // OOMPH_MODELS_MLIR_VALUES_H_
