// See rows.h.
#include "subjects/pjrt/rows.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/generate.h"
#include "models/hlo/promises.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/target.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"
#include "subjects/deps.h"
#include "subjects/pjrt/kernel_subject.h"
#include "subjects/pjrt/pjrt_subject.h"
#include "subjects/pjrt/sparsecore_subject.h"
#include "subjects/pjrt/target.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

namespace feature = hlo::feature;
using pjrt::NamedTarget;
using pjrt::PjrtSpec;
using pjrt::PjrtSubject;

Bits64 FeatureBits(std::initializer_list<feature::Index> indices) {
  Bits64 bits = 0;
  for (const feature::Index index : indices) bits |= Bits64{1} << index;
  return bits;
}

// What the TPU compiler takes of what is generated, so that four of five modules compile. Not: more than 32 bits, which it
// rewrites where that is implemented; schedules, which random operations do not survive without the passes
// that are skipped then; dynamic shapes; several replicas and transfers; custom calls, whose targets it does not know; a
// module that is wrong, on which it may abort by a check. A person's modules may have all but the last.
Bits64 TpuFeatures() {
  return FeatureBits({feature::kLayouts, feature::kNarrowTypes, feature::kZeroSized, feature::kControlFlow,
                      feature::kRandomNumbers, feature::kLinearAlgebra}) |
         Bits64{1} << hlo::kSmallArrays;  // of larger ones three of five modules would take nine tenths of the time
}

// And what it may refuse, or die of: three of five compile.
Bits64 TpuFeaturesOfAll() {
  return TpuFeatures() | FeatureBits({feature::kTiles, feature::kSchedule, feature::kWideTypes, feature::kDynamicShapes,
                                      feature::kFusions, feature::kAsync});
}

Bits64 CpuFeatures() {
  return FeatureBits({feature::kLayouts, feature::kWideTypes, feature::kZeroSized, feature::kControlFlow,
                      feature::kRandomNumbers, feature::kLinearAlgebra}) |
         Bits64{1} << hlo::kSmallArrays;  // a large convolution takes it a minute
}

// Kernels for one chip. Nobody can state what it adds, sizes near 2^63 are no arrays, and v4 takes no arrays in VMEM
// ("Invalid memory space: 1").
Bits64 KernelFeatures(vmem::Target target) {
  namespace f = vmem::feature;
  Bits64 none = f::kEveryTarget | f::Bit(f::kInternal) | f::Bit(f::kLarge);
  if (vmem::RowOf(target).chip == "v4") none |= f::Bit(f::kInVmem);
  return (f::kAll & ~none) | f::BitOf(target);
}
// Of those, what it compiles for the most part.
Bits64 DrawnKernelFeatures() {
  namespace f = vmem::feature;
  return f::kAll & ~(f::Bit(f::kTwoBits) | f::Bit(f::kUncompiled));
}

// SparseCore programs for one chip: what a kernel can say.
Bits64 SparseCoreFeatures(sparsecore::Target target) {
  namespace f = sparsecore::feature;
  const Bits64 none = f::kEveryTarget | f::Bit(f::kPhysical) | f::Bit(f::kTiles) | f::Bit(f::kOwnLimits) | f::Bit(f::kOtherCore) |
                      f::Bit(f::kEmpty) | f::Bit(f::kOtherTypes);
  return (f::kAll & ~none) | f::BitOf(target);
}
// Of those, what it compiles; and not what only the text of a program has.
Bits64 DrawnSparseCoreFeatures() {
  namespace f = sparsecore::feature;
  return f::kAll & ~(f::Bit(f::kFourBits) | f::Bit(f::kUnmoved) | f::Bit(f::kNumbered) | f::Bit(f::kPlaces) | f::Bit(f::kOdd));
}

