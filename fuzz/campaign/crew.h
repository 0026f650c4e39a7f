// The workers of a campaign and what each is at: hands out commands, replaces the dead.
// Not for: what commands mean (see campaign.cc).
#ifndef OOMPH_FUZZ_CAMPAIGN_CREW_H_
#define OOMPH_FUZZ_CAMPAIGN_CREW_H_

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "fuzz/campaign/worker.h"

namespace oomph {

class Crew {
 public:
  struct Events {
    std::function<void(const nlohmann::json& command, nlohmann::json message)> message;
    // The worker died (or hung and was killed) at a case number; `how` says how.
    std::function<void(const nlohmann::json& command, uint64_t number, bool hung, const std::string& how)> death;
  };

  Crew(const WorkerContext& context, int size, Events events);
  absl::Status Start();

  // Gives idle workers what `next` returns (null: nothing to do).
  absl::Status Assign(const std::function<nlohmann::json()>& next);
  // Waits up to `milliseconds` for messages or for `extra_fd` to be readable, and handles them; true if
  // extra_fd is readable.
  bool Wait(int milliseconds, int extra_fd);
  bool idle() const;
  void Stop();  // asks all to end after the current case
  void Kill();

 private:
  struct Member {
    std::unique_ptr<Worker> worker;
    nlohmann::json command;  // null: idle
    uint64_t beats = 0;
    std::chrono::steady_clock::time_point alive;
    bool hung = false;
  };
  void Read(Member& member);
  void Watch(Member& member);

  const WorkerContext& context_;
  const Events events_;
  std::vector<Member> members_;
  bool stopping_ = false;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_CREW_H_
