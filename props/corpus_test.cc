// The corpus says what is so: regressions agree, trophies still show their fault, seeds are read.
// Not for: what fuzz targets find beyond the seeds, or the findings of a campaign (see fuzz/store).
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/judge.h"
#include "fuzz/store/case_file.h"
#include "fuzz/subject_table.h"
#include "gtest/gtest.h"
#include "models/families.h"
#include "models/hbm/family.h"
#include "models/hbm/text.h"
#include "subjects/child/sanitized.h"

namespace oomph {
namespace {

constexpr char kCorpus[] = OOMPH_SOURCE_DIR "/corpus/";

// The files below a folder of the corpus, by name.
std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kCorpus + folder, error)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Stem(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string NameOf(const testing::TestParamInfo<std::string>& info) { return Stem(info.param); }

// The seeds of every family's target FAMILY_fuzz (`kind` is empty) or FAMILY_text_fuzz ("_text").
std::vector<std::string> SeedsOf(const std::string& kind) {
  std::vector<std::string> seeds;
  for (const Family* family : Families()) {
    const auto files = FilesOf(absl::StrCat("seeds/", std::string(family->name()), kind));
    EXPECT_FALSE(files.empty()) << family->name() << kind;
    seeds.insert(seeds.end(), files.begin(), files.end());
  }
  return seeds;
}

std::string Folder(const std::string& path) { return std::filesystem::path(path).parent_path().filename().string(); }
std::string SeedName(const testing::TestParamInfo<std::string>& info) {
  return absl::StrCat(Folder(info.param), "_", Stem(info.param));
}

bool IsBuiltInSubject(std::string_view name) { return name == "model" || name == "specification"; }

// Why the subject cannot be had here; empty if it can.
std::string WhyAbsent(const CaseFile& file) {
  const std::string name = file.subject.substr(0, file.subject.find(':'));
  for (const SubjectRow& row : SubjectTable::All().rows()) {
    if (row.family == file.family && row.name == name) return row.absent;
  }
  return "";
}

class OneFile : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto file = ReadCaseFile(GetParam(), nullptr);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    file_ = *std::move(file);
  }
  // The file's case on one subject, as `oomph check` runs it.
  void Run(const std::string& subject, Verdict& verdict) {
    const auto pairs = SubjectTable::All().Find(subject, file_.family);
    ASSERT_TRUE(pairs.ok()) << pairs.status().ToString();
    ASSERT_EQ(pairs->size(), 1u) << subject << " names more than one variant";
    ASSERT_NO_FATAL_FAILURE(Run(pairs->front(), verdict));
  }
  void Run(const Pair& pair, Verdict& verdict) {
    const auto loaded = SubjectTable::All().Load(pair);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
    const auto value = file_.family->Clone(*file_.value);
    loaded->subject->Prepare(*value);
    offered_ = (file_.family->FeaturesOf(*value) & ~loaded->subject->info().features) == 0;
    Judge judge(*file_.family, *loaded->subject, loaded->reference.get());
    verdict = judge.Run(*value);
  }
  // In every variant that takes the case, and at least one does.
  void ExpectAgrees(const std::string& subject) {
    const auto pairs = SubjectTable::All().Find(subject, file_.family);
    ASSERT_TRUE(pairs.ok()) << pairs.status().ToString();
    bool any = false;
    for (const Pair& pair : *pairs) {
      Verdict verdict;
      ASSERT_NO_FATAL_FAILURE(Run(pair, verdict));
      if (!offered_) continue;
      any = true;
      EXPECT_EQ(verdict.kind, VerdictKind::kAgree) << pair.Spec() << ": " << verdict.signature << ": " << verdict.text;
    }
    EXPECT_TRUE(any) << subject << " takes it in no variant";
  }
  CaseFile file_;
  bool offered_ = true;  // the subject of the last run has all features that the case needs
};

// --- regressions: faults of this project that were found and fixed ---

using Regression = OneFile;

TEST_P(Regression, AgreesOnEverySubjectItIsFor) {
  ASSERT_FALSE(file_.subject.empty()) << "`oomph subject` is missing";
  EXPECT_EQ(file_.expect, "agree");
  for (const SubjectRow& row : SubjectTable::All().rows()) {
    if (row.family == file_.family && IsBuiltInSubject(row.name)) ExpectAgrees(row.name);
  }
  if (IsBuiltInSubject(file_.subject)) return;
  if (const std::string why = WhyAbsent(file_); !why.empty()) GTEST_SKIP() << why;
  ExpectAgrees(file_.subject);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Regression, testing::ValuesIn(FilesOf("regressions")), NameOf);

// --- trophies: known faults of real systems ---

using Trophy = OneFile;

TEST_P(Trophy, SaysWhoseItIsAndWhatIsKnownThere) {
  EXPECT_FALSE(file_.subject.empty());
  EXPECT_FALSE(file_.owner.empty());
  EXPECT_FALSE(file_.upstream.empty());
  EXPECT_TRUE(file_.expect.starts_with(absl::StrCat(std::string(file_.family->name()), "/"))) << file_.expect;
  EXPECT_LE(file_.family->Size(*file_.value), 11u) << "with its memory line more than 12 lines";
}

