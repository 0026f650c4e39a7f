// See engine.h. Not for: the properties themselves.
#include "props/engine.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/store/case_file.h"
#include "fuzz/subject_table.h"
#include "fuzz/tape.h"

namespace oomph {
namespace {

// A recording of a generated case three times in four, else a string of any bytes.
rc::Gen<std::string> Tapes(const Family& family, const GenerateOptions& options) {
  const auto recorded = [&family, options](uint64_t seed) {
    const auto scratch = family.NewCase();
    return RecordTape(family, Choices::FromSeed(seed, seed % 2 == 0), options, *scratch).bytes;
  };
  const rc::Gen<uint64_t> seeds = rc::gen::resize(100, rc::gen::arbitrary<uint64_t>());
  // Size is how far the check has come, up to 100; a step takes a handful of bytes.
  const rc::Gen<std::string> bytes =
      rc::gen::scale(6.0, rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
  return rc::gen::noShrink(
      rc::gen::weightedOneOf<std::string>({{3, rc::gen::map(seeds, recorded)}, {1, bytes}}));
}

// Asks `holds` of so many tapes, until it says no; RapidCheck's message if it never could be asked.
std::string Draw(int tapes, const rc::Gen<std::string>& gen,
                 const std::function<bool(const std::string&)>& holds) {
  setenv("RC_PARAMS", "seed=1", /*overwrite=*/0);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = tapes;
  params.disableShrinking = true;
  const auto asked = [&] {
    const std::string tape = *gen;
    if (!holds(tape)) RC_FAIL("no");
  };
  const rc::detail::TestResult result = rc::detail::checkTestable(asked, rc::detail::TestMetadata(), params);
  if (result.template is<rc::detail::SuccessResult>() || result.template is<rc::detail::FailureResult>())
    return "";
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  return text.str();
}

// What an exception says is a reason as well.
std::string Ask(const Property& property, const Case& c) {
  try {
    return property(c);
  } catch (const std::exception& error) {
    return absl::StrCat("exception: ", error.what());
  }
}

std::string FileFor(const Family& family, std::string_view name) {
  const std::filesystem::path directory = std::filesystem::path(OOMPH_BINARY_DIR) / "props";
  std::filesystem::create_directories(directory);
  return (directory / absl::StrCat(std::string(name), std::string(family.extension()))).string();
}

std::string TestName() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return test == nullptr ? "*" : absl::StrCat(test->test_suite_name(), ".", test->name());
}

// What a command line calls a file: from the root of the sources, where it lies below that.
std::string Shown(const std::string& file) {
  const auto relative = std::filesystem::path(file).lexically_relative(OOMPH_SOURCE_DIR);
  return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

void WriteUp(const Family& family, std::string_view name, const CheckParams& params, Counterexample& found) {
  const std::string printed = family.Print(*found.smallest);
  found.file = FileFor(family, name);
  std::ofstream(found.file) << CaseText(family, params.subject, "", printed);
  const std::string file = Shown(found.file);
  found.text = absl::StrCat(std::string(name), ": ", found.reason, "\n", printed, "  ",
                            Shown(OOMPH_BINARY_DIR), "/oomph check ", file, "\n  OOMPH_REPLAY=", file, " ",
                            Shown(OOMPH_BINARY_DIR), "/props_tests --gtest_filter='", TestName(), "'\n");
}

// Asks the property of the case in `path` alone.
std::string Replay(const Family& family, const std::string& path, const Property& property) {
  const auto file = ReadCaseFile(path, &family);
  if (!file.ok()) return std::string(file.status().message());
  return Ask(property, *file->value);
}

}  // namespace

std::unique_ptr<Counterexample> FindCounterexample(const Family& family, std::string_view name,
                                                   const CheckParams& params, const Property& property) {
  const auto scratch = family.NewCase();
  std::optional<std::string> failing;
  const auto holds = [&](const std::string& tape) {
    Choices choices = Choices::FromTape(tape);
    family.Generate(choices, params.generate, *scratch);
    if (Ask(property, *scratch).empty()) return true;
    failing = tape;
    return false;
  };
  const std::string broken = Draw(params.cases, Tapes(family, params.generate), holds);
  if (!failing.has_value() && broken.empty()) return nullptr;

  auto found = std::make_unique<Counterexample>();
  if (!failing.has_value()) {
    found->text = found->reason = broken;
    found->smallest = family.NewCase();
    return found;
  }
  MinimizeOptions options;
  options.tests = params.runs;
  options.generate = params.generate;
  options.vote = false;
  FunctionTest test([&](const Case& c) { return !Ask(property, c).empty(); });
  Minimized minimized = Minimize(family, *scratch, *failing, test, options);
  found->smallest = std::move(minimized.smallest);
  found->runs = minimized.tests;
  found->reason = Ask(property, *found->smallest);
  if (minimized.flaky || found->reason.empty()) found->reason += " (not each time)";
  WriteUp(family, name, params, *found);
  return found;
}

void CheckCases(const Family& family, std::string_view name, const CheckParams& params,
                const Property& property) {
  if (const char* path = std::getenv("OOMPH_REPLAY"); path != nullptr) {
    EXPECT_EQ(Replay(family, path, property), "") << path;
    return;
  }
  const auto found = FindCounterexample(family, name, params, property);
  if (found != nullptr) ADD_FAILURE() << found->text;
}

void CheckTapes(const Family& family, std::string_view name, int tapes, const TapeProperty& property) {
  std::string failing, reason;
  const auto holds = [&](const std::string& tape) {
    reason = property(tape);
    failing = tape;
    return reason.empty();
  };
  const std::string broken = Draw(tapes, Tapes(family, {}), holds);
  if (reason.empty() && broken.empty()) return;
  const auto c = family.NewCase();
  Choices choices = Choices::FromTape(failing);
  family.Generate(choices, {}, *c);
  ADD_FAILURE() << name << ": " << broken << reason << "\n" << family.Print(*c);
}

std::unique_ptr<Subject> SubjectNamed(const Family& family, std::string_view name) {
  const auto pairs = SubjectTable::All().Find(name, &family);
  auto loaded = pairs.ok() ? SubjectTable::All().Load(pairs->front(), /*in_child=*/false)
                           : absl::StatusOr<Loaded>(pairs.status());
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.status().ToString().c_str());
    std::abort();
  }
  return std::move(loaded->subject);
}

}  // namespace oomph
