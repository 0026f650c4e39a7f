// What is asked of a reader and verifier of HLO, naively: the module is judged as the value that it is, printed, and its
// memory counted by the interpreter (interpreter.h).
// Not for: speed, nor for reading: the model goes through the text (model.h), this one does not.
#ifndef OOMPH_MODELS_HLO_SPECIFICATION_H_
#define OOMPH_MODELS_HLO_SPECIFICATION_H_

#include <string>
#include <vector>

#include "models/hlo/answer.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// In small steps, so that a planted fault can replace one.
class Specification {
 public:
  explicit Specification(const Module& module, Order order = Order::kText) : module_(module), order_(order) {}
  virtual ~Specification() = default;
  Answer Run() const;

 protected:
  // What is wrong with the module.
  virtual std::vector<Problem> Problems() const;
  // Of a valid module only.
  virtual std::string Text() const;
  virtual void Count(Answer& answer) const;
  virtual void Place(Answer& answer) const;

  const Module& module_;
  const Order order_;
};

// `order`: see model.h.
void RunSpecification(const Module& module, Order order, Answer& answer);
inline void RunSpecification(const Module& module, Answer& answer) { RunSpecification(module, Order::kText, answer); }

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_SPECIFICATION_H_
