// The measured kernels of the folder that OOMPH_KERNEL_CASES names, row by row: the model tells the measured figure, or
// the reason why it does not stands in a table here. Skipped where there is no such folder.
//
// Its files are tables with tabs. Each has a function that makes the kernel of a row from its words.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "models/message/number.h"
#include "models/vmem/allocator.h"
#include "models/vmem/specification.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

using Row = std::vector<std::string>;

// How a row went. What is not equal is a row that the model does not cover, for a reason, or wrong.
struct Count {
  size_t equal = 0, bounded = 0;
  std::map<std::string, size_t> left;  // by reason
};

Kernel Parsed(const std::string& text) {
  Kernel kernel;
  const absl::Status status = ParseKernel("case", text, kernel);
  EXPECT_TRUE(status.ok()) << status << "\n" << text;
  return kernel;
}

std::optional<uint64_t> Number(std::string_view text) {
  double value = 0;
  if (!absl::SimpleAtod({text.data(), text.size()}, &value)) return std::nullopt;
  return static_cast<uint64_t>(value);
}

// The names of types in the tables.
std::string TypeWord(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"float32", "f32"}, {"bfloat16", "bf16"}, {"int8", "s8"},
      {"int4", "s4"},     {"bool", "pred"},     {"bool_", "pred"},
      {"int16", "s16"},   {"int32", "s32"},     {"float8_e4m3fn", "f8e4m3fn"}};
  for (const auto& [from, to] : kNames) {
    if (name == from) return std::string(to);
  }
  return "?";
}

// "(3, 1, 128)" as "3,1,128".
std::string SizesOf(std::string text) {
  std::string sizes;
  for (const char c : text) {
    if ((c >= '0' && c <= '9') || c == ',') sizes += c;
  }
  if (sizes.ends_with(',')) sizes.pop_back();
  return sizes;
}

class KernelCases : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("OOMPH_KERNEL_CASES");
    if (folder == nullptr) GTEST_SKIP() << "OOMPH_KERNEL_CASES names no folder of measured kernels";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".tsv") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      std::vector<Row>& rows = files_[entry.path().filename().string()];
      for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
        rows.push_back(absl::StrSplit(line, '\t'));
      }
    }
    ASSERT_FALSE(files_.empty());
  }
  void TearDown() override {
    if (count_.equal > 0)
      std::printf("%zu figures exact, %zu within the bound that is told\n", count_.equal, count_.bounded);
    for (const auto& [why, rows] : count_.left) std::printf("%zu figures left: %s\n", rows, why.c_str());
  }

  // The figure of a kernel. One that is a bound must hold and be told as one.
  void Meet(const Kernel& kernel, uint64_t measured, const std::string& where) {
    const Need need = NeedOf(kernel);
    if (need.total == measured) {
      ++count_.equal;
    } else if ((need.at_most && !need.at_least && measured < need.total) ||
               (need.at_least && !need.at_most && measured > need.total)) {
      ++count_.bounded;
    } else {
      ADD_FAILURE() << where << ": measured " << measured << ", told "
                    << (need.at_least ? need.at_most ? "" : "at least " : "at most ") << need.total << "\n"
                    << PrintKernel(kernel);
    }
  }
  // Left: the row says what the model does not cover.
  void Leave(const char* why, size_t rows = 1) { count_.left[why] += rows; }

  const std::vector<Row>& Rows(const std::string& file) {
    static const std::vector<Row> kNone;
    const auto found = files_.find(file);
    return found == files_.end() ? kNone : found->second;
  }

  std::map<std::string, std::vector<Row>> files_;
  Count count_;
};

// --- random kernels ---