// What a row is made from.
struct RowSpec {
  SubjectRow row;
  std::string path;            // of the plugin
  std::string_view otherwise;  // the topology of no word
  std::span<const NamedTarget> targets;
  Bits64 drawn = 0;  // see SubjectInfo
  std::vector<std::pair<std::string, std::string>> environment;
  pjrt::WorkerLimits limits;
  std::shared_ptr<pjrt::SharedProtoChild> proto;
};

// An option that the compiler does not know would decline every case.
absl::Status TryOptions(Subject& subject) {
  CaseOf<hlo::Module> c;
  const std::string_view smallest = "HloModule m\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n";
  if (absl::Status status = subject.info().family->Parse("smallest", smallest, c); !status.ok()) return status;
  OutcomeOf<hlo::Answer> outcome;
  subject.Run(c, outcome);
  const std::string& why = outcome.value.why;
  const bool wrong = why.find("compile option") != why.npos || why.find("Failed to parse") != why.npos;
  if (outcome.value.status != hlo::Status::kDeclined || !wrong) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(subject.info().name, ":", subject.info().variant, ": ", why.substr(0, why.find('\n'))));
}

absl::StatusOr<std::unique_ptr<Subject>> Start(const RowSpec& from, const std::string& variant) {
  absl::StatusOr<pjrt::Target> target = pjrt::ParseTarget(variant, from.targets, from.otherwise);
  if (!target.ok()) return target.status();
  PjrtSpec spec;
  spec.info.family = from.row.family;
  spec.info.name = from.row.name;
  spec.info.variant = variant;
  spec.info.in_child = true;
  spec.info.features = ~(Bits64{1} << feature::kInvalid);  // a module that is wrong may be refused by a check
  spec.info.drawn = target->everything ? TpuFeaturesOfAll() : from.drawn;
  spec.info.promises = hlo::promise::kReasons;
  spec.info.promise_sources = {
      "reasons: pjrt_c_api.h, PJRT_Error_Message: gets the human-readable reason for the error"};
  spec.worker.program = pjrt::WorkerProgram();
  spec.worker.plugin = from.path;
  spec.worker.target = target->topology;
  spec.worker.options = target->options;
  spec.worker.environment = from.environment;
  spec.worker.limits = from.limits;
  spec.target = *std::move(target);
  spec.proto = from.proto->Get();
  const bool has_options = !spec.target.overrides.empty();
  auto subject = PjrtSubject::Start(std::move(spec));
  if (!subject.ok()) return subject.status();
  if (has_options) {
    if (absl::Status status = TryOptions(**subject); !status.ok()) return status;
  }
  return *std::move(subject);
}

