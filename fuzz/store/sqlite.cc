// See sqlite.h.
#include "fuzz/store/sqlite.h"

#include <sqlite3.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace oomph {

absl::StatusOr<Database> Database::Open(const std::string& path, Mode mode) {
  sqlite3* raw = nullptr;
  const int flags = mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Database db(raw, path);
  if (code != SQLITE_OK) return db.error(code);
  sqlite3_busy_timeout(raw, 10000);
  return db;
}

Database::Database(Database&& other) noexcept
    : db_(std::exchange(other.db_, nullptr)), path_(std::move(other.path_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(path_, other.path_);
  return *this;
}

Database::~Database() { sqlite3_close_v2(db_); }

absl::Status Database::error(int code) const {
  const std::string text = absl::StrCat(path_, ": ", sqlite3_errstr(code), ": ", sqlite3_errmsg(db_));
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
      return absl::OkStatus();
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return absl::ResourceExhaustedError(absl::StrCat(text, " (is the disk full?)"));
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return absl::InvalidArgumentError(absl::StrCat(text, "; move it away and start anew"));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::PermissionDeniedError(text);
    case SQLITE_BUSY:
      return absl::UnavailableError(text);
    default:
      return absl::InternalError(text);
  }
}

absl::Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : error(code);
}

Statement::Statement(Database& db, std::string_view sql) : db_(db) {
  const int code = sqlite3_prepare_v2(db.raw(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) status_ = db.error(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

bool Statement::Step() {
  if (!status_.ok()) return false;
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) status_ = db_.error(code);
  return code == SQLITE_ROW;
}

absl::Status Statement::Run() {
  while (Step()) {
  }
  return status_;
}

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::Double(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return text == nullptr ? "" : std::string(text, static_cast<size_t>(size));
}

void Statement::BindInt(int64_t value) {
  if (statement_ != nullptr) sqlite3_bind_int64(statement_, next_++, value);
}
void Statement::BindDouble(double value) {
  if (statement_ != nullptr) sqlite3_bind_double(statement_, next_++, value);
}
void Statement::BindText(std::string_view value) {
  if (statement_ == nullptr) return;
  sqlite3_bind_text(statement_, next_++, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
}

}  // namespace oomph
