// A store as many campaigns leave it, written through the Store: findings of every family's planted faults and
// model with generated cases, several campaigns, things skipped, reached and not compared.
// Not for: anything but tests.
#ifndef OOMPH_FUZZ_TESTING_FULL_STORE_H_
#define OOMPH_FUZZ_TESTING_FULL_STORE_H_

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/store/case_file.h"
#include "fuzz/store/store.h"
#include "fuzz/testing/scratch_folder.h"
#include "fuzz/subject_table.h"
#include "gtest/gtest.h"

namespace oomph {

inline std::string GeneratedCase(const Family& family, uint64_t seed, size_t steps) {
  const auto value = family.NewCase();
  Choices choices = Choices::FromSeed(seed, true);
  GenerateOptions options;
  options.steps = steps;
  family.Generate(choices, options, *value);
  return family.Print(*value);
}

// A finding whose case is `text`.
inline Finding FindingWith(const Family& family, const std::string& subject, const std::string& detail,
                           const std::string& text) {
  Finding f;
  f.family = std::string(family.name());
  f.oracle = std::string(family.oracles()[0].name);
  f.subject = subject;
  f.detail = detail;
  f.signature = absl::StrCat(f.family, "/", f.oracle, "/", f.subject, "/", f.detail);
  f.version = "1.2.3";
  f.reason = "step 3 got what step 1 still has";
  f.count = 17;
  f.minimized = true;
  f.runs = 120;
  f.seconds = 0.5;
  f.case_text = CaseText(family, subject, f.signature, text);
  const auto file = ParseCaseFile("case", f.case_text, &family);
  f.steps = file.ok() ? family.Size(*file->value) : 0;
  return f;
}

inline void SaveIn(Store& store, int64_t campaign, const Family& family, const Finding& finding) {
  const PairKey key{finding.family, finding.subject, finding.variant};
  ASSERT_TRUE(store.SaveFinding(finding, std::string(family.extension())).ok());
  ASSERT_TRUE(store.NoteFinding(campaign, key, finding.signature).ok());
}

inline ChunkRecord ChunkOf(const PairKey& key, const Family& family, uint64_t cases) {
  ChunkRecord chunk;
  chunk.key = key;
  chunk.version = "1.2.3";
  chunk.count = cases;
  chunk.steps = cases * 30;
  chunk.seconds = 2;
  chunk.found = 3;
  uint64_t count = cases;
  for (const std::string_view name : family.reach_names()) chunk.reach[std::string(name)] = count = count * 4 / 5;
  return chunk;
}

// `number` findings in the last of `campaigns`, some of them seen before; every fifth is known.
inline void FillStore(const std::string& folder, size_t number, int campaigns) {
  auto store = Store::OpenForWriting(folder);
  ASSERT_TRUE(store.ok()) << store.status();
  const auto pairs = *SubjectTable::All().Select({}, SubjectTable::All().families());
  const Family& family = pairs.front().family();
  for (int i = 0; i < campaigns; ++i) {
    const auto campaign = store->BeginOrResume(absl::StrCat("campaign ", i), 40 + i);
    ASSERT_TRUE(campaign.ok());
    const size_t before = number * i / campaigns, seen = number * (i + 1) / campaigns;
    for (size_t n = 0; n < seen; ++n) {
      const std::string subject = n % 4 == 0 ? "model" : absl::StrCat("fault:f", n % 23);
      Finding f = FindingWith(family, subject, absl::StrCat("detail_", n), GeneratedCase(family, n, 4 + n % 40));
      f.known = n % 5 == 0;
      if (f.known) f.owner = "somebody", f.upstream = "no public report found";
      if (n >= before) {
        SaveIn(*store, campaign->id, family, f);
      } else if (n % 3 != 0) {  // not all of them are seen again
        ASSERT_TRUE(store->NoteFinding(campaign->id, {f.family, f.subject, ""}, f.signature).ok());
      }
    }
    for (const Pair& pair : pairs) {
      const PairKey key{std::string(pair.family().name()), pair.row->name, pair.variant};
      ASSERT_TRUE(store->Commit(campaign->id, ChunkOf(key, pair.family(), 1000)).ok());
    }
    ASSERT_TRUE(store->SetSkipped(campaign->id, {{std::string(family.name()), "gone", "install it"}}).ok());
    ASSERT_TRUE(store->SetState(campaign->id, "finished", 60).ok());
  }
}

}  // namespace oomph

#endif  // OOMPH_FUZZ_TESTING_FULL_STORE_H_