bool IsThere(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

// What is missing to use a plugin at all; empty: nothing.
std::string MissingHere() {
  if (!IsThere(pjrt::WorkerProgram()) || !IsThere(PluginPath("xla_proto"))) {
    return "needs the tensorflow-cpu wheel, for the header of the PJRT API and XLA's reader: scripts/setup fetches it, "
           "scripts/build builds what needs it";
  }
  return "";
}

SubjectRow Finish(RowSpec spec, const std::string& how_to_get) {
  spec.row.absent = MissingHere();
  spec.proto = std::make_shared<pjrt::SharedProtoChild>(PluginPath("xla_proto"));
  if (!IsThere(spec.path))
    spec.row.absent = absl::StrCat(spec.path, " is not there", how_to_get.empty() ? "" : ": ", how_to_get);
  SubjectRow row = spec.row;
  row.make = [spec](const std::string& variant, bool) { return Start(spec, variant); };
  return row;
}

constexpr const char* kHowToGetLibtpu = "scripts/setup --with-tpu-compiler fetches it, under Google's terms";

std::string LibtpuPath() { return DepsPath("libtpu/libtpu/libtpu.so"); }

// Without the first it asks a server of the cloud for minutes; without the second there is one process of it a machine;
// the others silence warnings, and one value serves all topologies.
std::vector<std::pair<std::string, std::string>> LibtpuEnvironment() {
  return {{"TPU_SKIP_MDS_QUERY", "1"},
          {"ALLOW_MULTIPLE_LIBTPU_LOAD", "1"},
          {"TPU_ACCELERATOR_TYPE", "v5litepod-4"},
          {"TPU_WORKER_HOSTNAMES", "localhost"},
          {"TPU_LOG_DIR", "disabled"}};
}

// ---- Kernels ----------------------------------------------------------------------------------------------------------

// A family's name of a chip: the modes of libtpu have names of their own.
template <typename Chip>
absl::StatusOr<Chip> ChipOf(std::string_view variant, const std::string& chip, std::optional<Chip> (*find)(std::string_view)) {
  const std::string_view word = variant.substr(0, variant.find_first_of(":,"));
  for (const std::string_view name : {word, std::string_view(chip)}) {
    if (const auto target = find(name)) return *target;
  }
  return absl::InvalidArgumentError(absl::StrCat("no chip of kernels is named \"", std::string(word), "\""));
}

// What both families of kernels have of a spec: how the compiler is started.
template <typename Spec>
void SetCompiler(const Family& family, const std::string& variant, const pjrt::Target& target, pjrt::SharedProtoChild& proto, Spec& spec) {
  spec.info.family = &family;
  spec.info.name = "libtpu";
  spec.info.variant = variant;
  spec.info.in_child = true;
  spec.info.keeps_answers = true;  // a kernel a tenth of a second, the same bytes each time (docs/FACTS.md)
  spec.worker.program = pjrt::WorkerProgram();
  spec.worker.plugin = LibtpuPath();
  spec.worker.target = target.topology;
  spec.worker.options = target.options;
  spec.worker.environment = LibtpuEnvironment();
  spec.worker.limits.request_time = std::chrono::seconds(60);  // a kernel takes 0.1 s, large blocks some seconds
  spec.overrides = target.overrides;
  spec.proto = proto.Get();
}

absl::StatusOr<std::unique_ptr<Subject>> StartKernels(const Family& family, const std::string& variant,
                                                      pjrt::SharedProtoChild& proto) {
  const absl::StatusOr<pjrt::Target> target = pjrt::ParseTarget(variant, pjrt::TpuTargets(), "v5e:2x2");
  if (!target.ok()) return target.status();
  const absl::StatusOr<vmem::Target> chip = ChipOf(variant, target->chip, vmem::FindTarget);
  if (!chip.ok()) return chip.status();
  pjrt::KernelSpec spec;
  SetCompiler(family, variant, *target, proto, spec);
  spec.info.features = KernelFeatures(*chip);
  spec.info.drawn = DrawnKernelFeatures();
  spec.info.promises = vmem::promise::kText | vmem::promise::kSweep;
  spec.info.promise_sources = {"text: openxla.org errors 1001", "sweep: docs/FACTS.md, scoped VMEM"};
  spec.target = *chip;
  auto subject = pjrt::KernelSubject::Start(std::move(spec));
  if (!subject.ok()) return subject.status();
  return *std::move(subject);
}

absl::StatusOr<std::unique_ptr<Subject>> StartSparseCores(const Family& family, const std::string& variant,
                                                          pjrt::SharedProtoChild& proto) {
  const absl::StatusOr<pjrt::Target> target = pjrt::ParseTarget(variant, pjrt::TpuTargets(), "v6e:2x2");
  if (!target.ok()) return target.status();
  const absl::StatusOr<sparsecore::Target> chip = ChipOf(variant, target->chip, sparsecore::FindTarget);
  if (!chip.ok()) return chip.status();
  pjrt::SparseCoreSpec spec;
  SetCompiler(family, variant, *target, proto, spec);
  spec.info.features = SparseCoreFeatures(*chip);
  spec.info.drawn = DrawnSparseCoreFeatures();
  spec.info.promises = sparsecore::promise::kOverrun | sparsecore::promise::kText;
  spec.info.promise_sources = {"overrun: openxla.org errors 3000", "text: openxla.org errors 3000"};
  spec.target = *chip;
  auto subject = pjrt::SparseCoreSubject::Start(std::move(spec));
  if (!subject.ok()) return subject.status();
  return *std::move(subject);
}

// A row of libtpu for kernels of one kind; `takes` says of which chips.
SubjectRow KernelRow(const Family& family, bool (*takes)(const NamedTarget&),
                     absl::StatusOr<std::unique_ptr<Subject>> (*start)(const Family&, const std::string&, pjrt::SharedProtoChild&)) {
  SubjectRow row;
  row.family = &family;
  row.name = "libtpu";
  row.title = "Google's TPU compiler, libtpu, ahead of time";
  row.reference = "model";
  row.reference_variant = [](const std::string&) { return ""; };
  for (const NamedTarget& target : pjrt::TpuTargets()) {
    if (!target.everything && !target.draws_options && takes(target)) row.variants.emplace_back(target.word);  // a kernel has its own
  }
  row.absent = MissingHere();
  if (!IsThere(LibtpuPath())) row.absent = absl::StrCat(LibtpuPath(), " is not there: ", kHowToGetLibtpu);
  auto proto = std::make_shared<pjrt::SharedProtoChild>(PluginPath("xla_proto"));
  row.make = [family = &family, proto, start](const std::string& variant, bool) { return start(*family, variant, *proto); };
  return row;
}

}  // namespace

