// PlannerCommand: an external planner as a subject: a program that is started anew for each problem, reads a CSV
// file and writes one with offsets. How its template and its answers are read is in docs/HOWTO.md, "Try your planner".
// Not for: allocators over JSON lines (see command.h).
//
//     campaign --- folder/in.csv ---> child: sh -c TEMPLATE, limited in time, memory and length of files
//              <-- folder/out.csv, what it said, how it ended
//
// It is a foreign program: whatever it writes is taken for a guess.
#ifndef OOMPH_SUBJECTS_COMMAND_PLANNER_COMMAND_H_
#define OOMPH_SUBJECTS_COMMAND_PLANNER_COMMAND_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"
#include "subjects/child/child.h"
#include "subjects/subject.h"

namespace oomph {

class PlannerCommand final : public Subject {
 public:
  PlannerCommand(const Family& family, std::string name, std::string command_line, const ChildLimits& limits);

  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override;
  void Plan(const placement::Problem& problem, placement::Plan& plan) const;

 private:
  const std::string command_line_;
  const ChildLimits limits_;
  SubjectInfo info_;
};

// Whether a command line is one of a planner: it has {in} and {out}.
bool IsPlannerCommand(std::string_view command_line);
// Of a subject, for signatures: the program or script that is run, "cmd:mine.py".
std::string NameOfPlannerCommand(std::string_view command_line);
// What {capacity} becomes where the problem has none: room for all buffers one above the other.
uint64_t CapacityForAll(const placement::Problem& problem);

// Invalid: {word} that is none of ours. Unimplemented: it is no planner's command line. Unavailable: there is no such program.
absl::StatusOr<SubjectRow> PlannerCommandRow(const Family& family, const std::string& command_line,
                                             const ChildLimits& limits = {});

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_COMMAND_PLANNER_COMMAND_H_
