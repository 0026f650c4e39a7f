// The loader: every way in which a file can fail to be a plugin gives one line that says so.
// Not for: what a plugin answers (see driver_test.cc).
#include "subjects/plugin/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ErrorOf(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const Plugin>> plugin = Plugin::Load(path);
  return plugin.ok() ? "loaded" : std::string(plugin.status().message());
}

std::string FileWith(const std::string& name, const std::string& bytes) {
  const std::string path = ::testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

MATCHER_P2(OneLine, path, what, "") {
  return ExplainMatchResult(AllOf(StartsWith(path + ": "), HasSubstr(what), Not(HasSubstr("\n"))),
                            arg, result_listener);
}

TEST(PluginTest, LoadsTheWorkedExample) {
  const absl::StatusOr<std::shared_ptr<const Plugin>> plugin =
      Plugin::Load(PluginPath("first_fit"));
  ASSERT_TRUE(plugin.ok()) << plugin.status();
  EXPECT_STREQ((*plugin)->info().name, "first_fit");
  EXPECT_TRUE((*plugin)->Can(OOMPH_CAP_INBAND | OOMPH_CAP_VALIDATE));
  EXPECT_FALSE((*plugin)->Can(OOMPH_CAP_REALLOC));
  EXPECT_THAT((*plugin)->Variants(), ElementsAre(""));
}

TEST(PluginTest, MissingFile) {
  const std::string path = "/no/such/plugin.so";
  EXPECT_THAT(ErrorOf(path), OneLine(path, "No such file"));
}

TEST(PluginTest, Folder) {
  const std::string path = std::filesystem::temp_directory_path();
  EXPECT_THAT(ErrorOf(path), OneLine(path, "directory"));
}

TEST(PluginTest, NoElf) {
  const std::string path = FileWith("text.so", "this is no shared object\n");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "not a shared object"));
}

TEST(PluginTest, EmptyFile) {
  const std::string path = FileWith("empty.so", "");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "not a shared object"));
}

TEST(PluginTest, TruncatedElf) {
  const std::string path = FileWith("short.so", std::string("\177ELF\2\1\1", 7));
  EXPECT_THAT(ErrorOf(path), OneLine(path, "cannot be loaded"));
}

TEST(PluginTest, UnresolvedSymbol) {
  const std::string path = PluginPath("unresolved");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "nobody_defines_this"));
}

TEST(PluginTest, NoQuery) {
  const std::string path = PluginPath("no_query");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "does not define oomph_query"));
}

TEST(PluginTest, OtherVersion) {
  const std::string path = PluginPath("wrong_abi");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "interface version 2"));
}

TEST(PluginTest, OtherSize) {
  const std::string path = PluginPath("wrong_size");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "its oomph_info has"));
}

TEST(PluginTest, ClaimsWhatItLacks) {
  const std::string path = PluginPath("incomplete");
  EXPECT_THAT(ErrorOf(path), OneLine(path, "does not define oomph_realloc"));
}

}  // namespace
}  // namespace oomph