TEST_F(KernelCases, RandomKernels) {
  // Two of the rows: a value of a large block goes to two outputs, and the compiler spills some of it.
  std::vector<uint64_t> spills;  // bytes
  for (const Row& row : Rows("v5e.tsv")) {
    if (row.size() < 6 || row[0] == "topology") continue;
    const std::optional<uint64_t> measured = Number(row[2]);
    if (!measured) {
      Leave("its arrays do not fit HBM");
      continue;
    }
    Kernel kernel = Parsed(row[5]);
    kernel.limit_bytes = 96 << 20;
    if (row[4] != "no+4096") {
      Meet(kernel, *measured, row[5]);
      continue;
    }
    spills.push_back(*measured - NeedOf(kernel).total);
    Leave("one value of a large block is stored to two outputs, and spilled");
  }
  if (!Rows("v5e.tsv").empty()) {
    EXPECT_EQ(spills, (std::vector<uint64_t>{4096, 8192}));
  }
}

// --- padding ---

TEST_F(KernelCases, Padding) {
  for (const char* file : {"padding_v5e.tsv", "padding_v6e.tsv", "padding_v7x.tsv"}) {
    for (const Row& row : Rows(file)) {
      if (row.size() < 4) continue;
      const std::string type = TypeWord(row[1]), sizes = SizesOf(row[2]),
                        where = absl::StrCat(file, " ", row[1], row[2]);
      const std::string head = absl::StrCat("kernel ", row[0] == "v7x" ? "7x" : row[0]);
      if (row.size() == 4) {  // a squeezed dimension in front; half of two windows
        const std::optional<uint64_t> measured = Number(row[3]);
        if (!measured) {
          Leave("int2, or a type that this chip does not take");
          continue;
        }
        // Arrays of 300 MiB, which are not moved to VMEM.
        const Kernel kernel = Parsed(absl::StrCat(head, " grid(4) in ", type, "[314572800,", sizes, "]/_x",
                                                  absl::StrReplaceAll(sizes, {{",", "x"}}), "@(i)"));
        Meet(kernel, 2 * *measured, where);
        continue;
      }
      if (const std::optional<uint64_t> whole = Number(row[3])) {
        Meet(Parsed(absl::StrCat(head, " in ", type, "[", sizes, "]")), *whole, where + " whole");
      }
      if (const std::optional<uint64_t> half = Number(row[4])) {
        Meet(Parsed(absl::StrCat(head, " grid(2) in ", type, "[2684354560]/", sizes, "@(i)")), 2 * *half, where);
      } else {
        Leave("Pallas takes no such block");
      }
    }
  }
}

// --- scratch operands and scoped buffers ---

TEST_F(KernelCases, ScopedBuffers) {
  for (const Row& row : Rows("scoped_buffers_v5e.tsv")) {
    if (row.size() < 6 || row[0] == "topology") continue;
    const std::string buffer = absl::StrCat(TypeWord(row[1]), "[", SizesOf(row[2]), "]");
    const std::optional<uint64_t> scoped = Number(row[3]), scratch = Number(row[4]);
    if (!scoped || !scratch) {
      Leave("not compiled: arrays beyond HBM, or rank 1 not of whole tiles");
      continue;
    }
    Meet(Parsed("scoped " + buffer), *scoped, "scoped " + buffer);
    Meet(Parsed("scratch " + buffer), *scratch, "scratch " + buffer);
  }
}

// The words of an experiment to the statements of its kernel, beside an output of 4096 bytes.
std::string ScratchKernel(const std::string& words) {
  constexpr std::pair<const char*, const char*> kScopes[] = {
      {"seq 1 ", "f32[64,128]"},
      {"seq 2 ", "f32[64,128] f32[64,128]"},
      {"seq 3 ", "f32[64,128] f32[64,128] f32[64,128]"},
      {"nest 2 ", "f32[64,128]{f32[64,128]}"},
      {"nest 3 ", "f32[64,128]{f32[64,128]{f32[64,128]}}"},
      {"cond 2 ", "f32[64,128] f32[64,128]"},
      {"loop 4 ", "f32[64,128]"},
      {"together 2 ", "f32[64,128]{f32[64,128]}"},
      {"nest-seq 3 ", "f32[64,128]{f32[64,128]} f32[64,128]"},
      {"together 3 of 512", "f32[1,128]{f32[1,128]{f32[1,128]}}"},
      {"SMEM ", ""},
  };
  if (words.starts_with("run_scoped: ")) {
    for (const auto& [name, scopes] : kScopes) {
      if (words.find(name) == 12) return absl::StrCat("scoped ", scopes);
    }
    return "?";
  }
  std::vector<std::string> parts = absl::StrSplit(words, ' ');
  if (words.starts_with("scratch: VMEM ")) {
    return absl::StrCat("scratch ", TypeWord(parts.back()), "[", SizesOf(parts[2]), "]");
  }
  if (words.starts_with("scratch: SMEM ")) return "scratch";
  if (words.find("semaphore") != words.npos) return "scratch f32[8,128]";
  if (words.find(" x f32(") == words.npos) return "?";  // "scratch: 2 x f32(3, 1, 128)"
  std::string text = "scratch";
  for (int i = std::atoi(parts[1].c_str()); i > 0; --i) {
    absl::StrAppend(&text, " f32[", SizesOf(words.substr(words.find(" x f32(") + 6)), "]");
  }
  return text;
}

