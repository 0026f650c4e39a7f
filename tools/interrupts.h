// Ctrl-C for verbs that end with what they have. Not for: campaigns, which wait for workers as well (fuzz/campaign).
#ifndef OOMPH_TOOLS_INTERRUPTS_H_
#define OOMPH_TOOLS_INTERRUPTS_H_

#include <signal.h>
#include <time.h>

namespace oomph {

// SIGINT and SIGTERM wait here; the verb asks for them and ends with what it has.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGTERM);
    sigprocmask(SIG_BLOCK, &set_, &before_);
    signal(SIGPIPE, SIG_IGN);
  }
  ~Interrupts() {
    const timespec now = {};
    while (sigtimedwait(&set_, nullptr, &now) > 0) {
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  static bool Pending() {
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
  }

 private:
  sigset_t set_, before_;
};

}  // namespace oomph

#endif  // OOMPH_TOOLS_INTERRUPTS_H_
