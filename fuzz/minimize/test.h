// What a reduction asks: does this case still show the fault?
// Not for: what to ask next (see search.h).
#ifndef OOMPH_FUZZ_MINIMIZE_TEST_H_
#define OOMPH_FUZZ_MINIMIZE_TEST_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/judge.h"
#include "models/base/family.h"

namespace oomph {

class CaseTest {
 public:
  virtual ~CaseTest() = default;
  // How many cases it can be asked of side by side.
  virtual size_t jobs() const { return 1; }
  // Of each case whether it shows the fault; at most jobs() cases. Always returns: a test that crashes or hangs says no.
  virtual std::vector<bool> Ask(std::span<const Case* const> cases) = 0;
  // True, and the next case meets nothing that earlier ones left behind; false if there is nothing that could be.
  virtual bool StartAfresh() { return false; }
};

using Shows = std::function<bool(const Case&)>;

// One function, one case after the other.
class FunctionTest final : public CaseTest {
 public:
  explicit FunctionTest(Shows shows, std::function<void()> afresh = {})
      : shows_(std::move(shows)), afresh_(std::move(afresh)) {}
  std::vector<bool> Ask(std::span<const Case* const> cases) override {
    std::vector<bool> answers;
    for (const Case* c : cases) answers.push_back(shows_(*c));
    return answers;
  }
  bool StartAfresh() override {
    if (afresh_) afresh_();
    return afresh_ != nullptr;
  }

 private:
  const Shows shows_;
  const std::function<void()> afresh_;
};

// True for cases whose verdict has exactly this signature. The judge must outlive it.
Shows SameSignature(Judge& judge, std::string signature);

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_TEST_H_
