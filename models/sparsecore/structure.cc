// See structure.h.
#include "models/sparsecore/structure.h"

namespace oomph::sparsecore {

bool Structure::IsVisible(const Program& program, uint32_t buffer, size_t statement) const {
  if (buffer >= allocated.size() || allocated[buffer] == kNowhere) return false;
  if (program.statements[allocated[buffer]].kind == Kind::kScratch) return true;
  return allocated[buffer] < statement && statement < lives_to[buffer];
}

void FindStructure(const Program& program, Structure& into) {
  const uint32_t count = static_cast<uint32_t>(program.statements.size());
  into.partner.assign(count, kNowhere);
  into.parent.assign(count, kNowhere);
  into.region_end.assign(count, count);
  into.allocated.assign(program.buffers.size(), kNowhere);
  into.lives_to.assign(program.buffers.size(), 0);
  struct Open {
    uint32_t statement;
    uint32_t region;  // its statement, or that of its else
    bool has_else;
  };
  std::vector<Open> open;
  std::vector<uint32_t> closed_by(count, count);  // by the statement that begins a region
  std::vector<uint32_t> region(count, kNowhere);  // in which each stands
  for (uint32_t i = 0; i < count; ++i) {
    const Statement& statement = program.statements[i];
    if (!open.empty()) into.parent[i] = open.back().statement, region[i] = open.back().region;
    if (statement.kind == Kind::kEnd || statement.kind == Kind::kElse) {
      if (open.empty()) continue;
      Open& last = open.back();
      if (statement.kind == Kind::kElse && (last.has_else || program.statements[last.statement].kind != Kind::kIf)) continue;
      into.partner[i] = last.statement;
      into.parent[i] = into.parent[last.statement];
      closed_by[last.region] = i;
      if (statement.kind == Kind::kElse) {
        last.has_else = true;
        last.region = i;
      } else {
        into.partner[last.statement] = i;
        region[i] = region[last.statement];
        open.pop_back();
      }
      continue;
    }
    if (Opens(statement.kind)) {
      into.partner[i] = count;
      open.push_back({i, i, false});
    }
    const bool allocates = statement.kind == Kind::kScratch || statement.kind == Kind::kAllocate;
    if (allocates && statement.buffer < program.buffers.size() && into.allocated[statement.buffer] == kNowhere) {
      into.allocated[statement.buffer] = i;
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (region[i] != kNowhere) into.region_end[i] = closed_by[region[i]];
  }
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const uint32_t at = into.allocated[b];
    if (at == kNowhere) continue;
    into.lives_to[b] = program.statements[at].kind == Kind::kScratch ? count : into.region_end[at];
  }
}

std::vector<bool> WrittenBuffers(const Program& program, const Structure& structure) {
  std::vector<bool> written(program.buffers.size(), false);
  size_t idle_to = 0;  // inside of a loop of no trips
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (i >= idle_to && statement.kind == Kind::kFor && statement.trips == 0) idle_to = structure.partner[i];
    if (i < idle_to || (statement.kind != Kind::kUse && statement.kind != Kind::kCopy)) continue;
    if (structure.IsVisible(program, statement.buffer, i)) written[statement.buffer] = true;
  }
  return written;
}

}  // namespace oomph::sparsecore
