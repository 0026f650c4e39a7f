// See foreign_row.h.
#include "subjects/plugin/foreign_row.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace oomph {
namespace {

absl::StatusOr<std::unique_ptr<Subject>> Start(const ForeignRowSpec& spec, const ForeignKind& kind,
                                               const std::string& variant, bool in_child) {
  if (!in_child) return kind.make(spec, variant);
  ChildSpec child = kind.child(*spec.family);
  child.name = spec.path;
  child.limits = spec.limits;
  if (spec.prepare) {
    child.prepare = [prepare = spec.prepare, variant](Case& c) { prepare(variant, c); };
  }
  child.make = [spec, kind, variant](Journal&) { return kind.make(spec, variant); };
  return ChildSubject::Start(std::move(child));
}

SubjectRow RowFor(const ForeignRowSpec& spec, const ForeignKind& kind) {
  SubjectRow row;
  row.family = spec.family;
  row.name = spec.name;
  row.spec = spec.spec;
  row.title = spec.title;
  row.reference = spec.reference;
  row.reference_variant = spec.reference_variant;
  row.make = [spec, kind](const std::string& variant, bool in_child) { return Start(spec, kind, variant, in_child); };
  row.variants = {""};
  return row;
}

}  // namespace

absl::StatusOr<SubjectRow> FindForeign(const ForeignRowSpec& spec, const ForeignKind& kind) {
  SubjectRow row = RowFor(spec, kind);
  if (!spec.how_to_get.empty() && access(spec.path.c_str(), F_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(spec.path, " is not there: ", spec.how_to_get));
  }
  if (!spec.variants.empty()) {
    row.variants = spec.variants;
    return row;
  }
  const auto description = DescribeInChild(spec.path, kind.describe);
  if (!description.ok()) return description.status();
  if (row.title.empty()) row.title = description->title;
  row.variants = description->variants;
  return row;
}

SubjectRow ForeignRow(const ForeignRowSpec& spec, const ForeignKind& kind) {
  const auto found = FindForeign(spec, kind);
  if (found.ok()) return *found;
  SubjectRow row = RowFor(spec, kind);
  row.absent = std::string(found.status().message());
  return row;
}

absl::Status CheckForeignVariant(const std::string& path, const std::vector<std::string>& listed,
                                 const std::string& variant, const std::function<bool()>& refuses) {
  if (std::find(listed.begin(), listed.end(), variant) != listed.end() || !refuses()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": does not take the options \"", variant,
                                                 "\"; its variants are ", absl::StrJoin(listed, " ")));
}

}  // namespace oomph
