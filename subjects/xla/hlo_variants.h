// The variants of the verifier xla: one table for the plugin and for its row, so that the row costs no loading of XLA (some
// 300 ms and 300 MB in each command). Not for: how a setting is carried out (see xla_hlo_planners.h).
//
// A module is read, verified, printed, counted and planned by all heaps and by the buffer assigner under each of them; the
// settings with a limit run memory-space assignment after that. Under "evaluate" it is run instead.
#ifndef OOMPH_SUBJECTS_XLA_HLO_VARIANTS_H_
#define OOMPH_SUBJECTS_XLA_HLO_VARIANTS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace oomph::xla_hlo {

enum class Scheduler : uint8_t { kAsWritten, kList, kDepthFirst, kPostOrder, kBreadthFirst, kBest };

struct Setting {
  const char* name;
  Scheduler scheduler =
      Scheduler::kAsWritten;  // whose order the plans have; as written: the module's schedule, else its text
  int64_t alignment = 1;
  // Memory-space assignment. The limit of the memory, as parts of 16 of the bytes of all values; 0: it does not run.
  int64_t limit = 0;
  bool by_cost = false;        // when copies begin: by their cost, else by counts of instructions
  int64_t outstanding = -1;    // so many copies each way at once; -1: any number
  int64_t reserve = 0;         // what every third kind of operation has reserved, as parts of 16 of the limit
  bool one_offset = true;      // reservations at the offset 0, all of them
  bool verify = false;         // it looks for overlaps itself, and aborts
  bool tells_minimum = false;  // the bytes that no heap can be below, as the simulator counts them
  // Or the limit itself: then what an instruction says of itself is reserved (scoped_memory_configs of its backend_config).
  int64_t bytes = 0;
};

inline constexpr int64_t kVmemBytes = int64_t{128} << 20;  // of v5e

// "drawn" is one of those before it that have a limit in parts, by a hash of the entry computation's operations.
inline constexpr Setting kSettings[] = {
    {""},
    {"schedule=list", Scheduler::kList, 64},
    {"schedule=dfs", Scheduler::kDepthFirst, 8},
    {"schedule=post-order", Scheduler::kPostOrder, 1},
    {"schedule=bfs", Scheduler::kBreadthFirst, 16},
    {"schedule=best", Scheduler::kBest, 1},
    {"minimum", Scheduler::kAsWritten, 1, 0, false, -1, 0, true, false, true},
    {"msa=count", Scheduler::kAsWritten, 8, 4, false, -1, 4},
    {"msa=cost", Scheduler::kAsWritten, 1, 8, true, -1, 0, true, true},
    {"msa=tight", Scheduler::kAsWritten, 32, 2, false, 1, 8},
    {"msa=large", Scheduler::kBest, 64, 32, true, -1, 2, false},
    {"msa=over", Scheduler::kAsWritten, 8, 4, false, 2, 24},  // more is reserved than there is
    {"msa=drawn"},
    {"msa=vmem", Scheduler::kAsWritten, 1024, 0, false, -1, 0, true, false, false, kVmemBytes},
    {"evaluate"},
};
inline constexpr std::string_view kDrawn = "msa=drawn";
inline constexpr std::string_view kEvaluate = "evaluate";  // not planned, but run by HloEvaluator

constexpr bool Assigns(const Setting& setting) { return setting.limit != 0 || setting.bytes != 0; }

// Null: there is none of that name.
inline const Setting* FindSetting(std::string_view name) {
  for (const Setting& setting : kSettings) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

// The one of the settings with a limit that this number draws.
inline const Setting& Draw(uint64_t hash) {
  size_t count = 0;
  for (const Setting& setting : kSettings) count += setting.limit != 0;
  size_t index = hash % count;
  for (const Setting& setting : kSettings) {
    if (setting.limit != 0 && index-- == 0) return setting;
  }
  return kSettings[0];
}

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_HLO_VARIANTS_H_
