// How claims are stated: a property over the cases of a family, run on tapes that RapidCheck draws.
// RapidCheck is a source of tapes and nothing else: the cases are those of the family's generator, and a
// failing one is shrunk by the project's own minimizer, written to a file and printed with the command that
// replays it. Not for: campaigns (see fuzz/campaign), or what oracles say of one outcome.
#ifndef OOMPH_PROPS_ENGINE_H_
#define OOMPH_PROPS_ENGINE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/family.h"
#include "subjects/subject.h"

namespace oomph {

// Why the claim does not hold of a case, in a sentence; empty where it holds or says nothing.
using Property = std::function<std::string(const Case&)>;
// The same of a tape, for claims about tapes. What fails here is not shrunk by case.
using TapeProperty = std::function<std::string(std::string_view tape)>;

struct CheckParams {
  int cases = 1000;
  GenerateOptions generate;
  std::string subject;  // what replays it, as --subject takes it; empty: any
  size_t runs = 20000;  // of the property, while shrinking
};

// What made a property fail.
struct Counterexample {
  std::unique_ptr<Case> smallest;
  std::string reason;  // of the smallest
  std::string file;    // where it is written
  std::string text;    // all that a person needs: reason, case, commands
  size_t runs = 0;     // that shrinking took
};

// Runs the property on `cases` cases; the smallest that fails, or nullptr. `name` names the file. The tapes
// are the same each time unless RC_PARAMS says otherwise.
std::unique_ptr<Counterexample> FindCounterexample(const Family& family, std::string_view name,
                                                   const CheckParams& params, const Property& property);

// As above, and fails the test at hand, once. With OOMPH_REPLAY=FILE in the environment the property is asked
// of that case alone.
void CheckCases(const Family& family, std::string_view name, const CheckParams& params,
                const Property& property);

// Runs the property on `tapes` tapes: recordings of generated cases, and any bytes.
void CheckTapes(const Family& family, std::string_view name, int tapes, const TapeProperty& property);

// A subject by its name ("model", "fault:rounds_down"), in this process. Ends the program if there is none.
std::unique_ptr<Subject> SubjectNamed(const Family& family, std::string_view name);

}  // namespace oomph

#endif  // OOMPH_PROPS_ENGINE_H_
