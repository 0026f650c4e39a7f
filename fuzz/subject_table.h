// Everything that can be put under test, by name: the table of subjects and the planted faults in one.
// Resolves what --subject and a case file's `oomph subject` line say.
// Not for: what a subject does (see subjects/).
#ifndef OOMPH_FUZZ_SUBJECT_TABLE_H_
#define OOMPH_FUZZ_SUBJECT_TABLE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "subjects/subject.h"

namespace oomph {

// One family, subject and variant: what a campaign deals time to.
struct Pair {
  std::shared_ptr<const SubjectRow> row;  // of the table, or its own (plugin:PATH, cmd:TEMPLATE)
  std::string variant;
  const Family& family() const { return *row->family; }
  // As --subject takes it.
  std::string Spec() const {
    const std::string& name = row->spec.empty() ? row->name : row->spec;
    return variant.empty() ? name : name + ":" + variant;
  }
};

// A subject with what it is compared with.
struct Loaded {
  std::unique_ptr<Subject> subject;
  std::unique_ptr<Subject> reference;  // null: nothing
};

class SubjectTable {
 public:
  explicit SubjectTable(std::vector<SubjectRow> rows) : rows_(std::move(rows)) {}
  // SubjectRows() and Faults().
  static const SubjectTable& All();

  std::span<const SubjectRow> rows() const { return rows_; }
  std::vector<const Family*> families() const;

  // The pairs that one spec `NAME[:VARIANT]` names, in one family or (nullptr) in all. Without a
  // variant: all of them. An error if there is no such subject or it is absent.
  absl::StatusOr<std::vector<Pair>> Find(std::string_view spec, const Family* family) const;

  // What a campaign runs over. No specs: every row that is present and no planted fault.
  absl::StatusOr<std::vector<Pair>> Select(std::span<const std::string> specs,
                                           std::span<const Family* const> families) const;
  // Each pair gets this reference in place of its own: a model with a planted fault shows what the subject would tell of such
  // a fault. An error if one of the families has no such subject, or it is absent.
  absl::Status CompareWith(const std::string& reference, std::vector<Pair>& pairs) const;
  // Rows that a campaign without specs leaves out because they are absent.
  std::vector<const SubjectRow*> Absent(std::span<const Family* const> families) const;

  // Foreign code comes in a process of its own, unless `in_child` is false; what is built in never does.
  absl::StatusOr<Loaded> Load(const Pair& pair, bool in_child = true) const;

 private:
  const SubjectRow* Row(std::string_view name, const Family* family) const;

  const std::vector<SubjectRow> rows_;
};

bool IsFault(const SubjectRow& row);
// The models that are compiled in, and the planted faults made from them.
bool IsBuiltIn(const SubjectRow& row);

}  // namespace oomph

#endif  // OOMPH_FUZZ_SUBJECT_TABLE_H_
