// oomph draw: the memory map of a case and what a subject did with it, as SVG.
#include <cstdio>
#include <memory>

#include "fuzz/exit_code.h"
#include "fuzz/judge.h"
#include "fuzz/report/show.h"
#include "tools/verb.h"

namespace oomph {

Verb DrawVerb(CLI::App& root, const std::string&) {
  struct Options {
    std::string file, subject, out = "map.svg";
    CaseOptions instead;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("draw", "Draw the memory map of a case and its outcome.");
  app->add_option("file", options->file, "The case")->required();
  app->add_option("-o", options->out, "Where to, - for standard output")->capture_default_str();
  app->add_option("--subject", options->subject, "Instead of what the file says, NAME[:VARIANT]");
  AddCaseOptions(*app, options->instead);
  AddLimitOption(*app, options->instead);
  return {app, [options] {
            if (const absl::Status status = NotTheInput(options->out, options->file); !status.ok()) return Fail(status);
            auto one = ReadOneCase(options->file, options->instead, options->subject);
            if (!one.ok()) return Fail(one.status());
            const Family& family = *one->file.family;
            Judge judge(family, *one->loaded.subject, ReferenceFor(one->loaded, family, *one->file.value));
            judge.SetLimit(one->file.limit);
            const Verdict verdict = judge.Run(*one->file.value);
            if (!judge.ran()) return Fail(absl::InvalidArgumentError(one->pair.Spec() + ": " + verdict.text));
            const int code = WriteOut(options->out, family.Draw(*one->file.value, judge.outcome(), verdict));
            if (code == kNothingFound && options->out != "-") {
              const bool over = verdict.found() && verdict.all.front().oracle == kFitsTheLimit;
              std::printf("%s: what %s did%s\n", Printable(options->out).c_str(), WhoseAnswer(*one).c_str(),
                          over ? ("; " + Printable(verdict.text)).c_str() : "");
            }
            return code;
          }};
}

}  // namespace oomph
