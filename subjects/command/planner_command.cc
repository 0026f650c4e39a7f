// See planner_command.h.
#include "subjects/command/planner_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "models/base/units.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"
#include "models/placement/text.h"
#include "subjects/child/process.h"
#include "subjects/command/plain_name.h"
#include "subjects/command/planner_answer.h"

namespace oomph {
namespace {

using placement::Buffer;
using placement::Problem;
using placement::ProgramEnd;
using placement::Status;

constexpr std::string_view kIn = "{in}", kOut = "{out}", kCapacity = "{capacity}";
constexpr uint64_t kMaxSaid = uint64_t{1} << 20;          // the last of it is read
constexpr uint64_t kLeastFileBytes = uint64_t{64} << 20;  // that it may write in one file
constexpr size_t kBuffersASecond = 10'000;                // more time for larger problems
constexpr int kNotExecutable = 126, kNoProgram = 127;     // of sh

// What minimalloc's CSV carries. Empty ranges and sizes of 0 are in no planner's documentation.
constexpr Bits64 Bit(placement::feature::Index index) { return Bits64{1} << index; }
constexpr Bits64 kFeatures = Bit(placement::feature::kCapacity) | Bit(placement::feature::kMinimize) |
                             Bit(placement::feature::kAlign) | Bit(placement::feature::kOddAlign) |
                             Bit(placement::feature::kFixed) | Bit(placement::feature::kHint) |
                             Bit(placement::feature::kGaps) | Bit(placement::feature::kWindows) |
                             Bit(placement::feature::kMany);

// A folder of our own, gone with this.
class Folder {
 public:
  Folder() {
    std::string pattern = absl::StrCat(Base(), "/oomph_planner_XXXXXX");
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  bool ok() const { return !path_.empty(); }
  std::string File(const char* name) const { return absl::StrCat(path_, "/", name); }

 private:
  // Its name stands in a shell's command line as it is, so it may hold nothing that a shell reads.
  static std::string Base() {
    const char* from = std::getenv("TMPDIR");
    const std::string base = from == nullptr ? "" : from;
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' ||
             c == '_' || c == '-';
    };
    return base.starts_with('/') && std::all_of(base.begin(), base.end(), plain) ? base : "/tmp";
  }
  std::string path_;
};

bool Write(const std::string& path, std::string_view text) {
  FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

// The last `max_bytes` of a plain file, which is what it has to be: a pipe or a link could go anywhere.
std::optional<std::string> ReadLast(const std::string& path, uint64_t max_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat info = {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return close(fd), std::nullopt;
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  const uint64_t skipped = size - std::min(size, max_bytes);
  std::string text(static_cast<size_t>(size - skipped), '\0');
  size_t got = 0;
  while (got < text.size()) {
    const ssize_t more = pread(fd, text.data() + got, text.size() - got, static_cast<off_t>(skipped + got));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += static_cast<size_t>(more);
  }
  close(fd);
  text.resize(got);
  return text;
}

// --- in the child ---

[[noreturn]] void Exec(const std::string& command_line, const std::string& said, uint64_t file_bytes) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();  // `kill 0` in a script is for its own processes, not for who watches them
  const int fd = open(said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0) _exit(kNoProgram);
  dup2(fd, 1);
  dup2(fd, 2);
  close_range(3, ~0U, 0);
  const rlimit bytes = {file_bytes, file_bytes};
  setrlimit(RLIMIT_FSIZE, &bytes);
  execl("/bin/sh", "sh", "-c", command_line.c_str(), nullptr);
  dprintf(2, "/bin/sh: %s\n", std::strerror(errno));
  _exit(kNoProgram);
}

// Sends how the program ended.
void RunProgram(const std::string& command_line, const std::string& said, uint64_t file_bytes, ChildSocket& socket) {
  const pid_t pid = fork();
  if (pid < 0) return;
  if (pid == 0) Exec(command_line, said, file_bytes);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return;
  }
  socket.Send(static_cast<uint64_t>(status), "");
}

// --- in the parent ---

// As the program sees it: ids that are plain and unique, no columns of ours.
Problem ForPlanner(const Problem& problem) {
  Problem seen = problem;
  seen.capacity.reset();  // it stands in the command line
  seen.extra_columns.clear();
  for (size_t i = 0; i < seen.buffers.size(); ++i) {
    seen.buffers[i].id = placement::NameForPlanner(i);
    seen.buffers[i].extra.clear();
  }
  return seen;
}

// What the CSV of a planner has no column for; empty: nothing.
std::string NotCarried(const Problem& problem) {
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.space != 0) return "memory spaces";
    if (buffer.group != 0) return "groups";
    if (!buffer.slices.empty()) return "slices";
  }
  return "";
}

