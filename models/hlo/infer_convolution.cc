// The rule of convolution: dimension labels, groups and the window.
// Not for other operations with windows (infer_reduce.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// Where the dimensions of one array stand: bf01, 01io.
struct Labels {
  int64_t first = -1, second = -1;  // batch and feature, or input and output feature
  std::vector<int64_t> spatial;
  bool good = false;
};

Labels ReadLabels(std::string_view text, char first, char second) {
  Labels labels;
  labels.spatial.assign(text.size() < 2 ? 0 : text.size() - 2, -1);
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t digit = static_cast<size_t>(text[i] - '0');
    int64_t* place = text[i] == first    ? &labels.first
                     : text[i] == second ? &labels.second
                     : text[i] >= '0' && text[i] <= '9' && digit < labels.spatial.size()
                         ? &labels.spatial[digit]
                         : nullptr;
    if (place == nullptr || *place != -1) return labels;
    *place = static_cast<int64_t>(i);
  }
  labels.good = text.size() >= 2;
  return labels;
}

struct ConvolutionLabels {
  Labels input, kernel, output;
  bool good = false;
};

// input_kernel->output
ConvolutionLabels ReadConvolution(std::string_view text) {
  const size_t kernel = text.find('_'), output = text.find("->");
  ConvolutionLabels labels;
  if (kernel == std::string_view::npos || output == std::string_view::npos || output < kernel) return labels;
  labels.input = ReadLabels(text.substr(0, kernel), 'b', 'f');
  labels.kernel = ReadLabels(text.substr(kernel + 1, output - kernel - 1), 'i', 'o');
  labels.output = ReadLabels(text.substr(output + 2), 'b', 'f');
  labels.good = labels.input.good && labels.kernel.good && labels.output.good &&
                labels.input.spatial.size() == labels.kernel.spatial.size() &&
                labels.input.spatial.size() == labels.output.spatial.size();
  return labels;
}

Sizes Pick(const Sizes& sizes, std::span<const int64_t> dimensions) {
  Sizes picked;
  for (const int64_t dimension : dimensions) picked.push_back(sizes[static_cast<size_t>(dimension)]);
  return picked;
}

struct Groups {
  int64_t features = 1, batches = 1;
};

Check ExpectGroups(const Groups& groups, int64_t batch, int64_t features, int64_t kernel_in,
                   int64_t kernel_out) {
  const bool positive =
      groups.features > 0 && groups.batches > 0 && (groups.features == 1 || groups.batches == 1);
  if (positive && features % groups.features == 0 && features / groups.features == kernel_in &&
      kernel_out % groups.features == 0 && kernel_out % groups.batches == 0 && batch % groups.batches == 0) {
    return std::nullopt;
  }
  return Wrong(
      Rule::kOperandShape,
      absl::StrCat(features, " features of ", batch, " examples in ", groups.features, " and ",
                   groups.batches, " groups do not fit a kernel from ", kernel_in, " to ", kernel_out));
}

}  // namespace

bool AreLabels(std::string_view text) { return ReadConvolution(text).good; }

Inferred InferConvolution(Context& context) {
  if (Check bad = ExpectArrays(context)) return *bad;
  ShapeBook& shapes = context.shapes;
  const std::string_view text = context.Word(Key::kDimLabels);
  const ConvolutionLabels labels = ReadConvolution(text);
  const Sizes input = shapes.SizesOf(context.operand(0)), kernel = shapes.SizesOf(context.operand(1));
  const size_t rank = labels.input.spatial.size() + 2;
  if (!labels.good) return Wrong(Rule::kAttributeValue, absl::StrCat("dim_labels=", std::string(text)));
  if (input.size() != rank || kernel.size() != rank) {
    return Wrong(Rule::kOperandShape, absl::StrCat("dim_labels=", std::string(text), " for ", context.Text(0),
                                                   " and ", context.Text(1)));
  }
  const auto at = [](const Sizes& sizes, int64_t dimension) { return sizes[static_cast<size_t>(dimension)]; };
  const Groups groups = {context.Int(Key::kFeatureGroupCount, 1), context.Int(Key::kBatchGroupCount, 1)};
  const int64_t batch = at(input, labels.input.first), made = at(kernel, labels.kernel.second);
  if (Check bad = ExpectGroups(groups, batch, at(input, labels.input.second), at(kernel, labels.kernel.first),
                               made)) {
    return *bad;
  }
  const Window window = WindowAt(context);
  if (!std::ranges::equal(Pick(kernel, labels.kernel.spatial), window.size)) {
    return Wrong(Rule::kAttributeValue, absl::StrCat("the window ", List(window.size),
                                                     " is not that of the kernel ", context.Text(1)));
  }
  const WindowSizes run = RunWindow(context, window, Pick(input, labels.input.spatial));
  if (run.failure.has_value()) return *run.failure;
  const std::optional<Type> type = ProductType(context);
  if (!type.has_value()) {
    return Wrong(Rule::kResultShape, absl::StrCat("a convolution is ", shapes.Text(context.result)));
  }
  Sizes sizes(rank);
  sizes[static_cast<size_t>(labels.output.first)] = batch / groups.batches;
  sizes[static_cast<size_t>(labels.output.second)] = made;
  for (size_t i = 0; i < run.sizes.size(); ++i) {
    sizes[static_cast<size_t>(labels.output.spatial[i])] = run.sizes[i];
  }
  return shapes.Array(*type, sizes);
}

}  // namespace oomph::hlo