TEST_F(KernelCases, Scratch) {
  const std::vector<Row>& rows = Rows("scratch.tsv");
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::string kernel = ScratchKernel(rows[i][0]);
    if (kernel == "?" || rows[i][0].find("(1,1) ") != std::string::npos) {
      EXPECT_TRUE(kernel != "?" || rows[i][0].starts_with("emit_pipeline")) << rows[i][0];
      Leave(kernel == "?" ? "emit_pipeline: the kernel makes its buffers itself"
                          : "(1,1) in an array of (1,1): 512 more, unexplained",
            rows[i].size() - 1);
      continue;
    }
    for (size_t chip = 1; chip < rows[i].size(); ++chip) {
      const std::optional<uint64_t> measured = Number(rows[i][chip]);
      if (!measured) {
        Leave("no DMA of bool");
        continue;
      }
      std::string name = rows[0][chip] == "v7x" ? "7x" : rows[0][chip];
      // The output block of this table is 8x128 of a large array; only in `nogrid` rows it is an array of 8x128.
      const bool small = rows[i][0].find("nogrid") != std::string::npos;
      Meet(Parsed(absl::StrCat("kernel ", name,
                               small ? " out f32[8,128] " : " grid(4) out f32[131072,8,128]/_x8x128@(0,0,0) ", kernel)),
           *measured, rows[0][chip] + " " + rows[i][0]);
    }
  }
}

// --- buffering ---