TEST_P(Trophy, StillShowsItsFault) {
  if (const std::string why = WhyAbsent(file_); !why.empty()) GTEST_SKIP() << why;
  Verdict verdict;
  ASSERT_NO_FATAL_FAILURE(Run(file_.subject, verdict));
  const std::string where = file_.expect.substr(0, file_.expect.rfind('/') + 1);
  if (kSanitized && verdict.signature.starts_with(where + "sanitizer_")) return;  // which saw the death before it came
  EXPECT_EQ(verdict.signature, file_.expect) << verdict.text;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Trophy, testing::ValuesIn(FilesOf("trophies")), NameOf);

// A campaign knows a finding by its signature: two trophies of one signature would be one.
TEST(Corpus, TrophiesHaveSignaturesOfTheirOwn) {
  std::set<std::string> signatures;
  for (const std::string& path : FilesOf("trophies")) {
    const auto file = ReadCaseFile(path, nullptr);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_TRUE(signatures.insert(file->expect).second) << path << ": " << file->expect << " is there already";
  }
}

// --- seeds of the fuzz targets ---

using TextSeed = OneFile;

TEST_P(TextSeed, AgreesOnTheModel) { ExpectAgrees("model"); }

INSTANTIATE_TEST_SUITE_P(Corpus, TextSeed, testing::ValuesIn(SeedsOf("_text")), SeedName);

// --- placement problems of our own ---

using OwnProblem = OneFile;

TEST_P(OwnProblem, AgreesOnTheModel) { ExpectAgrees("model"); }

INSTANTIATE_TEST_SUITE_P(Corpus, OwnProblem, testing::ValuesIn(FilesOf("problems")), NameOf);

// What an HBM text seed says: the kinds of steps, and policy keys with the word that follows.
std::set<std::string> WordsOf(const std::vector<std::string>& files) {
  std::set<std::string> words;
  for (const std::string& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("memory ")) continue;
      const std::vector<std::string> tokens = [&] {
        std::istringstream stream(line);
        return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
      }();
      words.insert(tokens[1]);
      for (size_t i = 2; i + 1 < tokens.size(); i += 2) {
        words.insert(tokens[i]);
        words.insert(absl::StrCat(tokens[i], " ", tokens[i + 1]));
      }
    }
    const auto read = ReadCaseFile(path, &HbmFamily());
    if (!read.ok()) continue;
    for (const hbm::Step& step : static_cast<const CaseOf<hbm::Trace>&>(*read->value).value.steps) {
      words.insert(std::string(hbm::StepWord(step.kind)));
    }
  }
  return words;
}

TEST(Corpus, TextSeedsHaveEveryStepAndEveryKeyWithEveryWord) {
  const std::set<std::string> words = WordsOf(FilesOf("seeds/hbm_text"));
  std::vector<std::string> wanted;
  for (int kind = 0; kind < hbm::kNumStepKinds; ++kind) {
    wanted.push_back(std::string(hbm::StepWord(static_cast<hbm::StepKind>(kind))));
  }
  for (const std::string_view word : hbm::AllocatorWords()) wanted.push_back(std::string(word));
  for (const hbm::PolicyKey& key : hbm::PolicyKeys()) {
    wanted.push_back(std::string(key.name));
    for (const std::string_view value : key.values) {
      wanted.push_back(absl::StrCat(std::string(key.name), " ", std::string(value)));
    }
  }
  for (const std::string& word : wanted) EXPECT_TRUE(words.contains(word)) << "no seed with: " << word;
}

// A tape is any bytes; these are seeds only as long as the case that they make is one the model agrees on.
class TapeSeed : public testing::TestWithParam<std::string> {};

TEST_P(TapeSeed, MakesACaseOnWhichTheModelAgrees) {
  ASSERT_NE(FindFamily(Folder(GetParam())), nullptr);
  const Family& family = *FindFamily(Folder(GetParam()));
  const auto pairs = SubjectTable::All().Find("model", &family);
  ASSERT_TRUE(pairs.ok());
  const auto loaded = SubjectTable::All().Load(pairs->front());
  ASSERT_TRUE(loaded.ok());
  std::ifstream file(GetParam(), std::ios::binary);
  const std::string tape{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(tape.empty());
  Choices choices = Choices::FromTape(tape);
  GenerateOptions options;
  options.features = loaded->subject->info().features;
  const auto value = family.NewCase();
  family.Generate(choices, options, *value);
  EXPECT_GT(family.Size(*value), 0u);
  Judge judge(family, *loaded->subject, loaded->reference.get());
  const Verdict verdict = judge.Run(*value);
  EXPECT_EQ(verdict.kind, VerdictKind::kAgree) << verdict.signature << ": " << verdict.text;
}

INSTANTIATE_TEST_SUITE_P(Corpus, TapeSeed, testing::ValuesIn(SeedsOf("")), SeedName);

// --- all of them ---

TEST(Corpus, FilesAreNamedInLowerCaseWords) {
  const std::vector<std::string> files = FilesOf("");
  EXPECT_FALSE(files.empty());
  for (const std::string& path : files) {
    const std::string name = Stem(path);
    const bool words = std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    EXPECT_TRUE(words && !name.starts_with("_") && !name.ends_with("_")) << path;
  }
}

TEST(Corpus, NoFolderOfItIsEmpty) {
  for (const char* folder : {"regressions", "trophies", "problems"}) EXPECT_FALSE(FilesOf(folder).empty()) << folder;
}

}  // namespace
}  // namespace oomph
