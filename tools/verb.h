// What every verb of the command has in common: how it registers and how it fails.
#ifndef OOMPH_TOOLS_VERB_H_
#define OOMPH_TOOLS_VERB_H_

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/store/case_file.h"
#include "fuzz/subject_table.h"

namespace oomph {

// A verb as the command line knows it, and what it does: an exit code.
struct Verb {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

// One for each file of this folder. `program` is how the command was called.
Verb FuzzVerb(CLI::App& root, const std::string& program);
Verb CheckVerb(CLI::App& root, const std::string& program);
Verb MinimizeVerb(CLI::App& root, const std::string& program);
Verb ExplainVerb(CLI::App& root, const std::string& program);
Verb CompareVerb(CLI::App& root, const std::string& program);
Verb ReportVerb(CLI::App& root, const std::string& program);
Verb GenerateVerb(CLI::App& root, const std::string& program);
Verb ImportVerb(CLI::App& root, const std::string& program);
Verb DrawVerb(CLI::App& root, const std::string& program);
Verb ListVerb(CLI::App& root, const std::string& program);
Verb BenchVerb(CLI::App& root, const std::string& program);

// What a case is compared with; nothing, and a line that says so, where a naive reference would take minutes.
Subject* ReferenceFor(const Loaded& loaded, const Family& family, const Case& c);

// For options that take a number of seconds: above 0, and an end to it.
std::string Positive(const std::string& text);

// Parses the arguments and runs the verb they name.
int RunCommand(int argc, const char* const* argv);

// Prints the error as one line and gives its exit code.
int Fail(const absl::Status& status);

// nullptr for an empty name.
absl::StatusOr<const Family*> FamilyByName(const std::string& name);

// The subjects a case is run on: those of the command line, else the file's own, else the model. A file
// never starts a command or a plugin by path.
absl::StatusOr<std::vector<Pair>> SubjectsFor(const CaseFile& file, const std::vector<std::string>& asked);

// What the command line says of a case instead of its file.
struct CaseOptions {
  std::string family;
  std::string chip;
  std::optional<uint64_t> capacity;
  std::optional<uint64_t> limit;
};
// --chip: any name of a chip; empty where it is not given.
void AddChipOption(CLI::App& app, std::string& chip);
// --family, --chip and --capacity.
void AddCaseOptions(CLI::App& app, CaseOptions& options);
// --limit, for verbs that judge one case.
void AddLimitOption(CLI::App& app, CaseOptions& options);
absl::StatusOr<CaseFile> ReadCase(const std::string& path, const CaseOptions& options);
// Puts the chip, the capacity and the limit of the command line in the place of the file's.
absl::Status Override(CaseFile& file, const CaseOptions& options);

// Reads the case, the one subject it is for, and prepares it.
struct OneCase {
  CaseFile file;
  Pair pair;
  Loaded loaded;
  size_t choices = 1;  // how many variants the name stands for, of which `pair` is the first
};
// Whose answer is shown: "model:decreasing_size (the first of 9; another: --subject model:VARIANT)".
std::string WhoseAnswer(const OneCase& one);
absl::StatusOr<OneCase> PrepareOne(CaseFile file, const std::string& subject);
absl::StatusOr<OneCase> ReadOneCase(const std::string& path, const CaseOptions& options, const std::string& subject);

// An error if `out` is the file that is read: what is in it would be gone.
absl::Status NotTheInput(const std::string& out, const std::string& input);

// Writes report.html into a store and says so; an exit code. See report.cc.
int WritePage(const std::string& store, const std::string& program, std::FILE* say_where);

// corpus/trophies of the source tree: beside the build folder of this program, else of where we are.
std::string TrophiesFolder();

// oomph check --as tape|text, see check_inputs.cc.
struct CheckInputsOptions {
  std::vector<std::string> paths;  // files, or folders of them
  bool text = false;               // of the family's parser; else tapes of its generator
  std::string family, subject = "model";
  std::string store;               // empty: findings are printed only
  std::string program;
};
int CheckInputs(const CheckInputsOptions& options);

// To a file, or to standard output for "-".
int WriteOut(const std::string& path, const std::string& text);

}  // namespace oomph

#endif  // OOMPH_TOOLS_VERB_H_