SubjectRow LibtpuRow(const Family& family) {
  RowSpec spec;
  spec.row.family = &family;
  spec.row.name = "libtpu";
  spec.row.title = "Google's TPU compiler, libtpu, ahead of time";
  spec.row.reference = "model";
  for (const NamedTarget& target : pjrt::TpuTargets()) spec.row.variants.emplace_back(target.word);
  spec.path = LibtpuPath();
  spec.otherwise = "v5e:2x2";
  spec.targets = pjrt::TpuTargets();
  spec.drawn = TpuFeatures();
  spec.environment = LibtpuEnvironment();
  spec.limits.request_time = std::chrono::seconds(20);  // a random module takes 0.03 s, one in a hundred a second
  return Finish(std::move(spec), kHowToGetLibtpu);
}

SubjectRow LibtpuKernelRow(const Family& family) {
  return KernelRow(family, [](const NamedTarget&) { return true; }, StartKernels);
}

SubjectRow LibtpuSparseCoreRow(const Family& family) {
  return KernelRow(family, [](const NamedTarget& target) { return sparsecore::FindTarget(target.chip).has_value(); }, StartSparseCores);
}

SubjectRow XlaCpuRow(const Family& family) {
  RowSpec spec;
  spec.row.family = &family;
  spec.row.name = "xla-cpu";
  spec.row.title = "XLA's compiler for CPUs, PJRT plugin of the wheel xla-cpu-pjrt";
  spec.row.variants = {""};
  // Its verdict, and what it computes; where it does not run a module, neither does XLA's evaluator.
  spec.row.reference = "xla";
  spec.row.reference_variant = [](const std::string&) { return "evaluate"; };
  spec.path = DepsPath("xla-cpu-pjrt/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so");
  spec.otherwise = "client";
  spec.drawn = CpuFeatures();
  return Finish(std::move(spec), "scripts/setup fetches the wheel");
}

SubjectRow PjrtRow(const Family& family, const std::string& name, const std::string& spec_words,
                   const std::string& path, const pjrt::WorkerLimits& limits) {
  RowSpec spec;
  spec.row.family = &family;
  spec.row.name = name;
  spec.row.spec = spec_words;
  spec.row.title = "a PJRT plugin";
  spec.row.variants = {""};
  spec.row.reference = "model";
  spec.path = path;
  spec.otherwise = "client";
  spec.drawn = CpuFeatures();
  spec.limits = limits;
  // Harmless elsewhere, and a libtpu of a user's own needs it.
  spec.environment = {{"TPU_SKIP_MDS_QUERY", "1"}, {"ALLOW_MULTIPLE_LIBTPU_LOAD", "1"}};
  return Finish(std::move(spec), "");
}

}  // namespace oomph