// "(4, 1)" of "buf: grid(4, 1) in map i, const out".
std::string BufferingKernel(const std::string& words) {
  const std::string big = "f32[131072,8,128]/_x8x128";
  const std::string row = "f32[131072,1,128]/_x1x128", three = "f32[131072,3,1,128]/_x3x1x128",
                    five = "f32[131072,5,1,128]/_x5x1x128";
  const std::string constant = " out " + big + "@(0)", grid = "grid(4) ";
  const auto times = [](size_t n, const std::string& operand) {
    std::string text;
    for (size_t i = 0; i < n; ++i) text += " in " + operand;
    return text;
  };
  const auto starts = [&](std::string_view head) { return words.starts_with(head); };
  if (starts("align: vary 512 x")) return grid + times(words.back() - '0', row + "@(i)") + constant;
  if (starts("align: vary 1536 x")) return grid + times(1, three + "@(i)") + constant;
  if (starts("align: vary 2560")) return grid + times(words.back() - '0', five + "@(i)") + constant;
  if (starts("align: "))
    return grid + times(words[7] - '0', (words.find("512B") != words.npos ? row : three) + "@(0)") + constant;
  if (const size_t at = words.find("Buffered("); at != words.npos) {
    const std::string n = absl::StrCat("*", words.substr(at + 9, 1));
    if (starts("buf: vary out")) return grid + "out " + big + "@(i)" + n;
    return grid + times(1, (starts("buf: vary 512") ? row : big) + (starts("buf: const") ? "@(0)" : "@(i)") + n) +
           constant;
  }
  if (starts("buf: vary in, vary out, "))
    return absl::StrCat("grid(", words.substr(29, 1), ") in ", big, "@(i) out ", big, "@(i)");
  if (starts("buf: nogrid")) return "in f32[8,128] out f32[8,128]";
  if (starts("buf: const in, vary out")) return grid + "in " + big + "@(0) out " + big + "@(i)";
  if (starts("buf: vary in, const out")) return grid + "in " + big + "@(i)" + constant;
  if (starts("buf: grid(") || starts("buf: map ")) {
    const bool map = starts("buf: map ");
    std::string sizes = map ? "4,4" : SizesOf(words.substr(9, words.find(')') - 9)), place;
    if (map) {
      place = words.substr(9);
      if (place.starts_with("where")) place = "min(i,100)";  // as good: a choice that is not proved constant
      if (place == "i-i") place = "i*0";
    } else {
      place = words.substr(words.find("map ") + 4);
      place = place.substr(0, place.find(','));
      if (place == "ij") place = "i*4+j";
      if (place == "c") place = "3";
    }
    const bool out = words.find(" out map ") != words.npos;
    return absl::StrCat("grid(", sizes, ") ", out ? "out " : "in ", big, "@(", place, ")", out ? "" : constant);
  }
  if (starts("sem: ")) {
    if (starts("sem: core")) return "?";  // the compiler declines more steps than cores
    return absl::StrCat(grid, "sem(", words.substr(5, 1), ") in ", big, "@(i) out ", big, "@(i)");
  }
  if (starts("alias: in->out")) return grid + "in " + big + "@(i) out " + big + "@(i)";
  if (starts("alias: in const")) return grid + "in " + big + "@(0)" + constant;
  if (starts("same operand twice")) return grid + times(2, big + "@(i)") + " out " + big + "@(i)";
  for (const auto& [head, space] : {std::pair{"ANY", "@any"}, {"HBM", "@hbm"}, {"SMEM", "@smem"}, {"VMEM", ""}}) {
    if (words == absl::StrCat("space: whole-array in ", head, " (8,128)"))
      return grid + "in f32[8,128]" + space + constant;
    if (words == absl::StrCat("space: whole-array in ", head, " nogrid"))
      return absl::StrCat("in f32[8,128]", space, " out f32[8,128]");
  }
  if (starts("space: SMEM blocked")) return grid + "in s32[131072,8,128]/_x8x128@(i)@smem" + constant;
  if (starts("space: VMEM blocked")) return grid + "in " + big + "@(i)" + constant;
  if (starts("space: whole-array out ANY")) return grid + "in " + big + "@(i) out f32[8,128]@any";
  if (starts("space: whole-array out VMEM")) return grid + "in " + big + "@(i) out f32[8,128]";
  if (starts("space: whole in ")) return grid + "in f32[1024,1024]" + constant;
  // Scratch and scopes that nothing reads: nothing is kept of them.
  if (starts("scratch: ") || starts("run_scoped: ")) return grid + "out " + big + "@(0)";
  if (starts("scalar prefetch: ")) {
    const bool depends = words.ends_with("depends on it: 1");
    return grid + "prefetch s32[8] in " + big + (depends ? "@(p0[i])" : "@(i)") + constant;
  }
  return "?";
}

TEST_F(KernelCases, Buffering) {
  const std::vector<Row>& rows = Rows("buffering.tsv");
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::string text = BufferingKernel(rows[i][0]);
    for (size_t chip = 1; chip < rows[i].size(); ++chip) {
      const std::optional<uint64_t> measured = Number(rows[i][chip]);
      if (!measured) {
        Leave("Buffered(3), lookahead, core_parallel of 4 steps");
        continue;
      }
      ASSERT_NE(text, "?") << rows[i][0];
      const std::string name = rows[0][chip] == "v7x" ? "7x" : rows[0][chip];
      Meet(Parsed("kernel " + name + " " + text), *measured, name + " " + rows[i][0]);
    }
  }
}

// --- limits ---

std::optional<int64_t> SignedAfter(const std::string& words, std::string_view key) {
  const size_t at = words.find(std::string(key));
  if (at == words.npos) return std::nullopt;
  const std::string rest = words.substr(at + key.size());
  if (rest.starts_with("None")) return std::nullopt;
  return std::strtoll(rest.c_str(), nullptr, 10);
}

