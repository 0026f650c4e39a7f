// See subject_table.h.
#include "fuzz/subject_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "fuzz/faults/faults.h"
#include "models/families.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

constexpr std::string_view kFaultPrefix = "fault:";

SubjectRow RowOfFault(const FaultRow& fault) {
  SubjectRow row;
  row.family = fault.family;
  row.name = absl::StrCat("fault:", std::string(fault.name));
  row.variants = {""};
  row.title = std::string(fault.what);
  row.reference = "model";
  row.make = [make = fault.make](const std::string&, bool) -> absl::StatusOr<std::unique_ptr<Subject>> {
    return make();
  };
  return row;
}

std::shared_ptr<const SubjectRow> Borrow(const SubjectRow& row) {
  return {std::shared_ptr<const SubjectRow>(), &row};
}

// A variant that is not listed may still be one that the subject understands: it is asked.
absl::Status CheckVariant(const SubjectRow& row, const std::string& variant) {
  if (std::find(row.variants.begin(), row.variants.end(), variant) != row.variants.end()) return absl::OkStatus();
  const absl::Status status = row.make(variant, /*in_child=*/true).status();
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat("subject ", row.name, ": ", std::string(status.message())));
}

absl::StatusOr<std::vector<Pair>> FindForeign(std::string_view spec, const Family* only) {
  std::vector<Pair> pairs;
  absl::Status refused = absl::NotFoundError("no family takes foreign code");
  bool none_asked = true;
  for (const Family* family : Families()) {
    if (only != nullptr && family != only) continue;
    const auto found = FindSubjects(*family, spec);
    if (!found.ok()) {
      // Unimplemented: it is of another family's kind, which knows better what is wrong with it.
      if (none_asked || !absl::IsUnimplemented(found.status())) refused = found.status();
      none_asked = false;
      continue;
    }
    for (const SubjectChoice& choice : *found) {
      pairs.push_back({std::make_shared<SubjectRow>(choice.row), choice.variant});
    }
  }
  if (pairs.empty()) return refused;
  return pairs;
}

std::string ReferenceVariant(const SubjectRow& row, const std::string& variant, const SubjectRow& reference) {
  if (row.reference_variant) return row.reference_variant(variant);
  const auto& variants = reference.variants;
  const bool same = std::find(variants.begin(), variants.end(), variant) != variants.end();
  return same || variants.empty() ? variant : variants.front();
}

bool Has(std::span<const Family* const> families, const Family* family) {
  return families.empty() || std::find(families.begin(), families.end(), family) != families.end();
}

}  // namespace

bool IsFault(const SubjectRow& row) { return row.name.starts_with(kFaultPrefix); }

bool IsBuiltIn(const SubjectRow& row) {
  if (!row.spec.empty()) return false;  // a plugin may be called what it likes
  return IsFault(row) || row.name == "model" || row.name == "specification";
}

const SubjectTable& SubjectTable::All() {
  static const SubjectTable table([] {
    std::vector<SubjectRow> rows;
    for (const SubjectRow& row : SubjectRows()) rows.push_back(row);
    for (const FaultRow& fault : Faults()) rows.push_back(RowOfFault(fault));
    return rows;
  }());
  return table;
}

std::vector<const Family*> SubjectTable::families() const {
  std::vector<const Family*> families;
  for (const SubjectRow& row : rows_) {
    if (families.empty() || !Has(families, row.family)) families.push_back(row.family);
  }
  return families;
}

const SubjectRow* SubjectTable::Row(std::string_view name, const Family* family) const {
  for (const SubjectRow& row : rows_) {
    if (row.name == name && (family == nullptr || row.family == family)) return &row;
  }
  return nullptr;
}

