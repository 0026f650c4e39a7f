// See verifier_row.h.
#include "subjects/hlo/verifier_row.h"

#include <memory>
#include <string>
#include <utility>

#include "models/hlo/answer.h"
#include "models/hlo/inputs.h"
#include "models/hlo/text.h"
#include "subjects/hlo/verifier_library.h"
#include "subjects/plugin/description.h"

namespace oomph {
namespace {

using LibraryPtr = std::shared_ptr<const VerifierLibrary>;

// One variant of a verifier, in this process.
class VerifierSubject final : public Subject {
 public:
  VerifierSubject(LibraryPtr library, const VerifierRowSpec& spec, const std::string& variant)
      : library_(std::move(library)), prepare_(spec.prepare) {
    info_.family = spec.family;
    info_.name = spec.name;
    info_.variant = variant;
    const char* version = library_->info().version;
    info_.version = version == nullptr ? "" : version;
  }
  absl::Status TakeDescription() { return oomph::TakeDescription(library_->path(), library_->info(), info_); }

  const SubjectInfo& info() const override { return info_; }
  void Prepare(Case& c) const override {
    if (prepare_) prepare_(info_.variant, c);
  }
  void Run(const Case& c, Outcome& outcome) override {
    const hlo::Module& module = static_cast<const CaseOf<hlo::Module>&>(c).value;
    const std::string text = hlo::Print(module);
    hlo::Answer& answer = static_cast<OutcomeOf<hlo::Answer>&>(outcome).value;
    if (!VerifierLibrary::Runs(info_.variant)) return library_->Ask(text, info_.variant, VerifierLibrary::kEverything, answer);
    const auto arguments = hlo::ArgumentsOf(module);
    if (!arguments.ok()) return library_->Ask(text, info_.variant, VerifierLibrary::kEverything, answer);
    library_->Ask(text, info_.variant, VerifierLibrary::kEverything | OOMPH_HLO_RUN, answer, *arguments);
  }

 private:
  const LibraryPtr library_;
  const std::function<void(const std::string&, Case&)> prepare_;
  SubjectInfo info_;
};

// What a verifier must take, whatever it thinks of it.
constexpr const char* kSmallest = "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n";

absl::StatusOr<std::unique_ptr<Subject>> Make(const VerifierRowSpec& spec, const std::string& variant) {
  const auto library = VerifierLibrary::Load(spec.path);
  if (!library.ok()) return library.status();
  const auto refuses = [&] {
    hlo::Answer answer;
    (*library)->Ask(kSmallest, variant, 0, answer);
    return answer.status == hlo::Status::kNotRun;
  };
  absl::Status status = CheckForeignVariant(spec.path, (*library)->Variants(), variant, refuses);
  if (!status.ok()) return status;
  auto subject = std::make_unique<VerifierSubject>(*library, spec, variant);
  if (status = subject->TakeDescription(); !status.ok()) return status;
  return subject;
}

absl::StatusOr<PluginDescription> Describe(const std::string& path) {
  const auto library = VerifierLibrary::Load(path);
  if (!library.ok()) return library.status();
  const oomph_hlo_info& info = (*library)->info();
  return PluginDescription{PluginTitle(info.name, info.version), (*library)->Variants()};
}

// A case goes over as its text, which is all that a verifier sees of it.
ChildSpec ChildOf(const Family& family) {
  ChildSpec spec;
  spec.family = &family;
  return spec;
}

constexpr ForeignKind kVerifier = {Describe, Make, ChildOf};

}  // namespace

absl::StatusOr<SubjectRow> FindVerifier(const VerifierRowSpec& spec) { return FindForeign(spec, kVerifier); }
SubjectRow VerifierRow(const VerifierRowSpec& spec) { return ForeignRow(spec, kVerifier); }

}  // namespace oomph