bool Prints(const std::optional<PrintedBytes>& exact, const std::string& text) {
  const absl::StatusOr<PrintedBytes> printed = ParseBytes(text);
  return exact && printed.ok() && printed->negative == exact->negative &&
         Contains({printed->lowest, printed->highest, false}, exact->lowest);
}

// "E1001 size 18.00M limit 16.00M by 2.00M", "OK used 16777216 limit -", or a text of capacity, of which the start is
// kept.
void MeetVerdict(const Kernel& kernel, const std::string& told, const std::string& where, Count& count) {
  Answer answer;
  RunModel(kernel, answer);
  const std::vector<std::string> words = absl::StrSplit(told, ' ');
  if (words[0] == "OK") {
    EXPECT_TRUE(answer.status == Status::kAccepted || !answer.at_least) << where;
    if (words.size() < 3) return void(++count.equal);
    const uint64_t used = *Number(words[2]);
    EXPECT_TRUE(used == *answer.used || (!answer.at_least && used < *answer.used)) << where << " " << *answer.used;
    EXPECT_TRUE(words[4] == "-" || answer.limit == static_cast<int64_t>(*Number(words[4]))) << where;
    return void(used == *answer.used ? ++count.equal : ++count.bounded);
  }
  if (words[0] == "E1001" && !answer.at_least) {  // what is told is the most that it can be
    EXPECT_EQ(answer.status, Status::kOverLimit) << where;
    EXPECT_TRUE(ParseBytes(words[2])->lowest <= answer.printed_size->lowest && Prints(answer.printed_limit, words[4]))
        << where;
    return void(++count.bounded);
  }
  if (words[0] == "E1001") {
    EXPECT_EQ(answer.status, Status::kOverLimit) << where;
    EXPECT_TRUE(Prints(answer.printed_size, words[2])) << where << " " << told << "\n" << answer.message;
    EXPECT_TRUE(Prints(answer.printed_limit, words[4])) << where << " " << told << "\n" << answer.message;
    EXPECT_NE(answer.message.find("size " + words[2] + " and limit " + words[4] + " exceeded scoped vmem limit by " +
                                  words[6] + "."),
              std::string::npos)
        << answer.message << told;
    return void(++count.equal);
  }
  // The compiler's words without names and line ends, as far as the table has them.
  std::string message;
  for (const char c : answer.message) {
    const bool gap = c == ' ' || c == '\n';
    if (!gap || (!message.empty() && message.back() != ' ')) message += gap ? ' ' : c;
  }
  std::string expected = told.substr(std::string("ERR JaxRuntimeError: RESOURCE_EXHAUSTED: ").size());
  expected = absl::StrReplaceAll(expected, {{"Operator: op_name=\"jit(f)/pallas_call\" ", ""}});
  expected = expected.substr(0, std::min(expected.find(" Operator:"), expected.find(" XLA label:")));
  EXPECT_EQ(answer.status, Status::kOverCapacity) << where;
  EXPECT_EQ(message.substr(0, expected.size()), expected) << where;
  ++count.equal;
}

TEST_F(KernelCases, Limits) {
  for (const char* file : {"limits_v5e_v7x.tsv", "limits_v6e_v4.tsv"}) {
    for (const Row& row : Rows(file)) {
      if (row.size() < 3) continue;
      const uint64_t bytes = static_cast<uint64_t>(*SignedAfter(row[1], "kernel "));
      const uint64_t rows = bytes / 4 / 1024 / 4,
                     steps = bytes < (32u << 20)                                                  ? 8
                             : bytes < (64u << 20) && row[1].find("default") != std::string::npos ? 8
                                                                                                  : 2;
      const std::string operand = absl::StrCat(" f32[", rows * steps, ",1024]/", rows, "x1024@(i,0)");
      Kernel kernel = Parsed(
          absl::StrCat("kernel ", row[0] == "v7x" ? "7x" : row[0], " grid(", steps, ") in", operand, " out", operand));
      kernel.option_kib = SignedAfter(row[1], "option ");
      kernel.limit_bytes = SignedAfter(row[1], "vmem_limit_bytes ");
      if (row[2].starts_with("CRASH")) {
        Leave("option 0 with vmem_limit_bytes: a fault of the compiler");
      } else {
        MeetVerdict(kernel, row[2], row[0] + " " + row[1], count_);
      }
    }
  }
}

