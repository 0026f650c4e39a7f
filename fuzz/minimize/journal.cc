// See journal.h.
#include "fuzz/minimize/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/store/files.h"
#include "nlohmann/json.hpp"

namespace oomph {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr std::string_view kFirstWord = "{\"oomph_journal\":";
constexpr size_t kLongestLine = size_t{1} << 20;
constexpr size_t kMostLines = size_t{1} << 16;  // bytes that wait to be written
constexpr auto kPause = std::chrono::milliseconds(50);

std::string Hex(const Fingerprint& of) { return absl::StrFormat("%016x%016x", of.first, of.second); }

std::optional<Fingerprint> FromHex(std::string_view hex) {
  Fingerprint of;
  if (hex.size() != 32) return std::nullopt;
  const absl::string_view text(hex.data(), hex.size());
  const bool both = absl::SimpleHexAtoi(text.substr(0, 16), &of.first) && absl::SimpleHexAtoi(text.substr(16), &of.second);
  if (!both) return std::nullopt;
  return of;
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', true, Json::error_handler_t::replace); }

// Begins with kFirstWord, as the key does that comes first.
std::string HeaderOf(const JournalKey& key) {
  return absl::StrCat(std::string(kFirstWord), kFormat, ",\"family\":", Dump(key.family), ",\"input\":\"", Hex(key.input),
                      "\",\"test\":", Dump(key.test), ",\"expect\":", Dump(key.expect), ",\"fixed\":");
}

bool IsText(const Json& json, const char* key) { return json.contains(key) && json[key].is_string(); }

// Why a reduction of `ours` is none of the journal that begins with this line; empty if it is.
std::string Differs(const std::string& line, const JournalKey& ours) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("oomph_journal")) return "is no journal of a reduction";
  if (json["oomph_journal"] != kFormat) return "is a journal of another version of this program";
  const Json mine = Json::parse(HeaderOf(ours) + "\"\"}");
  for (const auto& [key, words] : {std::pair("family", "family"), std::pair("input", "case"), std::pair("test", "test"),
                                   std::pair("expect", "expectation")}) {
    if (!json.contains(key) || json[key] != mine[key]) return absl::StrCat("belongs to a reduction of another ", words);
  }
  return IsText(json, "fixed") ? "" : "is damaged";
}

}  // namespace

absl::StatusOr<std::unique_ptr<FileJournal>> FileJournal::Open(const Family& family, const JournalKey& key,
                                                               const JournalOptions& options) {
  std::unique_ptr<FileJournal> journal(new FileJournal(family, options));
  if (!options.steps.empty()) {
    if (absl::Status status = MakeWritableFolder(options.steps); !status.ok()) return status;
  }
  journal->header_ = HeaderOf(key);
  if (options.out.empty() || !options.keep) return journal;
  if (absl::Status status = journal->Read(key); !status.ok()) return status;
  return journal;
}

FileJournal::~FileJournal() {
  Flush();
  if (fd_ >= 0) close(fd_);
}

