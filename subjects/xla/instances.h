// The instances of XLA's own unit tests of its heap simulator and of its best-fit repacker, as facts: what goes in, and
// which offsets, heaps and bytes must come out. Rewritten in a form of ours; the names are those of XLA's tests.
// Not for: running them (see instances_test.cc).
#ifndef OOMPH_SUBJECTS_XLA_INSTANCES_H_
#define OOMPH_SUBJECTS_XLA_INSTANCES_H_

#include <cstdint>
#include <string_view>

namespace oomph {

// Events in the order of time, one a tick: `a10` buffer a of 10 bytes begins, `c=a40` buffer c of 40 bytes begins and
// lies where a does, `-a` a is in use for the last time.
struct HeapInstance {
  std::string_view name;
  uint64_t alignment;
  uint64_t limit;  // of one heap; 0: there is one heap without a limit
  std::string_view events;
  uint64_t heaps, bytes;
  std::string_view offsets;   // "a90 b40": of a plain heap
  std::string_view left_out;  // why it is not run
};

inline constexpr std::string_view kNoPolicy =
    "the header of the wheel has no policies that merge or split buffers between heaps";

inline constexpr HeapInstance kHeapInstances[] = {
    {"DecreasingSize", 1, 0, "a10 b30 c20 d40 -a -b -c -d", 1, 100, "a90 b40 c70 d0", ""},
    {"DecreasingSizeWithAlignment", 20, 0, "a10 b20 c50 -a d40 -b -c -d", 1, 120, "a60 b100 c0 d60", ""},
    {"BestFit", 1, 0, "a10 b20 c40 -a d30 e50 -b -c -d -e", 1, 140, "a90 b120 c50 d90 e0", ""},
    {"Colocated", 1, 0, "a40 -a b20 -b c=a40 -c", 1, 40, "a0 b0 c0", ""},
    {"ColocatedII", 1, 0, "a40 -a b20 c=a40 -c -b", 1, 60, "a0 b40 c0", ""},
    {"ColocatedIII", 1, 0, "a10 -a b30 c=a10 -c -b", 1, 40, "a30 b0 c30", ""},
    {"ColocatedDifferentSize1", 1, 0, "a40 -a b20 c=a30 -c -b", 1, 60, "a0 b40 c0", ""},
    {"ColocatedDifferentSize2", 1, 0, "a40 -a b20 c=a50 -c -b", 1, 70, "a0 b50 c0", ""},
    {"Constrained.DecreasingSize", 1, 50, "a10 b30 c20 d40 -a -b -c -d", 2, 100, "", ""},
    {"Constrained.DecreasingSizeWithAlignment", 20, 70, "a10 b20 c50 -a d40 -b -c -d", 2, 130, "", ""},
    {"Constrained.ColocatedII", 20, 50, "a30 -a b20 c=a40 -c -b", 2, 60, "", ""},
    {"Constrained.DecreasingSizeFastMerge", 1, 50, "a10 b30 c20 d40 -a -b -c -d", 3, 100, "", kNoPolicy},
    {"Constrained.DecreasingSizeFastSplit", 1, 50, "a10 b30 c20 d40 -a -b -c -d", 2, 100, "", kNoPolicy},
};

// Blocks `10-20:10`, in use from 10 to 20, both included, and of 10 bytes; behind it `=0`: lies where block 0 does;
// `[2@16 2@22]`: slices by address, each with the time from which on it is there. The memory has 100 bytes. Which
// of a block's slices lies lowest is XLA's choice where sizes allow it, and part of the problem for us: they stand here as
// it chose.
struct RepackerInstance {
  std::string_view name;
  std::string_view blocks;
  bool fits;
  std::string_view offsets;  // in the order of the blocks; empty: any that are a placement
  bool by_number = false;    // the test gives the repacker an order of its own: that of the blocks
};

inline constexpr RepackerInstance kRepackerInstances[] = {
    {"Simple", "10-20:10 5-25:15", true, "15 0"},
    {"Colocation", "0-2:10 10-20:10=0 5-25:15", true, "15 15 0"},
    {"TooLarge", "10-20:10 5-25:15 15-20:10 12-22:50 10-18:20", false, ""},
    {"ColocationDifferentSizes", "0-2:5 10-20:10=0 9-11:2 1-2:2", true, "0 0 10 5"},
    {"RepackedSlicesFit",
     "0-15:2 11-21:3 16-25:4[2@16 2@22] 26-33:4[2@26 2@30] 19-25:2[1@22 1@19] 26-29:2", true, "0 2 0 0 4 2"},
    {"SliceTimePermutationsMatchOriginalSizeTimeMapping", "0-10:2 5-15:3[2@5 1@11] 5-15:2", true, ""},
    {"SliceTimePermutationsMatchOriginalSizeTimeMapping2", "0-10:2 11-20:2 5-15:3[1@5 2@11]", true, "0 0 2",
     /*by_number=*/true},
    {"SlicedColocationsFit", "0-12:2 0-8:2 5-11:2 15-20:5[2@15 3@18] 9-14:4[2@9 2@12]=3 15-17:5", true,
     "0 2 4 2 2 4"},
    {"SlicedColocationsPermutationsMatchOriginalSizeTimeMapping",
     "1-5:2 11-15:2 1-10:5[2@6 3@1] 15-20:5[2@11 3@16]=2", true, "0 0 2 2",
     /*by_number=*/true},
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_XLA_INSTANCES_H_
