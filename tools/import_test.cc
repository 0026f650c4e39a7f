// oomph import: PyTorch snapshots as JSON, a pickle that is never read, and the verb as a user meets it.
// Not for: the other formats (see models/hbm/import_test.cc).
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/exit_code.h"
#include "fuzz/testing/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hbm/text.h"
#include "tools/import_pytorch.h"
#include "tools/testing/run.h"

namespace oomph::hbm {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Import(const std::string& json, const ImportOptions& options = {}) {
  const auto imported = ImportPytorchSnapshot("snapshot.json", json, options);
  return imported.ok() ? PrintTrace(imported->trace) : std::string(imported.status().message());
}

std::string Traces(const std::string& entries) {
  return "{\"segments\": [{\"address\": 1, \"blocks\": [{\"size\": 512, \"frames\": []}]}], "
         "\"device_traces\": [[], [" +
         entries + "]], \"allocator_settings\": {\"x\": [1, 2]}}";
}

TEST(ImportPytorchTest, EntriesBecomeSteps) {
  EXPECT_EQ(Import(Traces(R"({"action": "segment_alloc", "addr": 4096, "size": 2097152, "stream": 0},
      {"action": "alloc", "addr": 4096, "size": 1000, "stream": 0, "frames": [{"filename": "a.py", "line": 3, "name": "f"}]},
      {"action": "alloc", "addr": 8192, "size": 512},
      {"action": "free_requested", "addr": 4096, "size": 1000},
      {"action": "free_completed", "addr": 4096, "size": 1000},
      {"action": "free_requested", "addr": 8192, "size": 512},
      {"action": "oom", "size": 999999, "device_free": 5, "stream": 0},
      {"action": "snapshot"},
      {"action": "free_completed", "addr": 8192, "size": 512})")),
            "memory hbm capacity 2048 granule 512\nallocate b0 1000\nallocate b1 512\nfree b0\nfree b1 after "
            "fence 1\n"
            "allocate b2 999999\nfree b2\nfence 1\n");
}

TEST(ImportPytorchTest, WhichDevice) {
  const std::string two =
      R"({"device_traces": [[{"action":"alloc","addr":1,"size":8}], [{"action":"alloc","addr":1,"size":16}]]})";
  EXPECT_THAT(Import(two), HasSubstr("allocate b0 8"));
  EXPECT_THAT(Import(two, {.part = 2}), HasSubstr("allocate b0 16"));
  EXPECT_THAT(Import(two, {.part = 3}), HasSubstr("has 2 devices, no device 3"));
  EXPECT_THAT(Import(R"({"device_traces": [[]]})"), HasSubstr("none with an entry"));
}

TEST(ImportPytorchTest, WhatIsWrongIsSaidInOneLine) {
  EXPECT_THAT(Import("{\"device_traces\": [[\n{\"action\": \"al"), HasSubstr("snapshot.json:2:"));
  EXPECT_THAT(Import("{\"device_traces\": [[]"), HasSubstr("expected JSON, found the end"));
  EXPECT_THAT(Import("[1, 2]"), HasSubstr("expected an object with \"device_traces\""));
  EXPECT_THAT(Import("{\"segments\": []}"), HasSubstr("expected an object with \"device_traces\""));
  EXPECT_THAT(Import(Traces("{\"action\": \"alloc\", \"addr\": 1}")),
              HasSubstr("device 1, entry 0: expected a whole number \"size\""));
  EXPECT_THAT(Import(Traces("{\"action\": \"alloc\", \"addr\": 1, \"size\": -5}")), HasSubstr("\"size\""));
  EXPECT_THAT(Import(Traces("{\"action\": \"alloc\", \"addr\": 1, \"size\": 99999999999999999999}")),
              HasSubstr("\"size\""));
  EXPECT_THAT(Import(Traces("{\"action\": \"alloc\", \"addr\": [1], \"size\": 8}")), HasSubstr("\"addr\""));
  EXPECT_THAT(Import(Traces("{\"action\": \"grow\"}")), HasSubstr("found \"grow\""));
  EXPECT_THAT(Import(Traces("{}")), HasSubstr("expected a known action"));
  EXPECT_THAT(Import(std::string(100000, '[')), HasSubstr("nested deeper than 64"));
}

class ImportVerbTest : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
    return folder_ + "/" + name;
  }
  std::string Oomph(const std::string& arguments, int expected_code) {
    const Ran ran = RunOomph(arguments);
    EXPECT_EQ(ran.code, expected_code) << arguments << "\n" << ran.out;
    return ran.out;
  }
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(ImportVerbTest, EachFormatIsKnownByItsContentAndTheTraceIsOne) {
  const std::string files[] = {
      File("a",
           "I bfc.cc:2] InUse at 1000 of size 512 next 1\nI bfc.cc:2] Free  at 1200 of size 256 next 2\n"),
      File("b", "Thread,Time,Action,Pointer,Size,Stream\n1,t,allocate,0x1,8,0x0\n"),
      File("c", Traces("{\"action\": \"alloc\", \"addr\": 1, \"size\": 8}"))};
  for (const std::string& file : files) {
    EXPECT_THAT(Oomph("import " + file, kNothingFound), StartsWith("# imported from " + file));
    Oomph("import - -o " + folder_ + "/made.trace < " + file, kNothingFound);
    EXPECT_THAT(Oomph("check " + folder_ + "/made.trace", kNothingFound), HasSubstr("model: agree"));
  }
  EXPECT_THAT(Oomph("import " + files[1] + " --capacity 4096", kNothingFound), HasSubstr("capacity 4096"));
}

TEST_F(ImportVerbTest, APickleIsRefusedUnreadWithTheLineThatTurnsItIntoJson) {
  for (const char* head : {"\x80\x04\x95", "PK\x03\x04"}) {
    const std::string out = Oomph("import " + File("snapshot.pickle", head), kBadUsage);
    EXPECT_THAT(out, HasSubstr("a pickle runs code when it is read"));
    EXPECT_THAT(out, HasSubstr("python3 -c 'import json, pickle, sys; "));
    EXPECT_EQ(out.find('\n'), out.size() - 1);
  }
}

TEST_F(ImportVerbTest, WhatIsNoneOfThemIsRefusedInOneLineWithoutReadingAll) {
  EXPECT_THAT(Oomph("import " + File("x", "hello\n"), kBadUsage),
              HasSubstr("x:1:1: expected a dump of the BFC allocator"));
  EXPECT_THAT(Oomph("import " + File("empty", ""), kBadUsage), HasSubstr("expected"));
  EXPECT_THAT(Oomph("import " + folder_ + "/none", kBadUsage), HasSubstr("none"));
  const std::string huge = File("huge", "Thread,Time,Action,Pointer,Size,Stream\n");
  std::filesystem::resize_file(huge, uint64_t{1} << 30);
  EXPECT_THAT(Oomph("import " + huge, kBadUsage), HasSubstr("expected at most 64 MiB"));
}

}  // namespace
}  // namespace oomph::hbm
