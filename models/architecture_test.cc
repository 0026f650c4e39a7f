// The architecture, read from the sources: who includes whom, no circle between folders, and a first line in
// each file that says what it is. Not for: style that clang-format and the compiler see.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace oomph {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTops[] = {"models", "subjects", "fuzz", "props", "tools"};
constexpr std::string_view kMemories[] = {"models/hbm", "models/vmem", "models/sparsecore"};
constexpr std::string_view kForAll[] = {"models/placement", "models/hlo", "models/mlir", "models/message"};
constexpr std::string_view kTestLibraries[] = {"gtest/", "gmock/", "rapidcheck"};

struct Source {
  std::string path;  // "models/hbm/text.cc"
  std::string first_line;
  std::vector<std::string> includes;  // what stands in "" or <>
};

bool Under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

template <typename Folders>
bool UnderOneOf(std::string_view path, const Folders& folders) {
  return std::any_of(std::begin(folders), std::end(folders),
                     [&](auto folder) { return Under(path, folder); });
}

bool IsTest(std::string_view path) { return path.ends_with("_test.cc") || Under(path, "props"); }

Source Read(const fs::path& file, const fs::path& root) {
  Source source{file.lexically_relative(root).generic_string(), "", {}};
  std::ifstream in(file);
  std::string line;
  for (bool first = true; std::getline(in, line); first = false) {
    if (first) source.first_line = line;
    if (!line.starts_with("#include ")) continue;
    const size_t begin = line.find_first_of("\"<"), end = line.find_last_of("\">");
    if (begin != line.npos && end > begin) source.includes.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return source;
}

std::vector<Source> ReadSources() {
  std::vector<Source> sources;
  const fs::path root = OOMPH_SOURCE_DIR;
  for (std::string_view top : kTops) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".c") continue;
      sources.push_back(Read(entry.path(), root));
    }
  }
  return sources;
}

const std::vector<Source>& Sources() {
  static const std::vector<Source> sources = ReadSources();
  return sources;
}

// ---- Who may include whom ----

// 0 base, 1 families, 2 the table of families, 3 subjects, 4 fuzz, 5 props and tools; -1: not ours.
int LayerOf(std::string_view path) {
  if (Under(path, "models/base")) return 0;
  if (Under(path, "models")) return path.find('/', 7) == path.npos ? 2 : 1;
  if (Under(path, "subjects")) return 3;
  if (Under(path, "fuzz")) return 4;
  if (Under(path, "props") || Under(path, "tools")) return 5;
  return -1;
}

// "models/hbm" of "models/hbm/text.h".
std::string FamilyOf(std::string_view path) { return std::string(path.substr(0, path.find('/', 7))); }

// Why `from` may not include `to`; empty if it may.
std::string Refuse(std::string_view from, std::string_view to) {
  const int layer = LayerOf(from), other = LayerOf(to);
  const bool test_library = std::any_of(std::begin(kTestLibraries), std::end(kTestLibraries),
                                        [&](std::string_view library) { return to.starts_with(library); });
  if (test_library && layer <= 2 && !IsTest(from)) return "models know no test framework";
  if (other < 0) return "";
  if (other > layer) return "a lower layer includes a higher one";
  if (layer == 5 && other == 5 && FamilyOf(from).substr(0, 5) != FamilyOf(to).substr(0, 5)) {
    return "props and tools know nothing of each other";
  }
  if (layer == 1 && other == 1 && FamilyOf(from) != FamilyOf(to)) {
    if (UnderOneOf(to, kMemories)) return "no family includes a memory";
    if (!UnderOneOf(to, kForAll)) return "only placement, hlo, mlir and message are for other families";
  }
  if (Under(from, "fuzz") && UnderOneOf(to, kMemories) && !IsTest(from)) {
    const std::string memory(FamilyOf(to).substr(std::string_view("models/").size()));
    const bool may = from == "fuzz/faults/" + memory + ".cc" || from.starts_with("fuzz/bench/" + memory) ||
                     (Under(from, "fuzz/targets") && to.ends_with("/family.h"));
    if (!may) return "fuzz is generic over the families";
  }
  return "";
}

