// The answers of hlo::Module to the questions of hlo_questions.h. Not for XLA's (see xla_hlo_answers.h).
#ifndef OOMPH_SUBJECTS_XLA_HLO_ANSWERS_H_
#define OOMPH_SUBJECTS_XLA_HLO_ANSWERS_H_

#include <string>

#include "models/hlo/module.h"
#include "subjects/xla/hlo_questions.h"

namespace oomph::hlo_questions {

std::string AnswerOf(const hlo::Module& module, Question question);

// The first line in which two answers differ, ours and theirs; empty: none does. "NAME: ?" of ours is any line of NAME,
// or none.
std::string Difference(const std::string& ours, const std::string& theirs);

}  // namespace oomph::hlo_questions

#endif  // OOMPH_SUBJECTS_XLA_HLO_ANSWERS_H_
