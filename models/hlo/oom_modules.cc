// See oom_modules.h. Texts of one line an instruction, built from front to back; the shapes are those of the text.
#include "models/hlo/oom_modules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace oomph::hlo {
namespace {

// An entry computation that grows by a line.
class Text {
 public:
  explicit Text(std::string_view name) : head_(absl::StrCat("HloModule ", std::string(name), "\n\n")) {}

  // The name of the new instruction: "%STEM.N".
  std::string Add(const std::string& stem, const std::string& shape, const std::string& operation) {
    const std::string name = absl::StrCat("%", stem, ".", count_++);
    absl::StrAppend(&body_, "  ", name, " = ", shape, " ", operation, "\n");
    return name;
  }
  std::string Parameter(const std::string& stem, const std::string& shape) {
    return Add(stem, shape, absl::StrCat("parameter(", parameters_++, ")"));
  }
  std::string Constant(const std::string& type, const std::string& value) {
    return Add("constant", type + "[]", absl::StrCat("constant(", value, ")"));
  }
  std::string Broadcast(const std::string& shape, const std::string& from, const std::string& dimensions = "") {
    return Add("broadcast", shape, absl::StrCat("broadcast(", from, "), dimensions={", dimensions, "}"));
  }
  std::string Unary(const std::string& operation, const std::string& shape, const std::string& a) {
    return Add(operation, shape, absl::StrCat(operation, "(", a, ")"));
  }
  std::string Binary(const std::string& operation, const std::string& shape, const std::string& a,
                     const std::string& b) {
    return Add(operation, shape, absl::StrCat(operation, "(", a, ", ", b, ")"));
  }
  std::string Dot(const std::string& shape, const std::string& a, const std::string& b, const std::string& lhs,
                  const std::string& rhs, const std::string& batch = "") {
    const std::string batches =
        batch.empty() ? "" : absl::StrCat("lhs_batch_dims={", batch, "}, rhs_batch_dims={", batch, "}, ");
    return Add("dot", shape,
               absl::StrCat("dot(", a, ", ", b, "), ", batches, "lhs_contracting_dims={", lhs,
                            "}, rhs_contracting_dims={", rhs, "}"));
  }
  // Over the last dimension, by "add" or "maximum".
  std::string Reduce(const std::string& shape, const std::string& a, const std::string& init,
                     const std::string& dimension, const std::string& by) {
    return Add("reduce", shape,
               absl::StrCat("reduce(", a, ", ", init, "), dimensions={", dimension, "}, to_apply=%", by));
  }
  std::string Finish(const std::string& root_shape, const std::string& root) {
    absl::StrAppend(&body_, "  ROOT %root = ", root_shape, " ", root, "\n");
    return absl::StrCat(head_, kCombiners, "ENTRY %main {\n", body_, "}\n");
  }

