// How a benchmark gets a subject of the table. Not for: subjects in a child, whose speed is not theirs alone.
#ifndef OOMPH_FUZZ_BENCH_LOAD_H_
#define OOMPH_FUZZ_BENCH_LOAD_H_

#include <optional>
#include <string>
#include <utility>

#include "fuzz/bench/bench.h"
#include "fuzz/subject_table.h"

namespace oomph {

// In this process. Nothing where it cannot be had; the report then says why.
inline std::optional<Loaded> LoadOrSkip(const std::string& spec, const Family& family, BenchReport& report) {
  const auto pairs = SubjectTable::All().Find(spec, &family);
  if (!pairs.ok()) {
    report.Skip(std::string(pairs.status().message()));
    return std::nullopt;
  }
  auto loaded = SubjectTable::All().Load(pairs->front(), /*in_child=*/false);
  if (!loaded.ok()) {
    report.Skip(std::string(loaded.status().message()));
    return std::nullopt;
  }
  return *std::move(loaded);
}

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_LOAD_H_