void End(Status status, std::string note, placement::Plan& plan) {
  plan = {};
  plan.status = status;
  plan.note = std::move(note);
}

constexpr std::string_view kRunners[] = {"python3", "python", "sh",   "bash", "env",  "exec",
                                         "perl",    "ruby",   "node", "java", "nice", "timeout"};

// The first {word} of the template that is none of ours; empty: there is none. ${word} is the shell's.
std::string_view UnknownPlaceholder(std::string_view command_line) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  for (size_t at = command_line.find('{'); at != command_line.npos; at = command_line.find('{', at + 1)) {
    const size_t end = command_line.find_first_not_of(kLetters, at + 1);
    if (end == command_line.npos || end == at + 1 || command_line[end] != '}') continue;
    const std::string_view word = command_line.substr(at, end + 1 - at);
    const bool of_the_shell = at > 0 && command_line[at - 1] == '$';
    if (!of_the_shell && word != kIn && word != kOut && word != kCapacity) return word;
  }
  return "";
}

bool IsRunner(const std::string& name) {
  return std::find(std::begin(kRunners), std::end(kRunners), name) != std::end(kRunners);
}

}  // namespace

bool IsPlannerCommand(std::string_view command_line) {
  return command_line.find(kIn) != command_line.npos && command_line.find(kOut) != command_line.npos;
}

std::string NameOfPlannerCommand(std::string_view command_line) {
  std::string first;
  constexpr std::string_view kBlanks = " \t'\";|&<>()";
  while (!command_line.empty()) {
    const size_t begin = std::min(command_line.find_first_not_of(kBlanks), command_line.size());
    const size_t end = std::min(command_line.find_first_of(kBlanks, begin), command_line.size());
    const std::string_view word = command_line.substr(begin, end - begin);
    command_line.remove_prefix(end);
    if (word.empty() || word[0] == '-' || word.find('=') != word.npos || word.find('{') != word.npos) continue;
    const std::string name = PlainName(word.substr(word.rfind('/') + 1));
    if (first.empty()) first = name;
    if (!IsRunner(name)) return absl::StrCat("cmd:", name);
  }
  return absl::StrCat("cmd:", first.empty() ? "planner" : first);
}

uint64_t CapacityForAll(const Problem& problem) {
  uint64_t top = 0, fixed = 0;
  for (const Buffer& buffer : problem.buffers) {
    top = SaturatingAdd(top, SaturatingAdd(buffer.size, placement::AlignmentOf(buffer) - 1));
    if (buffer.fixed) fixed = std::max(fixed, SaturatingAdd(*buffer.fixed, buffer.size));
  }
  // Planners count in 64 bits with a sign.
  return std::min<uint64_t>(SaturatingAdd(top, fixed), INT64_MAX);
}

PlannerCommand::PlannerCommand(const Family& family, std::string name, std::string command_line,
                               const ChildLimits& limits)
    : command_line_(std::move(command_line)), limits_(limits) {
  info_.family = &family;
  info_.name = std::move(name);
  info_.version = "a command";
  info_.promises = placement::promise::kOffsets;
  info_.promise_sources = {"offsets: docs/HOWTO.md, Try your planner: exit 0 with offsets is a placement"};
  info_.features = kFeatures;
  info_.in_child = true;
}

