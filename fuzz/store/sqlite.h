// A thin coat over SQLite: a database, prepared statements, errors as absl::Status.
// Not for: what is stored (see store.h).
#ifndef OOMPH_FUZZ_STORE_SQLITE_H_
#define OOMPH_FUZZ_STORE_SQLITE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace oomph {

class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  static absl::StatusOr<Database> Open(const std::string& path, Mode mode);
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  // One or more statements without parameters.
  absl::Status Execute(const std::string& sql);
  absl::Status error(int code) const;
  sqlite3* raw() const { return db_; }
  const std::string& path() const { return path_; }

 private:
  Database(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}
  sqlite3* db_ = nullptr;
  std::string path_;
};

// Statement s(db, "SELECT a FROM t WHERE b = ?"); s.Bind(7); while (s.Step()) s.Int(0); s.status()
class Statement {
 public:
  Statement(Database& db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds the parameters in order.
  template <typename... Values>
  Statement& Bind(const Values&... values) {
    (BindNext(values), ...);
    return *this;
  }
  bool Step();            // true: there is a row
  absl::Status Run();     // steps to the end
  const absl::Status& status() const { return status_; }
  int64_t Int(int column) const;
  double Double(int column) const;
  std::string Text(int column) const;

 private:
  template <typename Value>
  void BindNext(const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      BindDouble(value);
    } else if constexpr (std::is_integral_v<Value>) {
      BindInt(static_cast<int64_t>(value));
    } else {
      BindText(value);
    }
  }
  void BindInt(int64_t value);
  void BindDouble(double value);
  void BindText(std::string_view value);

  Database& db_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
  absl::Status status_;
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& db) : db_(db), status_(db.Execute("BEGIN IMMEDIATE")) {}
  ~Transaction() {
    if (open_ && status_.ok()) (void)db_.Execute("ROLLBACK");
  }
  const absl::Status& status() const { return status_; }
  absl::Status Commit() {
    const absl::Status status = db_.Execute("COMMIT");
    if (status.ok()) open_ = false;
    return status;
  }

 private:
  Database& db_;
  absl::Status status_;
  bool open_ = true;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_STORE_SQLITE_H_