absl::StatusOr<std::vector<Pair>> SubjectTable::Find(std::string_view spec, const Family* family) const {
  if (NamesForeignCode(spec)) return FindForeign(spec, family);
  std::vector<Pair> pairs;
  absl::Status refused;
  for (const SubjectRow& row : rows_) {
    if (family != nullptr && row.family != family) continue;
    const bool whole = spec == row.name;
    const bool with_variant = spec.starts_with(row.name) && spec.substr(row.name.size()).starts_with(":");
    if (!whole && !with_variant) continue;
    if (!row.absent.empty()) {
      refused = absl::NotFoundError(absl::StrCat("subject ", row.name, " is not here: ", row.absent));
      continue;
    }
    if (whole) {
      for (const std::string& each : row.variants) pairs.push_back({Borrow(row), each});
      continue;
    }
    const std::string variant(spec.substr(row.name.size() + 1));
    const absl::Status status = CheckVariant(row, variant);
    if (status.ok()) pairs.push_back({Borrow(row), variant});
    if (!status.ok()) refused = status;
  }
  if (!pairs.empty()) return pairs;
  if (!refused.ok()) return refused;
  const std::string of = family == nullptr ? "" : absl::StrCat(" of family ", std::string(family->name()));
  return absl::NotFoundError(absl::StrCat("no subject \"", std::string(spec.substr(0, 80)), "\"", of,
                                          "; oomph list subjects shows all"));
}

absl::StatusOr<std::vector<Pair>> SubjectTable::Select(std::span<const std::string> specs,
                                                       std::span<const Family* const> families) const {
  std::vector<Pair> selected;
  if (specs.empty()) {
    for (const SubjectRow& row : rows_) {
      if (!Has(families, row.family) || !row.absent.empty() || IsFault(row)) continue;
      for (const std::string& variant : row.variants) selected.push_back({Borrow(row), variant});
    }
  }
  for (const std::string& spec : specs) {
    const auto found = Find(spec, families.size() == 1 ? families[0] : nullptr);
    if (!found.ok()) return found.status();
    for (const Pair& pair : *found) {
      const auto same = [&](const Pair& p) { return p.row->family == pair.row->family && p.Spec() == pair.Spec(); };
      const auto alike = [&](const Pair& p) {
        return p.row->family == pair.row->family && p.row->name == pair.row->name && p.variant == pair.variant && !same(p);
      };
      // Reports, stores and signatures know a subject by its name: what the one did would be told of the other.
      if (const auto other = std::find_if(selected.begin(), selected.end(), alike); other != selected.end()) {
        return absl::InvalidArgumentError(absl::StrCat(other->Spec(), " and ", pair.Spec(), ": both are called ", pair.row->name,
                                                       " in findings; fuzz one at a time, each with a --store of its own"));
      }
      if (!Has(families, pair.row->family) || std::any_of(selected.begin(), selected.end(), same)) continue;
      selected.push_back(pair);
    }
  }
  if (selected.empty()) return absl::NotFoundError("no subject left to test; oomph list subjects shows all");
  return selected;
}

absl::Status SubjectTable::CompareWith(const std::string& reference, std::vector<Pair>& pairs) const {
  for (Pair& pair : pairs) {
    const SubjectRow* row = Row(reference, pair.row->family);
    if (row == nullptr) {
      return absl::NotFoundError(absl::StrCat("no subject \"", reference.substr(0, 80), "\" of family ",
                                              std::string(pair.family().name()), " to compare with; oomph list subjects shows all"));
    }
    if (!row->absent.empty()) return absl::NotFoundError(absl::StrCat("subject ", reference, " is not here: ", row->absent));
    SubjectRow own = *pair.row;
    own.reference = reference;
    pair.row = std::make_shared<const SubjectRow>(std::move(own));
  }
  return absl::OkStatus();
}

std::vector<const SubjectRow*> SubjectTable::Absent(std::span<const Family* const> families) const {
  std::vector<const SubjectRow*> absent;
  for (const SubjectRow& row : rows_) {
    if (Has(families, row.family) && !row.absent.empty()) absent.push_back(&row);
  }
  return absent;
}

absl::StatusOr<Loaded> SubjectTable::Load(const Pair& pair, bool in_child) const {
  Loaded loaded;
  auto subject = pair.row->make(pair.variant, in_child && !IsBuiltIn(*pair.row));
  if (!subject.ok()) return subject.status();
  loaded.subject = *std::move(subject);
  const SubjectRow* reference = nullptr;
  if (!pair.row->reference.empty()) reference = Row(pair.row->reference, pair.row->family);
  if (reference == nullptr || !reference->absent.empty()) return loaded;
  auto made = reference->make(ReferenceVariant(*pair.row, pair.variant, *reference),
                              in_child && !IsBuiltIn(*reference));
  if (!made.ok()) return made.status();
  loaded.reference = *std::move(made);
  return loaded;
}

}  // namespace oomph
