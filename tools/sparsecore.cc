// See sparsecore.h.
#include "tools/sparsecore.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/base/words.h"
#include "models/message/sparsecore_oom.h"
#include "models/mlir/read.h"
#include "models/sparsecore/explain.h"

namespace oomph {
namespace {

namespace fs = std::filesystem;
using sparsecore::FromMlir;
using sparsecore::Target;

constexpr size_t kMostFiles = 1000;

void Line(std::string& out, const std::string& what, const std::string& value) {
  absl::StrAppend(&out, absl::StrFormat("  %-14s %s\n", what, value));
}

std::string Words(int64_t words) { return words == 1 ? "1 word" : absl::StrCat(words, " words"); }

std::string MemoryText(const SparseCoreOom& oom) {
  const std::string printed = Printable(oom.space);
  if (!oom.memory) return printed;
  const std::string name(SparseCoreSpaceName(*oom.memory));
  return absl::StrCat(name == printed ? name : absl::StrCat(printed, ", ", name), ", in words of ", SparseCoreWordBytes(*oom.memory), " bytes");
}

// What can be done, by openxla.org's page of the error and by what was measured.
std::string AdviceFor(const SparseCoreOom& oom) {
  if (!oom.memory) return "smaller buffers in this memory";
  switch (*oom.memory) {
    case SparseCoreSpace::kHbm:
      return "one temporary buffer is too large for HBM. Of embeddings: shard tables and inputs over more cores, and lower "
             "max_ids_per_partition and max_unique_ids_per_partition to what the data needs";
    case SparseCoreSpace::kSpmem:
      return "smaller VMEM and VMEM_SHARED scratch (scratch_types): kernel-level VMEM counts 16 times here, for each tile once; buffers "
             "of a part of the kernel only in a run_scoped";
    case SparseCoreSpace::kTileSpmem:
      return "smaller blocks or scratch, buffers in run_scoped for as long as they are used only; a run_scoped that is the last of its "
             "branch is taken out of it and shares nothing";
    case SparseCoreSpace::kSmemTile:
    case SparseCoreSpace::kSmemScs:
      return "smaller SMEM scratch; arrays are padded as in VMEM, to 128 elements, or to 8 with use_tc_tiling_on_sc=False";
    case SparseCoreSpace::kSflagTile:
    case SparseCoreSpace::kSflagScs:
      return "fewer semaphores at once; every sync_copy takes one for as long as it runs";
  }
  return "";
}

// By the published formulas (openxla.org, the SparseCore guide), for `replicas` = 1: bytes of the stack in HBM.
std::string StackText(uint64_t feature_width, uint64_t max_unique, bool forward) {
  const unsigned __int128 factor = forward ? static_cast<unsigned __int128>(2) * feature_width + 1 : static_cast<unsigned __int128>(3) * feature_width;
  const unsigned __int128 bytes = factor * max_unique * 4;
  if (factor > UINT64_MAX || bytes > UINT64_MAX) return "more than 64 bits hold";
  return absl::StrCat(WithThousands(static_cast<uint64_t>(bytes)), " bytes");
}

constexpr std::string_view kForward = "(2 x feature width + 1) x max_unique_nz x replicas x 4 bytes";
constexpr std::string_view kBackward = "3 x feature width x max_unique_nz x replicas x 4 bytes";

std::string ExplainOom(const SparseCoreOom& oom) {
  std::string out = "E3000 CompileTimeSparseCoreAllocationFailure\n";
  if (!oom.place.empty()) Line(out, "place", Printable(oom.place));
  if (!oom.value.empty()) Line(out, "operation", absl::StrCat(Printable(oom.value), " = memref.alloca : ", Printable(oom.type)));
  Line(out, "memory", MemoryText(oom));
  Line(out, "words", Words(oom.words));
  const bool is_sane = oom.words > 0 && oom.bound >= oom.words - 1 && oom.limit >= 0;
  if (is_sane) {
    Line(out, "from word", absl::StrCat(oom.base(), ": so many lie below it"));
    Line(out, "last word", absl::StrCat(oom.bound, " of ", oom.limit, ": ", Words(oom.bound - oom.limit), " too much"));
  } else {
    Line(out, "note", "the numbers are wrapped: a size of 2^58 words or more, or several of them");
  }
  Line(out, "what helps", AdviceFor(oom));
  if (oom.memory == SparseCoreSpace::kHbm) {
    Line(out, "published", absl::StrCat("of embeddings, not measured: forward ", std::string(kForward)));
    Line(out, "", absl::StrCat("backward ", std::string(kBackward)));
  }
  return out;
}

std::string ExplainTable(const EmbeddingTable& table) {
  std::string out = "E3001 CompileTimeSparseCoreInvalidReplicaCount\n";
  Line(out, "table", absl::StrCat("feature width ", table.feature_width, ", ", table.sample_count, " samples, at most ", table.max_nz_per_row,
                                  " ids and ", table.max_unique_nz_per_row, " different ones in a partition"));
  Line(out, "fixed", WithThousands(table.fixed_bytes) + " bytes");
  Line(out, "by rows", WithThousands(table.row_dependent_bytes) + " bytes");
  Line(out, "memory", WithThousands(table.spmem_bytes) + " bytes of a tile");
  uint64_t sum = 0;
  const bool wraps = __builtin_add_overflow(table.fixed_bytes, table.row_dependent_bytes, &sum);
  if (wraps) {
    Line(out, "note", "their sum does not fit 64 bits");
  } else if (sum > table.spmem_bytes) {
    Line(out, "too much by", WithThousands(sum - table.spmem_bytes) + " bytes, with the last split that was tried");
  }
  Line(out, "published", "the stack in HBM of such a table, for one replica; formulas of the guide, not measured:");
  Line(out, "  forward", absl::StrCat(StackText(table.feature_width, table.max_unique_nz_per_row, true), "   ", std::string(kForward)));
  Line(out, "  backward", absl::StrCat(StackText(table.feature_width, table.max_unique_nz_per_row, false), "   ", std::string(kBackward)));
  std::string helps = "lower max_ids_per_partition and max_unique_ids_per_partition to what the data needs, shard the table over more cores";
  if (table.fixed_bytes > table.spmem_bytes) helps += "; the fixed part alone is too much, so fewer ids do not do";
  Line(out, "what helps", helps);
  return out;
}

// The chips whose limit a message names; all of them where none does.
std::vector<Target> TargetsOf(const SparseCoreOom& oom) {
  std::vector<Target> with, all;
  for (int i = 0; i < sparsecore::kTargets; ++i) {
    const Target target = static_cast<Target>(i);
    all.push_back(target);
    const bool fits = oom.memory && oom.limit >= 0 && sparsecore::LimitOf(target, *oom.memory).last_word == static_cast<uint64_t>(oom.limit);
    if (fits) with.push_back(target);
  }
  return with.empty() ? all : with;
}

// The files that the compiler writes before it plans; where there is none, all MLIR.
absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& dump) {
  std::vector<std::string> before, all;
  std::error_code error;
  for (fs::directory_iterator at(dump, error), end; !error && at != end && all.size() < kMostFiles; at.increment(error)) {
    const std::string path = at->path().string();
    if (!path.ends_with(".mlir")) continue;
    all.push_back(path);
    if (path.ends_with("_unoptimized.mlir")) before.push_back(path);
  }
  if (error) return absl::NotFoundError(absl::StrCat(dump, ": ", error.message()));
  std::vector<std::string>& files = before.empty() ? all : before;
  if (files.empty()) return absl::NotFoundError(absl::StrCat(dump, ": it has no file that ends in .mlir"));
  std::sort(files.begin(), files.end());
  return std::move(files);
}

absl::StatusOr<std::string> FindIn(const std::string& dump, const SparseCoreOom& oom) {
  const auto files = FilesOf(dump);
  if (!files.ok()) return files.status();
  std::optional<std::pair<sparsecore::Found, std::string>> best;  // and its explanation
  std::string unread;
  for (const std::string& file : *files) {
    const auto text = ReadTextFile(file);
    const auto module = text.ok() ? mlir::Read(file, *text) : absl::StatusOr<mlir::Module>(text.status());
    if (!module.ok()) {
      absl::StrAppend(&unread, "Not read: ", OneLine(std::string(module.status().message())), "\n");
      continue;
    }
    for (const Target target : TargetsOf(oom)) {
      const auto programs = sparsecore::ReadPrograms(file, *module, target);
      if (!programs.ok()) continue;
      const auto found = sparsecore::FindInDump(oom, *programs);
      if (!found || (best && best->first.by <= found->by)) continue;
      best.emplace(*found, sparsecore::ExplainFound(oom, file, *programs, *found));
    }
  }
  if (best) return unread + best->second;
  return absl::StrCat(unread, "In ", dump, " no allocation in ", Printable(oom.space), " takes ", Words(oom.words), ".\n");
}

}  // namespace

