// oomph minimize: shrinks a case that shows a fault, in a subject or under a command of the user.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "absl/strings/str_format.h"
#include "fuzz/exit_code.h"
#include "fuzz/judge.h"
#include "fuzz/minimize/by_command.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/report/show.h"
#include "tools/interrupts.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string file, subject, test, out, program;
  CaseOptions instead;
  MinimizeOptions minimize;
};

// x.trace -> x.min.trace
std::string DefaultOut(const std::string& file) {
  if (file == "-") return "-";
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + ".min" + path.extension().string())).string();
}

int Finish(const Options& options, const CaseFile& file, const Minimized& result, std::string_view subject,
           std::string_view signature) {
  const std::string out = options.out.empty() ? DefaultOut(options.file) : options.out;
  const Family& family = *file.family;
  if (result.flaky) {
    return Fail(absl::FailedPreconditionError(file.path + ": does not fail each time; nothing can be shrunk safely"));
  }
  const int code = WriteOut(out, CaseText(family, subject, signature, family.Print(*result.smallest), file.limit));
  if (code != kNothingFound) return code;
  const bool interrupted = Interrupts::Pending();
  const bool unchanged = family.Print(*result.smallest) == family.Print(*file.value);
  std::fprintf(stderr, "%s: %s -> %s, %s, %.2f s%s\n", Printable(out).c_str(),
               Counted(family.Size(*file.value), "step").c_str(), Counted(family.Size(*result.smallest), "step").c_str(),
               Counted(result.tests, "run").c_str(), result.seconds,
               interrupted       ? " (interrupted: the smallest so far)"
               : result.finished ? (unchanged ? " (no smaller one found)" : "")
                                 : " (budget used up: --tests, --seconds)");
  const std::string_view next = result.finished ? "explain" : "minimize";
  if (out != "-") std::printf("%s\n", NextCommands(options.program, out, subject, next).c_str());
  return interrupted ? kInterrupted : kNothingFound;
}

int ByCommand(const Options& options) {
  const auto file = ReadCase(options.file, options.instead);
  if (!file.ok()) return Fail(file.status());
  auto test = CommandTest::Make(*file->family, options.test);
  if (!test.ok()) return Fail(test.status());
  FunctionTest asked([&](const Case& c) { return (*test)->Run(c); });
  const Minimized result = Minimize(*file->family, *file->value, "", asked, options.minimize);
  if (!result.reproduced) {
    return Fail(absl::InvalidArgumentError(file->path + ": the test does not exit 0 on it; nothing to minimize"));
  }
  return Finish(options, *file, result, file->subject, file->expect);
}

int BySubject(const Options& options) {
  auto one = ReadOneCase(options.file, options.instead, options.subject);
  if (!one.ok()) return Fail(one.status());
  Judge judge(*one->file.family, *one->loaded.subject, one->loaded.reference.get());
  judge.SetLimit(one->file.limit);
  const Verdict verdict = judge.Run(*one->file.value);
  if (!verdict.found()) {
    return Fail(absl::InvalidArgumentError(absl::StrFormat("%s: shows no fault in %s; another subject: --subject",
                                                           one->file.path, one->pair.Spec())));
  }
  FunctionTest test(SameSignature(judge, verdict.signature), [&] { one->loaded.subject->StartAfresh(); });
  const Minimized result = Minimize(*one->file.family, *one->file.value, "", test, options.minimize);
  if (result.smallest != nullptr && !result.flaky) {
    one->loaded.subject->Prepare(*result.smallest);
    // Its own numbers, not those of the case that it was made of. Standard output may be for the case itself.
    const Verdict last = judge.Run(*result.smallest);
    const Verdict& told = last.signature == verdict.signature ? last : verdict;
    std::fprintf(options.out == "-" ? stderr : stdout, "%s\n", VerdictLine(told.signature, told.text).c_str());
  }
  return Finish(options, one->file, result, one->pair.Spec(), verdict.signature);
}

}  // namespace

Verb MinimizeVerb(CLI::App& root, const std::string& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  options->minimize.tests = 100000;
  options->minimize.seconds = 60;
  CLI::App* app = root.add_subcommand("minimize", "Shrink a case, keeping its signature.");
  app->add_option("file", options->file, "The case")->required();
  auto* subject = app->add_option("--subject", options->subject, "Instead of what the file says, NAME[:VARIANT]");
  app->add_option("--test", options->test, "Command that exits 0 if the case in {} is still interesting")
      ->excludes(subject);
  app->add_option("-o", options->out, "Where to, another file or - for standard output; default: FILE.min.EXT");
  AddCaseOptions(*app, options->instead);
  AddLimitOption(*app, options->instead);
  app->add_option("--tests", options->minimize.tests, "At most so many tries")->capture_default_str();
  app->add_option("--seconds", options->minimize.seconds, "At most so long")->capture_default_str();
  return {app, [options] {
            const absl::Status status = NotTheInput(options->out, options->file);
            if (!status.ok()) return Fail(status);
            const Interrupts interrupts;
            options->minimize.stop = Interrupts::Pending;
            return options->test.empty() ? BySubject(*options) : ByCommand(*options);
          }};
}

}  // namespace oomph
