// Crew: threads that take the steps of a trace in turn, and bystanders that work at the same time.
// Not for: what a bystander does (see bystander.h).
//
//     caller      Do(step 0) ......|  Do(step 1) ......|  Rest() |
//     stepper 0   step 0 ----------|                             |
//     stepper 1                       step 1 ----------|         |
//     bystander   share 0 --------------- share 1 -------------- |
//
// Who takes which step follows from its number, so what a step does to an allocator is the same each time; how the
// shares of the bystanders fall between is up to the machine.
#ifndef OOMPH_SUBJECTS_MALLOC_CREW_H_
#define OOMPH_SUBJECTS_MALLOC_CREW_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace oomph::malloc_family {

class Crew {
 public:
  using Share = std::function<void(uint64_t word)>;  // a bystander's work for one step; `word` is the step's

  // Without steppers, steps are taken by the caller.
  Crew(size_t steppers, std::vector<Share> bystanders)
      : num_steppers_(steppers), bystanders_(std::move(bystanders)), done_(bystanders_.size(), 0) {
    for (size_t i = 0; i < steppers; ++i) threads_.emplace_back([this, i] { Step(i); });
    for (size_t i = 0; i < bystanders_.size(); ++i) threads_.emplace_back([this, i] { StandBy(i); });
  }
  // Bystanders end their shares first.
  ~Crew() {
    Rest();
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Returns once `call` has; each bystander has one share more to do, beginning now.
  void Do(uint64_t word, const std::function<void()>& call) {
    if (threads_.empty()) return call();
    {
      const std::lock_guard lock(mutex_);
      words_.push_back(word);
      if (num_steppers_ > 0) call_ = &call;
    }
    work_.notify_all();
    if (num_steppers_ == 0) return call();
    std::unique_lock lock(mutex_);
    rest_.wait(lock, [this] { return call_ == nullptr; });
  }

  // Until every bystander has done its shares.
  void Rest() {
    std::unique_lock lock(mutex_);
    rest_.wait(lock, [this] {
      for (const size_t done : done_) {
        if (done < words_.size()) return false;
      }
      return true;
    });
  }

 private:
  void Step(size_t index) {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [&] { return over_ || (call_ != nullptr && (words_.size() - 1) % num_steppers_ == index); });
      if (call_ == nullptr) return;
      lock.unlock();
      (*call_)();
      lock.lock();
      call_ = nullptr;
      rest_.notify_all();
    }
  }

  void StandBy(size_t index) {
    std::unique_lock lock(mutex_);
    while (true) {
      work_.wait(lock, [&] { return over_ || done_[index] < words_.size(); });
      if (done_[index] == words_.size()) return;
      const uint64_t word = words_[done_[index]];
      lock.unlock();
      bystanders_[index](word);
      lock.lock();
      ++done_[index];
      rest_.notify_all();
    }
  }

  const size_t num_steppers_;
  const std::vector<Share> bystanders_;
  std::mutex mutex_;
  std::condition_variable work_, rest_;
  std::vector<uint64_t> words_;  // of the steps so far
  std::vector<size_t> done_;     // shares that each bystander has done
  const std::function<void()>* call_ = nullptr;  // of the step at hand
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace oomph::malloc_family

#endif  // OOMPH_SUBJECTS_MALLOC_CREW_H_
