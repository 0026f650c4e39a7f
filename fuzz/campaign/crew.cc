// See crew.h.
#include "fuzz/campaign/crew.h"

#include <poll.h>

#include <utility>

namespace oomph {
namespace {

// No single run of a subject may take longer; subjects in a child have shorter limits of their own.
constexpr auto kHang = std::chrono::seconds(120);

}  // namespace

Crew::Crew(const WorkerContext& context, int size, Events events)
    : context_(context), events_(std::move(events)), members_(static_cast<size_t>(size)) {}

absl::Status Crew::Start() {
  for (Member& member : members_) {
    auto worker = Worker::Start(context_);
    if (!worker.ok()) return worker.status();
    member.worker = *std::move(worker);
  }
  return absl::OkStatus();
}

absl::Status Crew::Assign(const std::function<nlohmann::json()>& next) {
  for (Member& member : members_) {
    if (!member.command.is_null()) continue;
    nlohmann::json command = next();
    if (command.is_null()) return absl::OkStatus();
    if (member.worker == nullptr) {
      auto worker = Worker::Start(context_);
      if (!worker.ok()) return worker.status();
      member.worker = *std::move(worker);
    }
    member.command = std::move(command);
    member.alive = std::chrono::steady_clock::now();
    member.hung = false;
    member.worker->slot().number = UINT64_MAX;
    member.worker->Send(member.command);  // if it is dead already, its pipe tells
  }
  return absl::OkStatus();
}

bool Crew::idle() const {
  for (const Member& member : members_) {
    if (!member.command.is_null()) return false;
  }
  return true;
}

void Crew::Stop() {
  stopping_ = true;
  for (Member& member : members_) {
    if (member.worker != nullptr) member.worker->slot().stop = true;
  }
}

void Crew::Kill() {
  for (Member& member : members_) {
    if (member.worker != nullptr) member.worker->Kill();
  }
}

bool Crew::Wait(int milliseconds, int extra_fd) {
  std::vector<pollfd> fds = {{extra_fd, POLLIN, 0}};
  std::vector<Member*> who = {nullptr};
  for (Member& member : members_) {
    if (member.worker == nullptr) continue;
    fds.push_back({member.worker->fd(), POLLIN, 0});
    who.push_back(&member);
  }
  poll(fds.data(), fds.size(), milliseconds);
  for (size_t i = 1; i < fds.size(); ++i) {
    if (fds[i].revents != 0) Read(*who[i]);
    if (who[i]->worker != nullptr) Watch(*who[i]);
  }
  return (fds[0].revents & POLLIN) != 0;
}

void Crew::Read(Member& member) {
  const bool open = member.worker->reader().Fill(member.worker->fd());
  while (auto message = member.worker->reader().Next()) {
    const nlohmann::json command = member.command;
    if ((*message)["do"] != "found") member.command = nullptr;
    events_.message(command, *std::move(message));
  }
  if (open) return;
  const uint64_t number = member.worker->slot().number;
  const std::string how = member.worker->Wait();
  const nlohmann::json command = std::exchange(member.command, nullptr);
  member.worker = nullptr;
  if (!command.is_null() && !stopping_) events_.death(command, number, member.hung, how);
}

void Crew::Watch(Member& member) {
  const uint64_t beats = member.worker->slot().beats;
  const auto now = std::chrono::steady_clock::now();
  if (beats != member.beats || member.command.is_null()) {
    member.beats = beats;
    member.alive = now;
  } else if (now - member.alive > kHang) {
    member.hung = true;
    member.worker->Kill();
  }
}

}  // namespace oomph
