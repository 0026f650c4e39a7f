// A subject: what is under test. It runs a case and tells what it did; it never judges.
// Not for: planted faults (see fuzz/faults), which are subjects too but made from a specification.
#ifndef OOMPH_SUBJECTS_SUBJECT_H_
#define OOMPH_SUBJECTS_SUBJECT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/base/family.h"

namespace oomph {

struct SubjectInfo {
  const Family* family = nullptr;
  std::string name;      // "model", "bfc", "fault:forgets_to_merge": what signatures carry
  std::string variant;   // "growth=on"; empty if there is one only
  std::string version;   // kept with each finding
  Bits64 promises = 0;   // family->promises()
  Bits64 features = ~Bits64{0};  // family->features(): what a case may have that it runs
  Bits64 drawn = ~Bits64{0};     // of those, what is drawn for it: it may run more than pays, such as what it mostly refuses
  Bits64 Drawn() const { return features & drawn; }  // what a generator may ask of it
  // Where each promise is made, "name: source", in the order of the bits.
  std::vector<std::string> promise_sources;
  bool in_child = false;  // runs in a process of its own
  // Slow to ask, and the same version always answers a case in the same way: campaigns keep what it answered.
  bool keeps_answers = false;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual const SubjectInfo& info() const = 0;
  // Rewrites a case, just generated or read, to what this subject honours, so that its reference
  // (which runs the same case) does the same: for bfc the policy in the trace becomes BFC with the
  // settings of the variant. Engines call it once, before Run; doing it again changes nothing.
  virtual void Prepare(Case& c) const { (void)c; }
  // Always returns: a crash, a hang or damage of the subject is part of the outcome.
  virtual void Run(const Case& c, Outcome& outcome) = 0;
  // Whether this is its answer, as opposed to a death, a hang, or something that kept it from being asked.
  virtual bool IsAnswer(const Outcome& outcome) const { return (void)outcome, true; }
  // The next case meets nothing that earlier ones left behind: a malloc outlives its cases. Costs a process where
  // there is one; elsewhere a case begins from nothing anyway.
  virtual void StartAfresh() {}
};

// One line of the table of subjects.
struct SubjectRow {
  const Family* family = nullptr;
  std::string name;
  std::string spec;  // how --subject names it if not by its name: "plugin:PATH", "cmd:TEMPLATE"
  std::vector<std::string> variants;  // at least one; the empty string for "as it is"
  std::string title;
  std::string absent;  // why it cannot be used here and how to get it; empty if it can
  std::string reference;  // the subject that it is compared with step by step; empty: none
  // The variant of the reference for one of its own. Empty: the same, or else the reference's first.
  std::function<std::string(const std::string& variant)> reference_variant;
  // `in_child` false asks for a subject in this process (benchmarks).
  std::function<absl::StatusOr<std::unique_ptr<Subject>>(const std::string& variant, bool in_child)>
      make;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_SUBJECT_H_
