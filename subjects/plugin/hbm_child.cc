// See hbm_child.h.
#include "subjects/plugin/hbm_child.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "subjects/plugin/rows.h"

namespace oomph {
namespace hbm {
namespace {

static_assert(std::is_trivially_copyable_v<Policy> && std::is_trivially_copyable_v<Step>);

void Put(const void* from, size_t bytes, std::string& into) {
  into.append(static_cast<const char*>(from), bytes);
}

bool Take(std::string_view& bytes, void* to, size_t size) {
  if (bytes.size() < size) return false;
  if (size != 0) std::memcpy(to, bytes.data(), size);
  bytes.remove_prefix(size);
  return true;
}

}  // namespace

void PackTrace(const Trace& trace, std::string& into) {
  const uint64_t steps = trace.steps.size();
  const uint64_t names = trace.names.size();
  into.clear();
  Put(&trace.policy, sizeof trace.policy, into);
  Put(&steps, sizeof steps, into);
  Put(trace.steps.data(), steps * sizeof(Step), into);
  Put(&names, sizeof names, into);
  for (const std::string& name : trace.names) {
    const uint64_t size = name.size();
    Put(&size, sizeof size, into);
    into += name;
  }
}

bool UnpackTrace(std::string_view bytes, Trace& into) {
  uint64_t count = 0;
  if (!Take(bytes, &into.policy, sizeof into.policy)) return false;
  if (!Take(bytes, &count, sizeof count) || count > bytes.size() / sizeof(Step)) return false;
  into.steps.resize(count);
  if (!Take(bytes, into.steps.data(), count * sizeof(Step))) return false;
  if (!Take(bytes, &count, sizeof count) || count > bytes.size() / sizeof count) return false;
  into.names.resize(count);
  for (std::string& name : into.names) {
    uint64_t size = 0;
    if (!Take(bytes, &size, sizeof size) || size > bytes.size()) return false;
    name = bytes.substr(0, size);
    bytes.remove_prefix(size);
  }
  return bytes.empty();
}

}  // namespace hbm

ChildSpec HbmChildSpec() {
  ChildSpec spec;
  spec.family = &HbmFamily();
  spec.pack_case = [](const Case& c, std::string& into) {
    hbm::PackTrace(static_cast<const CaseOf<hbm::Trace>&>(c).value, into);
  };
  spec.unpack_case = [](std::string_view bytes, Case& into) {
    return hbm::UnpackTrace(bytes, static_cast<CaseOf<hbm::Trace>&>(into).value);
  };
  spec.read_journal = [](std::string_view records, Outcome& into) {
    hbm::ReadRows(records, static_cast<OutcomeOf<hbm::TraceOutcome>&>(into).value);
  };
  return spec;
}

}  // namespace oomph