 private:
  static constexpr const char* kCombiners =
      "%add_bf16 {\n  %a = bf16[] parameter(0)\n  %b = bf16[] parameter(1)\n  ROOT %c = bf16[] add(%a, %b)\n}\n\n"
      "%max_bf16 {\n  %a = bf16[] parameter(0)\n  %b = bf16[] parameter(1)\n  ROOT %c = bf16[] maximum(%a, %b)\n}\n\n";
  std::string head_, body_;
  size_t count_ = 0, parameters_ = 0;
};

// A dimension of so many layers: a handful of arrays make the peak, and of few layers they are small.
std::string Extent(uint32_t full, uint32_t layers) {
  constexpr uint32_t kEnough = 16;
  return absl::StrCat(full / kEnough * std::min(layers, kEnough));
}

// Dense layers and the way back, which a second program runs: what the first one saved, of a layer in some, comes as an argument.
std::string Mlp(uint32_t layers) {
  Text text("mlp");
  constexpr uint32_t kSaveEach = 11;
  const std::string extent = Extent(8388608, layers), rows = absl::StrCat("bf16[", extent, ",256]"),
                    weights = "bf16[256,256]";
  std::string x = text.Parameter("batch", rows);
  const std::string zero = text.Constant("bf16", "0");
  std::vector<std::string> weight, kept, before;
  for (uint32_t i = 0; i < layers; ++i) {
    weight.push_back(text.Parameter("weights", weights));
    const std::string bias = text.Parameter("bias", "bf16[256]");
    if (i % kSaveEach == 0) kept.push_back(text.Parameter("saved", rows));
    const std::string sum =
        text.Binary("add", rows, text.Dot(rows, x, weight.back(), "1", "0"), text.Broadcast(rows, bias, "1"));
    before.push_back(sum);
    x = text.Binary("maximum", rows, sum, text.Broadcast(rows, zero));
  }
  std::string gradient = x;
  std::vector<std::string> updates;
  for (uint32_t i = layers; i-- > 0;) {
    const std::string mask =
        text.Add("compare", absl::StrCat("pred[", extent, ",256]"),
                 absl::StrCat("compare(", before[i], ", ", text.Broadcast(rows, zero), "), direction=GT"));
    const std::string through =
        text.Add("select", rows, absl::StrCat("select(", mask, ", ", gradient, ", ", text.Broadcast(rows, zero), ")"));
    updates.push_back(text.Dot(weights, kept[i / kSaveEach], through, "0", "0"));
    gradient = text.Dot(rows, through, weight[i], "1", "1");
  }
  std::string all = "tuple(", shapes = "(";
  for (size_t i = 0; i < updates.size(); ++i) {
    absl::StrAppend(&all, i == 0 ? "" : ", ", updates[i]);
    absl::StrAppend(&shapes, i == 0 ? "" : ", ", weights);
  }
  return text.Finish(shapes + ")", all + ")");
}

// Attention and the way back; the scores that were saved come as arguments, those of four layers in one.
std::string Transformer(uint32_t layers) {
  Text text("transformer");
  constexpr uint32_t kSavedInOne = 4;
  const std::string extent = Extent(4096, layers), batch = "bf16[" + extent, saved = batch + ",8,512,128]";
  const std::string tokens = batch + ",128,512]", split_tokens = batch + ",128,8,64]", heads = batch + ",8,128,64]",
                    scores = batch + ",8,128,128]", sums = batch + ",8,128]", wide = batch + ",128,1024]";
  std::string x = text.Parameter("tokens", tokens);
  const std::string zero = text.Constant("bf16", "0"), least = text.Constant("bf16", "-inf"),
                    scale = text.Constant("bf16", "0.09");
  std::vector<std::string> kept;
  const auto project = [&](const std::string& from) {
    const std::string weights = text.Parameter("weights", "bf16[512,512]");
    const std::string flat =
        text.Add("reshape", split_tokens, absl::StrCat("reshape(", text.Dot(tokens, from, weights, "2", "0"), ")"));
    return text.Add("transpose", heads, absl::StrCat("transpose(", flat, "), dimensions={0,2,1,3}"));
  };
  for (uint32_t i = 0; i < layers; ++i) {
    const std::string query = project(x), key = project(x), value = project(x);
    const std::string raw =
        text.Binary("multiply", scores, text.Dot(scores, query, key, "3", "3", "0,1"), text.Broadcast(scores, scale));
    const std::string top = text.Reduce(sums, raw, least, "3", "max_bf16");
    const std::string powers =
        text.Unary("exponential", scores, text.Binary("subtract", scores, raw, text.Broadcast(scores, top, "0,1,2")));
    const std::string total = text.Reduce(sums, powers, zero, "3", "add_bf16");
    const std::string weights = text.Binary("divide", scores, powers, text.Broadcast(scores, total, "0,1,2"));
    if (i % kSavedInOne == 0) kept.push_back(text.Parameter("saved", saved));
    const std::string mixed = text.Add(
        "transpose", split_tokens,
        absl::StrCat("transpose(", text.Dot(heads, weights, value, "3", "2", "0,1"), "), dimensions={0,2,1,3}"));
    const std::string joined = text.Add("reshape", tokens, absl::StrCat("reshape(", mixed, ")"));
    const std::string out =
        text.Binary("add", tokens, x, text.Dot(tokens, joined, text.Parameter("weights", "bf16[512,512]"), "2", "0"));
    const std::string inner = text.Dot(wide, out, text.Parameter("weights", "bf16[512,1024]"), "2", "0");
    const std::string active = text.Binary("multiply", wide, inner, text.Unary("logistic", wide, inner));
    x = text.Binary("add", tokens, out,
                    text.Dot(tokens, active, text.Parameter("weights", "bf16[1024,512]"), "2", "0"));
  }
  // The way back, as far as it needs the scores: through the values of each layer.
  std::string gradient = x;
  for (uint32_t i = layers; i-- > 0;) {
    const std::string split =
        text.Add("transpose", heads,
                 absl::StrCat("transpose(", text.Add("reshape", split_tokens, absl::StrCat("reshape(", gradient, ")")),
                              "), dimensions={0,2,1,3}"));
    const uint32_t at = i % kSavedInOne * 128;
    const std::string mine = text.Add("slice", scores,
                                      absl::StrCat("slice(", kept[i / kSavedInOne], "), slice={[0:", extent,
                                                   "], [0:8], [", at, ":", at + 128, "], [0:128]}"));
    const std::string back = text.Dot(heads, mine, split, "2", "2", "0,1");
    const std::string joined =
        text.Add("transpose", split_tokens, absl::StrCat("transpose(", back, "), dimensions={0,2,1,3}"));
    gradient = text.Binary("add", tokens, gradient, text.Add("reshape", tokens, absl::StrCat("reshape(", joined, ")")));
  }
  return text.Finish(tokens, absl::StrCat("negate(", gradient, ")"));
}

// Convolutions over images of one size and the way back; the images that were saved, of a layer in some, come as arguments.
std::string Convolutions(uint32_t layers) {
  Text text("convolutions");
  constexpr uint32_t kSaveEach = 23;
  const std::string maps = Extent(24576, layers) + ",28,28,128]", images = "bf16[" + maps, kernel = "bf16[3,3,128,128]";
  const std::string window = ", window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
  std::string x = text.Parameter("images", images);
  const std::string zero = text.Constant("bf16", "0");
  std::vector<std::string> kept, kernels;
  for (uint32_t i = 0; i < layers; ++i) {
    kernels.push_back(text.Parameter("kernel", kernel));
    const std::string scale = text.Parameter("scale", "bf16[128]"), shift = text.Parameter("shift", "bf16[128]");
    const std::string map =
        text.Add("convolution", images, absl::StrCat("convolution(", x, ", ", kernels.back(), ")", window));
    const std::string scaled = text.Binary("multiply", images, map, text.Broadcast(images, scale, "3"));
    const std::string shifted = text.Binary("add", images, scaled, text.Broadcast(images, shift, "3"));
    const std::string active = text.Binary("maximum", images, shifted, text.Broadcast(images, zero));
    if (i % kSaveEach == 0) kept.push_back(text.Parameter("saved", images));
    x = i % 2 == 0 ? active : text.Binary("add", images, active, x);
  }
  std::string gradient = x;
  for (uint32_t i = layers; i-- > 0;) {
    const std::string mask =
        text.Add("compare", "pred[" + maps,
                 absl::StrCat("compare(", kept[i / kSaveEach], ", ", text.Broadcast(images, zero), "), direction=GT"));
    const std::string through = text.Add(
        "select", images, absl::StrCat("select(", mask, ", ", gradient, ", ", text.Broadcast(images, zero), ")"));
    gradient = text.Add("convolution", images, absl::StrCat("convolution(", through, ", ", kernels[i], ")", window));
  }
  return text.Finish(images, absl::StrCat("negate(", gradient, ")"));
}

// Tables that are looked into, a few of them large: the arguments alone are too large.
std::string Embeddings(uint32_t layers) {
  Text text("embeddings");
  const std::string rows = "bf16[4096,256]";
  const std::string zero = text.Constant("bf16", "0");
  std::string sum = text.Broadcast(rows, zero);
  for (uint32_t i = 0; i < layers; ++i) {
    const std::string table = text.Parameter("table", i % 12 == 5 ? "bf16[8388608,256]" : "bf16[16384,256]"),
                      which = text.Parameter("which", "s32[4096]");
    const std::string found = text.Add("gather", rows,
                                       absl::StrCat("gather(", table, ", ", which,
                                                    "), offset_dims={1}, collapsed_slice_dims={0}, "
                                                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}"));
    const std::string norm =
        text.Reduce("bf16[4096]", text.Binary("multiply", rows, found, found), zero, "1", "add_bf16");
    const std::string scaled =
        text.Binary("multiply", rows, found, text.Broadcast(rows, text.Unary("rsqrt", "bf16[4096]", norm), "0"));
    sum = text.Binary("add", rows, sum, scaled);
  }
  return text.Finish(rows, absl::StrCat("tanh(", sum, ")"));
}

// A step of Adam without donation: old and new weights and moments side by side; one layer is the table of a vocabulary.
std::string Optimizer(uint32_t layers) {
  Text text("optimizer");
  const std::string slow = text.Constant("f32", "0.999"), fast = text.Constant("f32", "0.9"),
                    rate = text.Constant("f32", "0.001"), small = text.Constant("f32", "1e-08");
  std::string all = "tuple(", shapes = "(";
  for (uint32_t i = 0; i < layers; ++i) {
    const std::string weights = i % 40 == 20 ? "f32[262144,4096]" : "f32[1024,1024]";
    const std::string weight = text.Parameter("weights", weights), gradient = text.Parameter("gradient", weights),
                      first = text.Parameter("first", weights), second = text.Parameter("second", weights);
    const std::string mean =
        text.Binary("add", weights, text.Binary("multiply", weights, first, text.Broadcast(weights, fast)), gradient);
    const std::string spread =
        text.Binary("add", weights, text.Binary("multiply", weights, second, text.Broadcast(weights, slow)),
                    text.Binary("multiply", weights, gradient, gradient));
    const std::string root =
        text.Binary("add", weights, text.Unary("sqrt", weights, spread), text.Broadcast(weights, small));
    const std::string step =
        text.Binary("multiply", weights, text.Binary("divide", weights, mean, root), text.Broadcast(weights, rate));
    const std::string next = text.Binary("subtract", weights, weight, step);
    absl::StrAppend(&all, i == 0 ? "" : ", ", next, ", ", mean, ", ", spread);
    absl::StrAppend(&shapes, i == 0 ? "" : ", ", weights, ", ", weights, ", ", weights);
  }
  return text.Finish(shapes + ")", all + ")");
}

// Softmax upon softmax over rows: small in HBM, and the limit on scoped VMEM is smaller.
std::string Softmaxes(uint32_t layers) {
  Text text("softmaxes");
  const std::string rows = "bf16[2048,2048]", sums = "bf16[2048]";
  std::string x = text.Parameter("rows", rows);
  const std::string zero = text.Constant("bf16", "0"), least = text.Constant("bf16", "-inf");
  for (uint32_t i = 0; i < layers; ++i) {
    x = text.Dot(rows, x, text.Parameter("weights", rows), "1", "0");
    const std::string top = text.Reduce(sums, x, least, "1", "max_bf16");
    const std::string powers =
        text.Unary("exponential", rows, text.Binary("subtract", rows, x, text.Broadcast(rows, top, "0")));
    const std::string total = text.Reduce(sums, powers, zero, "1", "add_bf16");
    x = text.Binary("divide", rows, powers, text.Broadcast(rows, total, "0"));
  }
  return text.Finish(rows, absl::StrCat("negate(", x, ")"));
}

// Scatters and gathers of rows in turn, under the same limit.
std::string Scatters(uint32_t layers) {
  Text text("scatters");
  const std::string table = "bf16[8192,512]", rows = "bf16[1024,512]";
  std::string x = text.Parameter("table", table);
  for (uint32_t i = 0; i < layers; ++i) {
    const std::string which = text.Parameter("which", "s32[1024]");
    const std::string found = text.Add("gather", rows,
                                       absl::StrCat("gather(", x, ", ", which,
                                                    "), offset_dims={1}, collapsed_slice_dims={0}, "
                                                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,512}"));
    const std::string scaled =
        text.Binary("multiply", rows, text.Unary("tanh", rows, found), text.Parameter("scale", rows));
    const std::string shifted = text.Binary("add", rows, scaled, text.Parameter("shift", rows));
    const std::string gate = text.Unary("logistic", rows, text.Unary("negate", rows, text.Unary("abs", rows, shifted)));
    const std::string changed = text.Binary("multiply", rows, shifted, gate);
    x = text.Add("scatter", table,
                 absl::StrCat("scatter(", x, ", ", which, ", ", changed,
                              "), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                              "index_vector_dim=1, to_apply=%add_bf16"));
  }
  return text.Finish(table, absl::StrCat("negate(", x, ")"));
}

// Caches of which each layer writes one row, under the same limit.
std::string Caches(uint32_t layers) {
  Text text("caches");
  const std::string cache = "bf16[2048,1024]", row = "bf16[1,1024]";
  std::string x = text.Parameter("token", row);
  const std::string at = text.Parameter("at", "s32[]"), zero = text.Constant("s32", "0");
  std::string all = "tuple(", shapes = "(";
  for (uint32_t i = 0; i < layers; ++i) {
    const std::string old = text.Parameter("cache", cache);
    const std::string scaled = text.Binary("multiply", row, x, text.Parameter("scale", row));
    const std::string shifted = text.Binary("add", row, scaled, text.Parameter("shift", row));
    const std::string active =
        text.Binary("multiply", row, text.Unary("tanh", row, shifted), text.Unary("logistic", row, shifted));
    const std::string next =
        text.Add("dynamic-update-slice", cache,
                 absl::StrCat("dynamic-update-slice(", old, ", ", active, ", ", at, ", ", zero, ")"));
    x = text.Binary("add", row, x, active);
    absl::StrAppend(&all, i == 0 ? "" : ", ", next);
    absl::StrAppend(&shapes, i == 0 ? "" : ", ", cache);
  }
  return text.Finish(shapes + ")", all + ")");
}

constexpr OomModuleRow kRows[] = {
    {"mlp", "dense layers and the way back; what was saved comes as arguments", "E1000", "", 44, Mlp},
    {"transformer", "attention and the way back; the saved scores come as arguments", "E1000", "", 16, Transformer},
    {"convolutions", "convolutions over images and the way back; the saved images come as arguments", "E1000", "", 90,
     Convolutions},
    {"embeddings", "tables that are looked into; the arguments alone are too large", "E1000", "", 72, Embeddings},
    {"optimizer", "a step of Adam without donation: old and new side by side", "E1000", "", 40, Optimizer},
    {"softmaxes", "softmax upon softmax under a small limit of scoped VMEM", "E1001",
     "xla_tpu_scoped_vmem_limit_kib=16", 60, Softmaxes},
    {"caches", "caches of which each layer writes one row, under a small limit of scoped VMEM", "E1001",
     "xla_tpu_scoped_vmem_limit_kib=16", 52, Caches},
    {"scatters", "gathers and scatters of rows in turn under a small limit of scoped VMEM", "E1001",
     "xla_tpu_scoped_vmem_limit_kib=16", 44, Scatters},
};

}  // namespace

std::span<const OomModuleRow> OomModules() { return kRows; }

}  // namespace oomph::hlo