absl::Status FileJournal::Read(const JournalKey& key) {
  const std::string path = this->path();
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  struct stat is = {};
  if (fd_ >= 0 && (fstat(fd_, &is) != 0 || !S_ISREG(is.st_mode))) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no plain file"));
  }
  if (fd_ < 0) return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": a reduction is at it; another -o goes elsewhere"));
  }
  std::ifstream in(path, std::ios::binary);
  std::vector<char> line(kLongestLine);
  size_t good = 0;  // bytes
  for (bool first = true; in.getline(line.data(), line.size()) && !in.eof(); first = false) {
    const std::string text = line.data();
    if (first) {
      const std::string differs = Differs(text, key);
      if (!differs.empty() && options_.restart && text.starts_with(kFirstWord)) break;
      if (!differs.empty()) {
        return absl::FailedPreconditionError(absl::StrCat(path, ": ", differs, "; --restart begins anew, -o goes elsewhere"));
      }
      if (options_.restart) break;
      fixed_ = Json::parse(text)["fixed"];
    } else {
      const Json json = Json::parse(text, nullptr, false);
      if (!json.is_object()) break;
      if (IsText(json, "a") && json.contains("y") && json["y"].is_boolean()) {
        const auto of = FromHex(json["a"].get_ref<const std::string&>());
        if (!of) break;
        known_[*of] = json["y"];
      }
    }
    good += static_cast<size_t>(in.gcount());
  }
  if (good == 0) {
    // No whole line: what was cut off before the first was whole is ours, anything else is not.
    const std::string_view begun = line.data();
    if (!begun.starts_with(kFirstWord) && !kFirstWord.starts_with(begun)) {
      return absl::FailedPreconditionError(path + ": is no journal of a reduction; -o goes elsewhere");
    }
  }
  caught_up_ = known_.empty();
  if (ftruncate(fd_, static_cast<off_t>(good)) != 0 || lseek(fd_, 0, SEEK_END) < 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status FileJournal::Begin(const std::string& fixed) {
  if (fd_ < 0 || !fixed_.empty()) return absl::OkStatus();
  fixed_ = fixed;
  lines_ = absl::StrCat(header_, Dump(fixed), "}\n");
  WriteLines();
  return status_;
}

std::optional<bool> FileJournal::Known(const Fingerprint& of) {
  const auto known = known_.find(of);
  return known == known_.end() ? std::nullopt : std::optional(known->second);
}

void FileJournal::Answered(const Fingerprint& of, bool shows) {
  caught_up_ = true;
  Line(absl::StrCat("{\"a\":\"", Hex(of), "\",\"y\":", shows ? "true" : "false", "}\n"));
  WriteBest(false);
}

void FileJournal::Smaller(const Case& c, const MinimizeStep& step) {
  ++steps_;
  if (!options_.steps.empty()) {
    const std::string path = absl::StrFormat("%s/%04d%s", options_.steps, steps_, options_.extension);
    Note(WriteFileAtomically(path, options_.text(c)));
  }
  if (caught_up_) {
    Line(Dump({{"step", std::string(step.reduction)},
               {"size", step.size},
               {"tests", step.tests},
               {"seconds", step.seconds}}) +
         "\n");
  }
  best_ = family_.Clone(c);
  WriteBest(false);
}

void FileJournal::TakenBack(const Case& c) {
  caught_up_ = true;  // what it has been told since then is in no journal
  if (fd_ >= 0) Line("{\"step\":\"taken back\"}\n");
  best_ = family_.Clone(c);
  WriteBest(true);
}

void FileJournal::Line(const std::string& line) {
  if (fd_ < 0) return;
  lines_ += line;
  if (lines_.size() > kMostLines || (!lines_.empty() && Clock::now() - lines_written_ > kPause)) WriteLines();
}

void FileJournal::WriteLines() {
  for (size_t done = 0; done < lines_.size();) {
    const ssize_t n = write(fd_, lines_.data() + done, lines_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      Note(absl::ResourceExhaustedError(absl::StrCat(path(), ": cannot be written: ", std::strerror(errno))));
      break;
    }
    done += static_cast<size_t>(n);
  }
  lines_.clear();
  lines_written_ = Clock::now();
}

// Not more often than every 50 ms, and not for more than a tenth of the time.
void FileJournal::WriteBest(bool now) {
  if (best_ == nullptr || options_.out.empty() || !caught_up_) return;
  const auto start = Clock::now();
  if (!now && start - best_written_ < pause_) return;
  Note(WriteFileAtomically(options_.out, options_.text(*best_)));
  best_ = nullptr;
  best_written_ = Clock::now();
  pause_ = std::max<Clock::duration>(kPause, 10 * (best_written_ - start));
}

void FileJournal::Poll() {
  WriteBest(false);
  Line("");
}

void FileJournal::Flush() {
  WriteBest(true);
  if (fd_ >= 0 && !lines_.empty()) WriteLines();
}

void FileJournal::Note(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

void FileJournal::Remove() {
  if (fd_ < 0) return;
  unlink(path().c_str());
  close(fd_);
  fd_ = -1;
}

}  // namespace oomph