TEST_F(KernelCases, Boundary) {
  for (const Row& row : Rows("boundary.tsv")) {
    if (row.size() < 3) {
      Leave("a summary of 25 verdicts, and the breakdown of v4 below");
      continue;
    }
    if (row[1].starts_with("order: ")) {
      Kernel kernel =
          Parsed(absl::StrCat("kernel ", row[0],
                              " grid(4) in f32[131072,16,128]/_x16x128@(i) in f32[131072,32,128]/_x32x128@(i) out "
                              "f32[131072,8,128]/_x8x128@(i) scratch f32[64,128] f32[64,128] scoped f32[64,128]"));
      kernel.limit_bytes = *SignedAfter(row[1], "limit ") * 1024;
      MeetVerdict(kernel, row[2], row[0] + " " + row[1], count_);
    } else if (row[1].starts_with("operand ")) {
      const std::string names[] = {"whole ", "rows 64x256", "columns ", "rows 12x256"};
      const std::string inputs[] = {
          "grid(1) in f32[256,256]S(1)/256x256@(0,0)", "grid(4) in f32[256,256]S(1)/64x256@(i,0)",
          "grid(4) in f32[256,512]S(1)/256x128@(0,i)", "grid(3) in f32[48,256]S(1)/16x256@(i,0)"};
      for (size_t i = 0; i < 4; ++i) {
        if (!row[1].starts_with("operand " + names[i])) continue;
        Kernel kernel = Parsed("kernel " + row[0] + " " + inputs[i] + " out f32[1048576,128]/8x128@(0,0)");
        if (const auto there = Number(row[3])) Meet(kernel, *there, row[1]);
        kernel.inputs[0].in_vmem = false;
        Meet(kernel, *Number(row[2]), row[1]);
      }
    } else if (row[1] == "breakdown" && row[0] == "v4") {
      Kernel kernel = Parsed(
          "kernel v4 limit 1073741824 grid(4) in f32[16384,1024]/1024x1024@(i,0) in f32[40,1024,1024]@any out "
          "f32[8192,1024]/512x1024@(i,0) out f32[40,1024,1024]@any scratch f32[1024,1024] scoped f32[1024,1024]");
      MeetVerdict(kernel, "ERR " + row[2], "breakdown", count_);
    } else {
      Leave("breakdown of v5e: it compiled");
    }
  }
}

// --- bodies ---

TEST_F(KernelCases, HeavyBodiesAreNeverAboveTheCompiler) {
  for (const Row& row : Rows("internal_v5e.tsv")) {
    if (row.size() < 3 || row[0] == "body") continue;
    const std::optional<uint64_t> windows = Number(row[1]), internal = Number(row[2]);
    if (!windows || !internal) {
      Leave("not compiled");
      continue;
    }
    // Of these rows the sum of the windows is given: one window of as many bytes.
    Kernel kernel = Parsed(
        absl::StrCat("grid(4) in s8[99999,", *windows / 1024, ",8,128]/_x", *windows / 1024, "x8x128@(0,0,0,0)"));
    if (row[0].starts_with("copy") || row[0].starts_with("exp")) {
      kernel.body = row[0].starts_with("copy") ? Body::kCopies : Body::kExp;
    } else {
      kernel.body = Body::kChain;
    }
    Meet(kernel, *windows + *internal, row[0]);
    if (*internal == 0) continue;
    kernel.internal_bytes = *internal;  // as an input: exact
    EXPECT_TRUE(NeedOf(kernel).at_most);
    Meet(kernel, *windows + *internal, row[0]);
  }
}

// --- plain operations, which choose their windows by the limit ---

TEST_F(KernelCases, TablesWithoutKernelsAreLeft) {
  for (const auto& [file, rows] : files_) {
    if (!file.starts_with("hlo_")) continue;
    Leave("plain operations, which choose their windows by the limit", rows.size());
  }
}

}  // namespace
}  // namespace oomph::vmem
