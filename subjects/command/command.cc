// See command.h.
#include "subjects/command/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "subjects/command/plain_name.h"

namespace oomph {
namespace {

using nlohmann::json;

constexpr size_t kMaxLine = size_t{1} << 20;
constexpr int kMaxDepth = 8;           // of an answer
constexpr int kLookMilliseconds = 50;  // between two looks at whether it is gone
constexpr int kNoProtocol = 76;  // EX_PROTOCOL
constexpr int kProtocol = 1;

struct Ability {
  std::string_view word;
  uint64_t cap;
};
constexpr Ability kAbilities[] = {
    {"align", OOMPH_CAP_ALIGN},         {"end", OOMPH_CAP_TWO_ENDED},     {"realloc", OOMPH_CAP_REALLOC},
    {"fence", OOMPH_CAP_FREE_LATER},    {"validate", OOMPH_CAP_VALIDATE}, {"hash", OOMPH_CAP_STATE_HASH},
    {"free_list", OOMPH_CAP_ENUM_FREE}, {"grows", OOMPH_CAP_GROWS},       {"stats", 0},
};

struct ErrorWord {
  std::string_view word;
  int code;
};
constexpr ErrorWord kErrors[] = {
    {"nomem", OOMPH_NOMEM},     {"invalid", OOMPH_INVALID}, {"unsupported", OOMPH_UNSUPPORTED},
    {"corrupt", OOMPH_CORRUPT}, {"fuel", OOMPH_FUEL},
};

struct StatKey {
  const char* key;
  uint64_t bit;
  uint64_t oomph_stats::* field;
};
constexpr StatKey kStats[] = {
    {"bytes_in_use", OOMPH_STAT_BYTES_IN_USE, &oomph_stats::bytes_in_use},
    {"peak_bytes_in_use", OOMPH_STAT_PEAK_BYTES_IN_USE, &oomph_stats::peak_bytes_in_use},
    {"num_live", OOMPH_STAT_NUM_LIVE, &oomph_stats::num_live},
    {"num_allocs", OOMPH_STAT_NUM_ALLOCS, &oomph_stats::num_allocs},
    {"largest_alloc_size", OOMPH_STAT_LARGEST_ALLOC_SIZE, &oomph_stats::largest_alloc_size},
};

std::string Dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

[[noreturn]] void Exec(const std::string& command_line, int in, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(in, 0);
  dup2(out, 1);
  close_range(3, ~0U, 0);
  signal(SIGPIPE, SIG_DFL);
  execl("/bin/sh", "sh", "-c", command_line.c_str(), nullptr);
  dprintf(2, "/bin/sh: %s\n", std::strerror(errno));
  _exit(127);
}

// --- the calls of a plugin, each one line there and one line back ---

Command& Self(void* allocator) { return *static_cast<Command*>(allocator); }

json RequestFor(const char* op, uint64_t id, const oomph_request& request) {
  json line = {{"op", op}, {"id", id}, {"size", request.size}};
  if (request.alignment != 0) line["align"] = request.alignment;
  if (request.end != 0) line["end"] = request.end == 1 ? "low" : "high";
  return line;
}

int AskForABlock(Command& command, const json& request, uint64_t id, oomph_block* block) {
  json answer;
  const int code = command.Ask(request, answer);
  if (code == OOMPH_OK) *block = {id, command.NumberOf(answer, "off"), command.NumberOf(answer, "reserved")};
  return code;
}

int Alloc(void* self, const oomph_request* request, oomph_block* block) {
  const uint64_t id = Self(self).NewId();
  return AskForABlock(Self(self), RequestFor("alloc", id, *request), id, block);
}

int Realloc(void* self, uint64_t id, const oomph_request* request, oomph_block* block) {
  return AskForABlock(Self(self), RequestFor("realloc", id, *request), id, block);
}

int AskPlainly(void* self, const json& request) {
  json answer;
  return Self(self).Ask(request, answer);
}

int Free(void* self, uint64_t id) { return AskPlainly(self, {{"op", "free"}, {"id", id}}); }

int FreeAfter(void* self, uint64_t id, uint64_t fence) {
  return AskPlainly(self, {{"op", "free"}, {"id", id}, {"fence", fence}});
}

int Fence(void* self, uint64_t fence) { return AskPlainly(self, {{"op", "fence"}, {"fence", fence}}); }

int GetStats(void* self, oomph_stats* stats) {
  json answer;
  const int code = Self(self).Ask({{"op", "stats"}}, answer);
  if (code != OOMPH_OK) return code;
  for (const StatKey& stat : kStats) {
    if (!answer.contains(stat.key)) continue;
    stats->*stat.field = Self(self).NumberOf(answer, stat.key);
    stats->valid |= stat.bit;
  }
  return OOMPH_OK;
}

int Validate(void* self, char* message, size_t message_bytes) {
  json answer;
  const int code = Self(self).Ask({{"op", "validate"}}, answer);
  const auto why = answer.find("why");
  if (why != answer.end()) std::snprintf(message, message_bytes, "%s", Dump(*why).c_str());
  return code;
}

int EnumerateFree(void* self, int (*callback)(void*, uint64_t, uint64_t), void* context) {
  json answer;
  const int code = Self(self).Ask({{"op", "free_list"}}, answer);
  if (code != OOMPH_OK) return code;
  const auto ranges = answer.find("ranges");
  if (ranges == answer.end() || !ranges->is_array()) Self(self).NoAnswer("\"ranges\" is no list");
  for (const json& range : *ranges) {
    const bool pair = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                      range[1].is_number_unsigned();
    if (!pair) Self(self).NoAnswer("a range is no [offset, size]");
    if (callback(context, range[0], range[1]) != 0) break;
  }
  return OOMPH_OK;
}

uint64_t StateHash(void* self) {
  json answer;
  return Self(self).Ask({{"op", "hash"}}, answer) == OOMPH_OK ? Self(self).NumberOf(answer, "hash") : 0;
}

void* NoCreate(const oomph_config*) { return nullptr; }  // see Command::Reset
void Destroy(void*) {}                                   // the next reset does it

}  // namespace

absl::StatusOr<std::shared_ptr<Command>> Command::Start(const std::string& command_line) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("no pipe: ", std::strerror(errno)));
  }
  signal(SIGPIPE, SIG_IGN);  // that it is gone is seen where its answer is read
  const pid_t pid = fork();
  if (pid < 0) return absl::ResourceExhaustedError(absl::StrCat("no process: ", std::strerror(errno)));
  if (pid == 0) Exec(command_line, to[0], from[1]);
  close(to[0]);
  close(from[1]);
  std::shared_ptr<Command> command(new Command(pid, to[1], from[0]));
  if (absl::Status status = command->Hello(); !status.ok()) return status;
  return command;
}