absl::StatusOr<std::vector<FromMlir>> SparseCoreProgramsIn(const std::string& name, const std::string& text, const std::string& chip) {
  const auto module = mlir::Read(name, text);
  if (!module.ok()) return module.status();
  const auto target = sparsecore::FindTarget(chip.empty() ? "v6e" : chip);
  if (!target) return absl::InvalidArgumentError(absl::StrCat("--chip: SparseCore programs are for no ", chip));
  return sparsecore::ReadPrograms(name, *module, *target);
}

bool IsDumpAfterPlanning(std::string_view text) {
  return text.find("#sc_tpu.alloc_high_water_mark<") != text.npos && text.find("memref.alloca") == text.npos;
}

absl::StatusOr<std::string> ExplainSparseCoreMessagesIn(std::string_view text, const std::string& dump) {
  std::string out;
  if (const auto oom = ReadSparseCoreOom(text); oom.ok()) {
    out += ExplainOom(*oom);
    if (!dump.empty()) {
      const auto found = FindIn(dump, *oom);
      if (!found.ok()) return found.status();
      absl::StrAppend(&out, "\n", *found);
    }
  }
  if (const auto table = ReadEmbeddingTable(text); table.ok()) out += ExplainTable(*table);
  return out;
}

}  // namespace oomph
