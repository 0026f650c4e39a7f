// An MLIR text as a structure: operations with their attributes, regions, blocks and values, of any dialect.
// Attributes and types stay text, which values.h takes apart where somebody asks. Not for: judging or printing.
//
//   Module
//     text                  all views point into it
//     operations[o]         name, operands, results, attributes, regions; in the order of the text
//       regions[r]            blocks[b]   arguments, operations
//     values[v]             a result or an argument of a block: name, type
//
// Lists of children are linked (first, next), so no depth of the text is a depth of calls. kNone ends a list.
#ifndef OOMPH_MODELS_MLIR_MODULE_H_
#define OOMPH_MODELS_MLIR_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oomph::mlir {

using Index = uint32_t;
inline constexpr Index kNone = UINT32_MAX;

// A part of one of the module's lists.
struct ListRange {
  uint32_t begin = 0, count = 0;
};

// `value` is the text behind the =, of a flag it is empty.
struct Attribute {
  std::string_view name, value;
};

// Where a value is used. The one it means may stand below, or nowhere: then `value` is kNone.
struct Use {
  std::string_view name;  // with its %
  Index value = kNone;
};

struct Value {
  std::string_view name, type;
  Index operation = kNone;  // of a result
  Index block = kNone;      // of an argument
  uint32_t number = 0;      // among the results or arguments
};

struct Operation {
  std::string_view name;  // "memref.alloca"; of a module "builtin.module"
  std::string_view symbol;  // of a form of its own the first @name, with its mark; of the generic one see sym_name
  ListRange operands;     // of Module::uses
  ListRange results;      // of Module::values
  ListRange properties, attributes;  // of Module::attributes: <{...}> and {...}
  std::string_view type;  // behind the colon: (i32) -> i32; of a form of its own what stands behind the last colon
  std::string_view location;  // loc(...) with its word; empty: none
  Index block = kNone;    // that it stands in; kNone: in none
  Index first_region = kNone;
  Index next = kNone;     // in its block, or of the text's own
};

struct Region {
  Index operation = kNone;
  Index first_block = kNone;
  Index next = kNone;
};

struct Block {
  std::string_view label;  // "^bb0"; empty: the first of a region that names none
  ListRange arguments;     // of Module::values
  Index region = kNone;
  Index first_operation = kNone;
  Index next = kNone;
};

// `#map = affine_map<...>` and `!t = memref<...>`, the name with its mark.
struct Alias {
  std::string_view name, value;
};

struct Module {
  std::shared_ptr<const std::string> text;  // shared, so that copies of a module are as good
  std::vector<Operation> operations;
  std::vector<Region> regions;
  std::vector<Block> blocks;
  std::vector<Value> values;
  std::vector<Use> uses;
  std::vector<Attribute> attributes;
  std::vector<Alias> aliases;  // in the order of the text, which may define one again for what follows
  std::vector<Index> aliases_by_name;  // and of one name by place
  Index first_operation = kNone;  // of those that stand in no other; a text may hold several modules

  std::span<const Use> Operands(const Operation& o) const { return Part(uses, o.operands); }
  std::span<const Value> Results(const Operation& o) const { return Part(values, o.results); }
  std::span<const Value> Arguments(const Block& b) const { return Part(values, b.arguments); }
  // The text of an attribute or property; absent: there is none.
  std::optional<std::string_view> Find(const Operation& operation, std::string_view name) const;
  // What the text of an attribute or type stands for if it is an alias; else itself. Of several definitions that of a view
  // into `text` is the last one before it, of another text the first.
  std::string_view Resolve(std::string_view text) const;
  // The name of a function or module, without its mark and quotes; empty: it has none.
  std::string_view SymbolOf(const Operation& operation) const;
  // 1 for the first line. Of a view into `text`.
  size_t LineOf(std::string_view view) const;

 private:
  template <typename T>
  static std::span<const T> Part(const std::vector<T>& list, ListRange range) {
    return std::span(list).subspan(range.begin, range.count);
  }
};

}  // namespace oomph::mlir

#endif  // OOMPH_MODELS_MLIR_MODULE_H_