void PlannerCommand::Run(const Case& c, Outcome& outcome) {
  Plan(static_cast<const CaseOf<Problem>&>(c).value, static_cast<OutcomeOf<placement::Plan>&>(outcome).value);
}

void PlannerCommand::Plan(const Problem& problem, placement::Plan& plan) const {
  if (const std::string what = NotCarried(problem); !what.empty()) {
    return End(Status::kInvalid, absl::StrCat("the CSV of a planner does not carry ", what), plan);
  }
  const Folder folder;
  const std::string in = folder.File("in.csv"), out = folder.File("out.csv"), said = folder.File("said");
  const std::string text = placement::PrintProblem(ForPlanner(problem));
  if (!folder.ok() || !Write(in, text)) return End(Status::kNotRun, "no folder for its files", plan);
  const std::string capacity = absl::StrCat(problem.capacity ? *problem.capacity : CapacityForAll(problem));
  const std::string line = absl::StrReplaceAll(
      command_line_, {{std::string(kIn), in}, {std::string(kOut), out}, {std::string(kCapacity), capacity}});
  const uint64_t file_bytes = std::max<uint64_t>(kLeastFileBytes, SaturatingMul(text.size(), 4));
  auto process = Process::Fork([&](ChildSocket& socket) { RunProgram(line, said, file_bytes, socket); },
                               limits_.memory_bytes);
  if (!process.ok()) return End(Status::kNotRun, std::string(process.status().message()), plan);
  const auto time = limits_.case_time + std::chrono::seconds(problem.buffers.size() / kBuffersASecond);
  Frame ended;
  const Process::Talk talk = (*process)->Receive(ended, 0, std::chrono::steady_clock::now() + time);
  if (talk == Process::Talk::kDeadline) {
    return End(Status::kHung, absl::StrCat("no answer within ", time.count(), " ms"), plan);
  }
  if (talk != Process::Talk::kDone) {
    return End(Status::kDied, absl::StrCat("it took along the process that watches it: ", (*process)->End()), plan);
  }
  process->reset();  // and what it left running
  ProgramEnd end;
  end.wait_status = static_cast<int>(ended.number);
  end.said = ReadLast(said, kMaxSaid).value_or("");
  end.offsets = ReadLast(out, file_bytes);
  placement::ReadAnswer(end, problem.buffers.size(), plan);
}

absl::StatusOr<SubjectRow> PlannerCommandRow(const Family& family, const std::string& command_line,
                                             const ChildLimits& limits) {
  if (!IsPlannerCommand(command_line)) {
    return absl::UnimplementedError(
        absl::StrCat("cmd:", command_line, ": the command of a planner has {in} and {out}, where its files are"));
  }
  if (const std::string_view word = UnknownPlaceholder(command_line); !word.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cmd:", command_line, ": expected {in}, {out} or {capacity}, found ", std::string(word),
                     " (with a blank after its { it is the program's)"));
  }
  SubjectRow row;
  row.family = &family;
  row.name = NameOfPlannerCommand(command_line);
  row.spec = absl::StrCat("cmd:", command_line);
  row.title = "a planner over CSV files";
  row.variants = {""};
  row.make = [&family, name = row.name, command_line, limits](const std::string&, bool) {
    return std::make_unique<PlannerCommand>(family, name, command_line, limits);
  };
  // A name that is typed wrong is no fault of a planner.
  placement::Plan plan;
  PlannerCommand(family, row.name, command_line, limits).Plan(Problem(), plan);
  if (plan.status == Status::kDied &&
      (plan.note.starts_with(absl::StrCat("exit ", kNoProgram)) ||
       plan.note.starts_with(absl::StrCat("exit ", kNotExecutable)))) {
    return absl::UnavailableError(absl::StrCat(row.spec, ": ", plan.note));
  }
  return row;
}

}  // namespace oomph