TEST(ArchitectureTest, TheRuleIsWhatItSays) {
  EXPECT_EQ(Refuse("models/hbm/text.cc", "models/base/scanner.h"), "");
  EXPECT_EQ(Refuse("models/hbm/explain.cc", "models/message/oom.h"), "");
  EXPECT_EQ(Refuse("models/families.cc", "models/hbm/family.h"), "");
  EXPECT_EQ(Refuse("subjects/registry.cc", "models/hbm/family.h"), "");
  EXPECT_EQ(Refuse("fuzz/faults/hbm.cc", "models/hbm/specification.h"), "");
  EXPECT_EQ(Refuse("fuzz/bench/hbm_bench.cc", "models/hbm/specification.h"), "");
  EXPECT_EQ(Refuse("props/engine.cc", "fuzz/tape.h"), "");
  EXPECT_EQ(Refuse("models/hbm/text_test.cc", "gtest/gtest.h"), "");
  EXPECT_EQ(Refuse("models/hbm/text.cc", "absl/status/status.h"), "");
  EXPECT_NE(Refuse("models/base/family.h", "models/hbm/trace.h"), "");
  EXPECT_NE(Refuse("models/hbm/family.cc", "models/families.h"), "");
  EXPECT_NE(Refuse("models/hbm/family.cc", "subjects/subject.h"), "");
  EXPECT_NE(Refuse("models/message/oom.cc", "models/hbm/trace.h"), "");
  EXPECT_NE(Refuse("models/vmem/family.cc", "models/hbm/trace.h"), "");
  EXPECT_NE(Refuse("models/hbm/text.cc", "gtest/gtest.h"), "");
  EXPECT_NE(Refuse("models/hbm/text.cc", "rapidcheck.h"), "");
  EXPECT_NE(Refuse("subjects/registry.cc", "fuzz/judge.h"), "");
  EXPECT_NE(Refuse("fuzz/judge.cc", "models/hbm/trace.h"), "");
  EXPECT_NE(Refuse("fuzz/judge.cc", "tools/verb.h"), "");
  EXPECT_NE(Refuse("tools/main.cc", "props/engine.h"), "");
}

TEST(ArchitectureTest, NobodyIncludesWhatItMayNot) {
  ASSERT_GT(Sources().size(), 100u) << "no sources in " << OOMPH_SOURCE_DIR;
  for (const Source& source : Sources()) {
    for (const std::string& include : source.includes) {
      EXPECT_EQ(Refuse(source.path, include), "") << source.path << " includes " << include;
    }
  }
}

TEST(ArchitectureTest, OwnHeadersAreNamedFromTheRoot) {
  for (const Source& source : Sources()) {
    for (const std::string& include : source.includes) {
      if (LayerOf(include) < 0) continue;
      EXPECT_TRUE(fs::exists(fs::path(OOMPH_SOURCE_DIR) / include)) << source.path << " includes " << include;
    }
  }
}

// ---- No circle ----

using Graph = std::map<std::string, std::set<std::string>>;

// A way from `node` to itself along what is on `path`; empty: there is none.
std::vector<std::string> FindCircle(const Graph& graph, const std::string& node,
                                    std::vector<std::string>& path, std::set<std::string>& done) {
  const auto seen = std::find(path.begin(), path.end(), node);
  if (seen != path.end()) return {seen, path.end()};
  if (done.contains(node)) return {};
  path.push_back(node);
  if (const auto edges = graph.find(node); edges != graph.end()) {
    for (const std::string& next : edges->second) {
      if (auto circle = FindCircle(graph, next, path, done); !circle.empty()) return circle;
    }
  }
  path.pop_back();
  done.insert(node);
  return {};
}

std::string Circle(const Graph& graph) {
  std::set<std::string> done;
  for (const auto& [node, edges] : graph) {
    std::vector<std::string> path;
    std::string text;
    for (const std::string& each : FindCircle(graph, node, path, done)) text += each + " -> ";
    if (!text.empty()) return text;
  }
  return "";
}

// A folder; what stands in a layer itself (the interface that its folders share, the table of them) is a node
// of its own: header and source.
std::string NodeOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return path.substr(0, path.find('/') == slash ? path.rfind('.') : slash);
}

TEST(ArchitectureTest, ACircleIsSeen) {
  EXPECT_EQ(Circle({{"a", {"b"}}, {"b", {"c"}}}), "");
  EXPECT_EQ(Circle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "b -> c -> ");
}

TEST(ArchitectureTest, NoCircleBetweenFolders) {
  Graph graph;
  for (const Source& source : Sources()) {
    if (IsTest(source.path)) continue;
    for (const std::string& include : source.includes) {
      if (LayerOf(include) >= 0 && NodeOf(include) != NodeOf(source.path)) {
        graph[NodeOf(source.path)].insert(NodeOf(include));
      }
    }
  }
  EXPECT_GT(graph.size(), 5u);
  EXPECT_EQ(Circle(graph), "");
}

TEST(ArchitectureTest, NoCircleBetweenFiles) {
  Graph graph;
  for (const Source& source : Sources()) {
    for (const std::string& include : source.includes) {
      if (LayerOf(include) >= 0) graph[source.path].insert(include);
    }
  }
  EXPECT_EQ(Circle(graph), "");
}

// ---- First lines ----

TEST(ArchitectureTest, TheFirstLineOfEachFileSaysWhatItIs) {
  for (const Source& source : Sources()) {
    const bool comment = source.first_line.starts_with("// ") || source.first_line.starts_with("/* ");
    EXPECT_TRUE(comment && source.first_line.size() > 8) << source.path << ": " << source.first_line;
  }
}

}  // namespace
}  // namespace oomph
