// See verdict.h.
#include "models/base/verdict.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "models/base/words.h"

namespace oomph {

std::string Signature(std::string_view family, std::string_view subject, const Reason& reason) {
  return absl::StrFormat("%s/%s/%s/%s", family, reason.oracle, subject, reason.detail);
}

std::string SignatureWord(std::string_view text) {
  constexpr size_t kMost = 80, kHash = 9;
  std::string word(text.substr(0, kMost + 1));
  for (char& c : word) {
    if (c <= ' ' || c > '~' || c == '/') c = '_';
  }
  if (word == text && word.size() <= kMost) return word;
  word.resize(std::min(word.size(), kMost - kHash));
  return absl::StrFormat("%s~%08x", word, static_cast<uint32_t>(StableHash(text)));
}

Verdict MakeVerdict(std::string_view family, std::string_view subject, const Reasons& reasons) {
  Verdict verdict;
  if (reasons.empty()) return verdict;
  const auto& list = reasons.list();
  const auto first = std::min_element(list.begin(), list.end(), [](const Reason& a, const Reason& b) {
    return a.step < b.step;
  });
  verdict.step = first->step;
  if (first->oracle == kIncomparable) {
    verdict.kind = VerdictKind::kIncomparable;
    verdict.text = first->detail;
    return verdict;
  }
  verdict.kind = VerdictKind::kFinding;
  verdict.signature = Signature(family, subject, *first);
  verdict.text = first->text;
  for (const Reason& reason : list) {
    if (reason.step == first->step) verdict.all.push_back(reason);
  }
  return verdict;
}

}  // namespace oomph