absl::Status Command::Hello() {
  json answer;
  const int code = Ask({{"op", "hello"}, {"protocol", kProtocol}}, answer);
  if (code != OOMPH_OK) return absl::InvalidArgumentError("the command does not say hello back");
  const auto text = [&](const char* key) {
    const auto it = answer.find(key);
    return it != answer.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  name_ = PlainName(text("name"));
  version_ = text("version").substr(0, kMaxName);
  if (name_.empty()) return absl::InvalidArgumentError("the command gives no \"name\" in its hello");
  for (const json& word : answer.value("can", json::array())) {
    const auto* const ability = std::find_if(std::begin(kAbilities), std::end(kAbilities),
                                             [&](const Ability& a) { return word == std::string(a.word); });
    if (ability == std::end(kAbilities)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the command can ", Dump(word), ", which is no ability"));
    }
    caps_ |= ability->cap;
    has_stats_ = has_stats_ || ability->word == "stats";
  }
  const json promises = answer.value("promises", json::object());
  if (!promises.is_object()) return absl::InvalidArgumentError("the command's \"promises\" are no object");
  for (const auto& [name, source] : promises.items()) {
    promise_texts_.push_back(name);
    promise_texts_.push_back(source.is_string() ? source.get<std::string>() : Dump(source));
  }
  for (size_t i = 0; i < promise_texts_.size(); i += 2) {
    promises_.push_back({promise_texts_[i].c_str(), promise_texts_[i + 1].c_str()});
  }
  return absl::OkStatus();
}

std::shared_ptr<const Plugin> Command::AsPlugin() {
  Plugin::Calls calls;
  calls.create = NoCreate;
  calls.destroy = Destroy;
  calls.alloc = Alloc;
  calls.free = Free;
  calls.realloc = Realloc;
  calls.free_after = FreeAfter;
  calls.fence = Fence;
  calls.validate = Validate;
  calls.enumerate_free = EnumerateFree;
  calls.state_hash = StateHash;
  if (has_stats_) calls.get_stats = GetStats;
  oomph_info info = {};
  info.abi = OOMPH_ABI_VERSION;
  info.struct_bytes = sizeof info;
  info.caps = caps_;
  info.name = name_.c_str();
  info.version = version_.c_str();
  info.promises = promises_.data();
  info.num_promises = promises_.size();
  return Plugin::Of("cmd", calls, info);
}

void* Command::Reset(const oomph_config& config) {
  json answer;
  next_id_ = 1;
  const int code = Ask({{"op", "reset"}, {"capacity", config.capacity}, {"seed", config.seed}}, answer);
  return code == OOMPH_OK ? this : nullptr;
}

int Command::Ask(const json& request, json& answer) {
  const bool first = last_request_.empty();
  last_request_ = Dump(request);
  if (!first && (!received_.empty() || (Look(0) & POLLIN) != 0)) NoAnswer("it spoke without being asked");
  Send(last_request_ + "\n");
  const std::string line = ReceiveLine();
  bool deep = false;  // else a quotation of it could take more stack than there is
  const json::parser_callback_t watch = [&](int depth, json::parse_event_t, json&) {
    deep = deep || depth > kMaxDepth;
    return !deep;
  };
  answer = json::parse(line, watch, /*allow_exceptions=*/false);
  if (deep) NoAnswer(absl::StrCat("nested too deep: ", line.substr(0, 200)));
  if (!answer.is_object()) NoAnswer(absl::StrCat("no object: ", line.substr(0, 200)));
  const auto ok = answer.find("ok");
  if (ok == answer.end()) NoAnswer(absl::StrCat("no \"ok\": ", line.substr(0, 200)));
  if (*ok == 1 || *ok == true) return OOMPH_OK;
  if (*ok != 0 && *ok != false) NoAnswer(absl::StrCat("\"ok\" is neither 0 nor 1: ", line.substr(0, 200)));
  const auto error = answer.find("error");
  if (error == answer.end()) return OOMPH_NOMEM;
  for (const ErrorWord& known : kErrors) {
    if (*error == std::string(known.word)) return known.code;
  }
  NoAnswer(absl::StrCat("no such error: ", line.substr(0, 200)));
}

uint64_t Command::NumberOf(const json& answer, const char* key) const {
  const auto it = answer.find(key);
  if (it == answer.end() || !it->is_number_unsigned())
    NoAnswer(absl::StrCat("\"", key, "\" is no number: ", Dump(answer)));
  return it->get<uint64_t>();
}

void Command::NoAnswer(const std::string& why) const {
  dprintf(2, "not an answer to %s: %s\n", last_request_.c_str(), why.substr(0, 300).c_str());
  _exit(kNoProtocol);
}

void Command::Send(const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t sent = write(to_, rest.data(), rest.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) EndLikeIt();
    rest.remove_prefix(static_cast<size_t>(sent));
  }
}

// What poll says of its output: 0 is nothing so far.
int Command::Look(int milliseconds) const {
  pollfd from = {from_, POLLIN, 0};
  return poll(&from, 1, milliseconds) > 0 ? from.revents : 0;
}

std::string Command::ReceiveLine() {
  char buffer[4096];
  size_t looked_at = 0;
  for (;;) {
    const size_t end = received_.find('\n', looked_at);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    looked_at = received_.size();
    if (looked_at > kMaxLine) NoAnswer("a line of more than 1 MiB");
    // Children of its own may hold its output open when it is gone.
    while (Look(kLookMilliseconds) == 0) {
      siginfo_t gone = {};
      const bool ended = waitid(P_PID, static_cast<id_t>(pid_), &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid == pid_;
      if (ended && Look(0) == 0) EndLikeIt();
    }
    const ssize_t got = read(from_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) EndLikeIt();
    received_.append(buffer, static_cast<size_t>(got));
  }
}

// With its signal or its exit code, so that whoever waits for this process sees what happened to it.
void Command::EndLikeIt() {
  close(to_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  if (WEXITSTATUS(status) == 0) dprintf(2, "ended when it was asked %s\n", last_request_.c_str());
  _exit(WEXITSTATUS(status));
}

}  // namespace oomph
