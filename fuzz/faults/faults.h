// The planted faults: each is the specification of its family with one step replaced by a wrong one.
// They measure the oracles. Nothing of this is compiled into the models.
#ifndef OOMPH_FUZZ_FAULTS_FAULTS_H_
#define OOMPH_FUZZ_FAULTS_FAULTS_H_

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "models/base/family.h"
#include "subjects/subject.h"

namespace oomph {

struct FaultRow {
  const Family* family = nullptr;
  std::string_view name;    // snake_case, without the "fault:"
  std::string_view what;    // what is wrong, one line
  std::string_view oracle;  // the oracle or relation that must catch it; "equals_reference" for a choice
  std::function<std::unique_ptr<Subject>()> make;
};

// All families' faults.
std::span<const FaultRow> Faults();

}  // namespace oomph

#endif  // OOMPH_FUZZ_FAULTS_FAULTS_H_
