// See specification.h. Where no other source is named, a rule is measured with libtpu 0.0.52 (docs/FACTS.md, SparseCore).
#include "models/sparsecore/specification.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/refusal.h"
#include "models/sparsecore/target.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

uint64_t RoundUp(uint64_t n, uint64_t multiple) { return CheckedRoundUp(n, multiple).value_or(kMost); }
bool IsSemaphore(Space space) { return space == Space::kSflagTile || space == Space::kSflagScs; }
bool IsOfTile(Space space) {
  return space == Space::kTileSpmem || space == Space::kSmemTile || space == Space::kSflagTile;
}

// The last that the program states of a memory counts.
const SpaceLimit* OwnLimit(const Program& program, Space space) {
  const SpaceLimit* own = nullptr;
  for (const SpaceLimit& limit : program.limits) {
    if (limit.space == space) own = &limit;
  }
  return own;
}

// --- from statements to the tree ---

class Builder {
 public:
  Builder(const Specification& rules, const Program& program)
      : rules_(rules), program_(program), allocated_by_(program.buffers.size(), UINT32_MAX) {}

  // False: it nests too deeply.
  bool Build(Tree& tree);

 private:
  struct Open {
    uint32_t node;
    bool has_else = false;
    bool vanishes = false, folds = false;
    std::vector<uint32_t> shown;  // buffers allocated in it
  };

  bool IsThere(uint32_t buffer) const { return buffer < program_.buffers.size(); }
  bool IsScratch(uint32_t buffer) const {
    const uint32_t statement = allocated_by_[buffer];
    return statement != UINT32_MAX && program_.statements[statement].kind == Kind::kScratch;
  }
  bool IsVisible(uint32_t buffer) const;
  bool Vanishes() const {
    return std::any_of(open_.begin(), open_.end(), [](const Open& open) { return open.vanishes; });
  }
  // The region that statements belong to: of the innermost that is no folded loop.
  std::vector<uint32_t>& Region();
  uint32_t Add(Kind kind, uint32_t buffer, uint32_t statement);
  void AddCopy(uint32_t buffer, uint32_t statement);
  bool Take(uint32_t at);

  const Specification& rules_;
  const Program& program_;
  std::vector<uint32_t> allocated_by_;  // by buffer: the first statement that does
  std::vector<Open> open_;
  std::vector<uint32_t> shown_;  // outside of every region
  Tree* tree_ = nullptr;
};

bool Builder::IsVisible(uint32_t buffer) const {
  if (!IsThere(buffer)) return false;
  if (IsScratch(buffer)) return true;
  const auto in = [buffer](const std::vector<uint32_t>& shown) {
    return std::find(shown.begin(), shown.end(), buffer) != shown.end();
  };
  return in(shown_) || std::any_of(open_.begin(), open_.end(), [&](const Open& open) { return in(open.shown); });
}

std::vector<uint32_t>& Builder::Region() {
  for (size_t i = open_.size(); i-- > 0;) {
    if (!open_[i].folds) return tree_->nodes[open_[i].node].regions.back();
  }
  return tree_->body;
}

uint32_t Builder::Add(Kind kind, uint32_t buffer, uint32_t statement) {
  const uint32_t number = static_cast<uint32_t>(tree_->nodes.size());
  Node node;
  node.kind = kind;
  node.buffer = buffer;
  node.statement = statement;
  Region().push_back(number);
  tree_->nodes.push_back(std::move(node));
  return number;
}

// A copy is a scope with a semaphore of its own, and waits for it.
void Builder::AddCopy(uint32_t buffer, uint32_t statement) {
  const uint32_t scope = Add(Kind::kScope, buffer, statement);
  const uint32_t semaphore = static_cast<uint32_t>(tree_->nodes.size()), wait = semaphore + 1;
  tree_->nodes.resize(wait + 1);
  tree_->nodes[scope].of_copy = tree_->nodes[semaphore].of_copy = true;
  tree_->nodes[scope].regions = {{semaphore, wait}};
  tree_->nodes[semaphore].kind = Kind::kAllocate;
  tree_->nodes[semaphore].statement = tree_->nodes[wait].statement = statement;
}

bool Builder::Take(uint32_t at) {
  const Statement& statement = program_.statements[at];
  switch (statement.kind) {
    case Kind::kScratch:
      if (IsThere(statement.buffer) && allocated_by_[statement.buffer] == at) {
        Node node;
        node.kind = Kind::kScratch;
        node.buffer = statement.buffer;
        node.statement = at;
        tree_->scratch.push_back(static_cast<uint32_t>(tree_->nodes.size()));
        tree_->nodes.push_back(std::move(node));
      }
      return true;
    case Kind::kAllocate:
      if (!IsThere(statement.buffer) || allocated_by_[statement.buffer] != at) return true;
      (open_.empty() ? shown_ : open_.back().shown).push_back(statement.buffer);
      if (!Vanishes()) Add(Kind::kAllocate, statement.buffer, at);
      return true;
    case Kind::kUse:
      if (IsVisible(statement.buffer) && !Vanishes()) Add(Kind::kUse, statement.buffer, at);
      return true;
    case Kind::kLoad:
      if (IsVisible(statement.buffer) && !Vanishes() && rules_.LoadStays(program_.buffers[statement.buffer])) {
        Add(Kind::kUse, statement.buffer, at);
      }
      return true;
    case Kind::kCopy:
      if (!Vanishes()) AddCopy(IsVisible(statement.buffer) ? statement.buffer : kNoBuffer, at);
      return true;
    case Kind::kWork:
      if (!Vanishes()) Add(Kind::kWork, kNoBuffer, at);
      return true;
    case Kind::kScope:
    case Kind::kFor:
    case Kind::kWhile:
    case Kind::kIf: {
      if (open_.size() >= Specification::kDeepest) return false;
      Node node;
      node.kind = statement.kind;
      node.trips = statement.trips;
      Open open;
      open.vanishes = node.kind == Kind::kFor && rules_.Vanishes(node);
      open.folds = node.kind == Kind::kFor && !open.vanishes && rules_.Folds(node);
      open.node = kNoNode;
      if (!open.folds) {
        open.node = Add(statement.kind, kNoBuffer, at);
        tree_->nodes[open.node].trips = statement.trips;
        tree_->nodes[open.node].regions.emplace_back();
      }
      open_.push_back(std::move(open));
      return true;
    }
    case Kind::kElse:
      if (open_.empty() || open_.back().has_else) return true;
      if (open_.back().folds || tree_->nodes[open_.back().node].kind != Kind::kIf) return true;
      open_.back().has_else = true;
      open_.back().shown.clear();
      tree_->nodes[open_.back().node].regions.emplace_back();
      return true;
    case Kind::kEnd:
      if (!open_.empty()) open_.pop_back();
      return true;
  }
  return true;
}

bool Builder::Build(Tree& tree) {
  tree_ = &tree;
  for (uint32_t at = 0; at < program_.statements.size(); ++at) {
    const Statement& statement = program_.statements[at];
    const bool allocates = statement.kind == Kind::kScratch || statement.kind == Kind::kAllocate;
    if (!allocates || !IsThere(statement.buffer)) continue;
    allocated_by_[statement.buffer] = std::min(allocated_by_[statement.buffer], at);
  }
  for (uint32_t at = 0; at < program_.statements.size(); ++at) {
    if (!Take(at)) return false;
  }
  return true;
}

// Takes away what stays in no region, children first.
void Prune(const Specification& rules, Tree& tree) {
  const auto is_gone = [&](uint32_t number) {
    const Node& node = tree.nodes[number];
    if (node.kind == Kind::kScratch || node.kind == Kind::kAllocate) {
      return !node.of_copy && !rules.IsUsed(tree, node.buffer);
    }
    if (!Opens(node.kind)) return false;
    return (node.kind == Kind::kFor && rules.Vanishes(node)) || rules.IsEmpty(tree, node);
  };
  for (size_t i = tree.nodes.size(); i-- > 0;) {
    for (std::vector<uint32_t>& region : tree.nodes[i].regions) std::erase_if(region, is_gone);
  }
  std::erase_if(tree.body, is_gone);
  std::erase_if(tree.scratch, is_gone);
}

void FindParents(Tree& tree) {
  for (const uint32_t child : tree.body) tree.nodes[child].parent = kNoNode;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    for (uint32_t region = 0; region < tree.nodes[i].regions.size(); ++region) {
      for (const uint32_t child : tree.nodes[i].regions[region]) {
        tree.nodes[child].parent = i;
        tree.nodes[child].region = region;
      }
    }
  }
}

std::vector<uint32_t>& RegionOf(Tree& tree, uint32_t node) {
  const Node& of = tree.nodes[node];
  return of.parent == kNoNode ? tree.body : tree.nodes[of.parent].regions[of.region];
}
bool IsLast(const Tree& tree, uint32_t node) {
  const Node& of = tree.nodes[node];
  return (of.parent == kNoNode ? tree.body : tree.nodes[of.parent].regions[of.region]).back() == node;
}

// All nodes of a region and of those in it, in order.
void AddWalk(const Tree& tree, const std::vector<uint32_t>& region, std::vector<uint32_t>& into) {
  for (const uint32_t node : region) {
    into.push_back(node);
    for (const std::vector<uint32_t>& inner : tree.nodes[node].regions) AddWalk(tree, inner, into);
  }
}

// What opens no region, in order; a while stands for the counter at its end.
void AddOperations(const Specification& rules, const Tree& tree, const std::vector<uint32_t>& region,
                   std::vector<uint32_t>& into) {
  for (const uint32_t node : region) {
    const Kind kind = tree.nodes[node].kind;
    for (const std::vector<uint32_t>& inner : tree.nodes[node].regions) AddOperations(rules, tree, inner, into);
    if (!Opens(kind) || rules.EndsInItsCounter(kind)) into.push_back(node);
  }
}

// --- planning ---

class Planning {
 public:
  Planning(const Specification& rules, const Program& program, const Tree& tree, Answer& into)
      : rules_(rules), program_(program), tree_(tree), into_(into) {}

  void Run();

 private:
  using Tops = std::array<uint64_t, kSparseCoreSpaces>;  // by Space: one past the last word

  void RaiseHighWater(const Tops& tops);
  // The first that fails ends it: false.
  bool Allocate(uint32_t node, bool scratch, Tops& tops);
  bool Take(Space space, uint64_t words, uint32_t buffer, uint32_t statement, Tops& tops);
  bool AddImplicit(Tops tops);
  bool Frame(const std::vector<uint32_t>& region, Tops& tops);
  bool Direct(const std::vector<uint32_t>& region, Tops& tops);
  bool Nested(const std::vector<uint32_t>& region, Tops& tops);
  bool Leave(const std::vector<uint32_t>& region, Tops& tops);
  bool CheckHighWater();

  const Specification& rules_;
  const Program& program_;
  const Tree& tree_;
  Answer& into_;
  Tops high_water_ = {};
};

void Planning::RaiseHighWater(const Tops& tops) {
  for (size_t i = 0; i < tops.size(); ++i) high_water_[i] = std::max(high_water_[i], tops[i]);
}

bool Planning::Take(Space space, uint64_t words, uint32_t buffer, uint32_t statement, Tops& tops) {
  uint64_t& top = tops[static_cast<size_t>(space)];
  const uint64_t base = rules_.Align(space, top);
  const uint64_t end = SaturatingAdd(base, words);
  const uint64_t bound = end == kMost ? kMost : SaturatingSub(end, 1);
  const uint64_t limit = rules_.LastWord(program_, space);
  if (rules_.Exceeds(bound, limit)) {
    into_.status = Status::kOverBound;
    into_.overrun = Overrun{space, bound, limit, words, buffer};
    into_.message = PrintOverBound(program_, *into_.overrun, statement);
    return false;
  }
  if (statement != kNoStatement) into_.placed.push_back({buffer, statement, space, base, words});
  top = end;
  return true;
}

bool Planning::Allocate(uint32_t number, bool scratch, Tops& tops) {
  const Node& node = tree_.nodes[number];
  if (node.of_copy) {
    const Space space = program_.core == Core::kVector ? Space::kSflagTile : Space::kSflagScs;
    return Take(space, 1, kNoBuffer, node.statement, tops);
  }
  const Buffer& buffer = program_.buffers[node.buffer];
  if (!scratch && !rules_.IsHere(program_, buffer.space)) {
    into_.status = Status::kNotHere;
    into_.message = PrintNotHere(program_, node.statement);
    return false;
  }
  const Space space = rules_.PlannedSpace(buffer.space, scratch);
  uint64_t words = rules_.WordsOf(program_, buffer, scratch);
  if (scratch) words = rules_.ScratchWords(buffer.space, words);
  return Take(space, RoundUp(words, rules_.Granule(space)), node.buffer, node.statement, tops);
}

bool Planning::AddImplicit(Tops tops) {
  const uint64_t words = rules_.ImplicitWords(program_, Space::kSflagTile);
  if (words > 0 && !Take(Space::kSflagTile, words, kNoBuffer, kNoStatement, tops)) return false;
  RaiseHighWater(tops);
  return true;
}

// What belongs to the frame itself: also what stands in an if or a while of it.
bool Planning::Direct(const std::vector<uint32_t>& region, Tops& tops) {
  for (const uint32_t number : region) {
    const Node& node = tree_.nodes[number];
    if (node.kind == Kind::kAllocate && !Allocate(number, false, tops)) return false;
    if (!Opens(node.kind) || rules_.IsFrame(node.kind)) continue;
    for (const std::vector<uint32_t>& inner : node.regions) {
      if (!Direct(inner, tops)) return false;
    }
  }
  return true;
}

bool Planning::Nested(const std::vector<uint32_t>& region, Tops& tops) {
  for (const uint32_t number : region) {
    const Node& node = tree_.nodes[number];
    for (const std::vector<uint32_t>& inner : node.regions) {
      if (!(rules_.IsFrame(node.kind) ? Leave(inner, tops) : Nested(inner, tops))) return false;
    }
  }
  return true;
}

bool Planning::Leave(const std::vector<uint32_t>& region, Tops& tops) {
  Tops inside = tops;
  if (!Frame(region, inside)) return false;
  for (size_t i = 0; i < tops.size(); ++i) tops[i] = rules_.AfterFrame(tops[i], inside[i]);
  return true;
}

bool Planning::Frame(const std::vector<uint32_t>& region, Tops& tops) {
  const bool direct_first = rules_.DirectFirst();
  const bool planned = direct_first ? Direct(region, tops) && (RaiseHighWater(tops), Nested(region, tops))
                                    : Nested(region, tops) && Direct(region, tops);
  RaiseHighWater(tops);
  return planned;
}

void Planning::Run() {
  Tops tops = {};
  for (size_t i = 0; i < tops.size(); ++i) tops[i] = rules_.FirstWord(program_, static_cast<Space>(i));
  for (const uint32_t number : tree_.scratch) {
    if (!Allocate(number, true, tops)) return;
  }
  uint64_t& tile = tops[static_cast<size_t>(Space::kTileSpmem)];
  tile = std::max(tile, rules_.TileBase(tops[static_cast<size_t>(Space::kSpmem)]));
  RaiseHighWater(tops);
  if (!AddImplicit(tops) || !Frame(tree_.body, tops)) return;
  for (const Space space : {Space::kSmemScs, Space::kSflagScs}) {
    uint64_t& words = high_water_[static_cast<size_t>(space)];
    words = SaturatingAdd(words, rules_.ImplicitWords(program_, space));
  }
  if (!CheckHighWater()) return;
  into_.status = Status::kPlanned;
  for (size_t i = 0; i < high_water_.size(); ++i) {
    const bool has_part = program_.core == Core::kVector || !IsOfTile(static_cast<Space>(i));
    into_.high_water[i] = has_part ? high_water_[i] : 0;
  }
}

// First those of functions, then the sync flags of the whole program.
bool Planning::CheckHighWater() {
  for (const Space space : {Space::kSmemTile, Space::kSmemScs, Space::kSflagTile, Space::kSflagScs}) {
    const std::optional<uint64_t> limit = rules_.HighWaterLimit(program_, space);
    const uint64_t words = high_water_[static_cast<size_t>(space)];
    if (!limit || words <= *limit) continue;
    into_.status = Status::kOverHighWater;
    into_.message = PrintOverHighWater(program_, space, words, *limit);
    return false;
  }
  return true;
}

// The tile's memories are none of the scalar core's: such a kernel is not lowered.
const Node* FirstDeclined(const Program& program, const Tree& tree) {
  if (program.core != Core::kScalar) return nullptr;
  std::vector<uint32_t> all = tree.scratch;
  AddWalk(tree, tree.body, all);
  for (const uint32_t number : all) {
    const Node& node = tree.nodes[number];
    const bool allocates = node.kind == Kind::kScratch || node.kind == Kind::kAllocate;
    if (allocates && !node.of_copy && IsOfTile(program.buffers[node.buffer].space)) return &node;
  }
  return nullptr;
}

}  // namespace

void Specification::Run(const Program& program, Answer& into) const {
  into = Answer();
  Tree tree;
  if (!Builder(*this, program).Build(tree)) {
    into.why = absl::StrCat("more than ", kDeepest, " regions in one another");
    return;
  }
  Prune(*this, tree);
  if (const Node* const declined = FirstDeclined(program, tree)) {
    into.status = Status::kDeclined;
    into.why = WhyDeclined(program, declined->buffer);
    return;
  }
  if (BodyIsInIf(program)) {
    Node wrapper;
    wrapper.kind = Kind::kIf;
    wrapper.regions.push_back(std::move(tree.body));
    tree.body = {static_cast<uint32_t>(tree.nodes.size())};
    tree.nodes.push_back(std::move(wrapper));
  }
  FindParents(tree);
  Hoist(tree);
  Planning(*this, program, tree, into).Run();
}

// --- one buffer ---

// A bool is stored as i32.
uint64_t Specification::BitsOf(Type type) const { return type == Type::kPred ? 32 : hlo::RowOf(type).bits; }

uint64_t Specification::Packing(Type type) const {
  const uint64_t bits = BitsOf(type);
  return bits == 0 || bits > 32 ? 1 : 32 / bits;
}

// Inside of the kernel f32 (9,128) takes 1152 words, (3,5) 384, as memref<9x1x1x128xf32>; (9,129) 4096, bf16 (9,128)
// 1024. Kernel-level f32 (9,128) takes 2048.
bool Specification::KeepsRows(const Buffer& buffer, bool scratch) const {
  return !scratch && BitsOf(buffer.type) == 32 && buffer.shape.back() <= 128;
}

// f32: 1, 2, 4 or 8; bf16: 2, 4, 8; i8: 4, 8.
uint64_t Specification::Sublanes(uint64_t rows, uint64_t packing) const {
  uint64_t tile = packing;
  while (tile < std::min<uint64_t>(rows, 8)) tile *= 2;
  return tile;
}

// 8 words: f32 (9) takes 16, bf16 (17) 16, i8 (33) 16.
uint64_t Specification::LinearGranule(uint64_t packing) const { return 8 * packing; }

std::vector<uint64_t> Specification::TileOf(const Program& program, const Buffer& buffer, bool scratch) const {
  if (buffer.shape.empty() || IsSemaphore(buffer.space)) return {};
  if (buffer.tile) return *buffer.tile;
  const uint64_t packing = Packing(buffer.type);
  switch (program.tiling) {
    case Tiling::kNone:
      return {};
    case Tiling::kLinear:
      return {LinearGranule(packing)};
    case Tiling::kCompact:
      break;
  }
  if (buffer.shape.size() == 1) return {128 * packing};
  if (KeepsRows(buffer, scratch)) return {1, 128};
  return {Sublanes(buffer.shape[buffer.shape.size() - 2], packing), 128};
}

// The last dimensions are whole tiles.
uint64_t Specification::PaddedElements(const Program& program, const Buffer& buffer, bool scratch) const {
  std::vector<uint64_t> tile = TileOf(program, buffer, scratch), padded = buffer.shape;
  std::reverse(tile.begin(), tile.end());
  std::reverse(padded.begin(), padded.end());
  uint64_t elements = 1;
  for (size_t i = 0; i < padded.size(); ++i) {
    if (i < tile.size()) padded[i] = RoundUp(padded[i], std::max<uint64_t>(tile[i], 1));
    elements = SaturatingMul(elements, padded[i]);
  }
  return elements;
}

// A word of HBM has 32 bytes; a semaphore is a word.
uint64_t Specification::WordsOf(const Program& program, const Buffer& buffer, bool scratch) const {
  const uint64_t elements = PaddedElements(program, buffer, scratch);
  if (IsSemaphore(buffer.space) || elements == kMost) return elements;
  const uint64_t word_bits = SparseCoreWordBytes(buffer.space) * 8;
  const absl::uint128 bits = absl::uint128(elements) * BitsOf(buffer.type);
  const absl::uint128 words = bits / word_bits + (bits % word_bits == 0 ? 0 : 1);
  return words > kMost ? kMost : static_cast<uint64_t>(words);
}

// --- canonical form ---

// Stored to, or copied to or from. What is not used at all, or only read, is taken away.
bool Specification::IsUsed(const Tree& tree, uint32_t buffer) const {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [&](const Node& node) {
    return node.buffer == buffer && (node.kind == Kind::kUse || (node.kind == Kind::kScope && node.of_copy));
  });
}

// A vector or a word that nobody needs is not loaded; to read a semaphore is an operation that stays.
bool Specification::LoadStays(const Buffer& buffer) const { return IsSemaphore(buffer.space); }
// What counts a while stands behind all that is in it.
bool Specification::EndsInItsCounter(Kind kind) const { return kind == Kind::kWhile; }

bool Specification::Vanishes(const Node& loop) const { return loop.trips == 0; }
bool Specification::Folds(const Node& loop) const { return loop.trips == 1; }

bool Specification::IsEmpty(const Tree&, const Node& node) const {
  return std::all_of(node.regions.begin(), node.regions.end(), [](const auto& region) { return region.empty(); });
}

// As in open-source MLIR: operations that are an AutomaticAllocationScope.
bool Specification::IsFrame(Kind kind) const { return kind == Kind::kScope || kind == Kind::kFor; }

// The loop over what a vector subcore does. The scalar core's kernel stands in its function.
bool Specification::BodyIsInIf(const Program& program) const { return program.core == Core::kVector; }

// As AllocaScopeHoister of open-source MLIR: the scope and all that is around it, up to the frame, is the last of its
// region. One that stands in the frame itself is not moved.
bool Specification::MayHoist(const Tree& tree, uint32_t scope) const {
  uint32_t at = scope;
  for (; IsLast(tree, at); at = tree.nodes[at].parent) {
    const uint32_t parent = tree.nodes[at].parent;
    if (parent != kNoNode && EndsInItsCounter(tree.nodes[parent].kind)) return false;
    if (parent == kNoNode || IsFrame(tree.nodes[parent].kind)) return at != scope;
  }
  return false;
}

bool Specification::MovesNested(const Node&) const { return true; }

// Found with pairs of branches that both do not fit (8{cond(A|B)}, 8{8{cond(A|B)};8}, 8{cond(cond(8|A)|cond(B|8))}, ...):
// the operations are visited from the last to the first, and with each the scopes around it, from the inside.
std::vector<uint32_t> Specification::HoistingOrder(const Tree& tree) const {
  std::vector<uint32_t> operations, order;
  AddOperations(*this, tree, tree.body, operations);
  std::vector<char> seen(tree.nodes.size());
  for (size_t i = operations.size(); i-- > 0;) {
    for (uint32_t at = operations[i]; at != kNoNode; at = tree.nodes[at].parent) {
      if (tree.nodes[at].kind == Kind::kScope && !std::exchange(seen[at], 1)) order.push_back(at);
    }
  }
  return order;
}

// All allocations in it, in the order in which they stand then, go in front of what is outermost in the frame.
void Specification::Hoist(Tree& tree) const {
  for (const uint32_t scope : HoistingOrder(tree)) {
    if (!MayHoist(tree, scope)) continue;
    uint32_t outermost = scope;
    while (tree.nodes[outermost].parent != kNoNode && !IsFrame(tree.nodes[tree.nodes[outermost].parent].kind)) {
      outermost = tree.nodes[outermost].parent;
    }
    std::vector<uint32_t> inside, moved;
    for (const std::vector<uint32_t>& region : tree.nodes[scope].regions) {
      if (MovesNested(tree.nodes[scope])) {
        AddWalk(tree, region, inside);
      } else {
        inside.insert(inside.end(), region.begin(), region.end());
      }
    }
    for (const uint32_t node : inside) {
      if (tree.nodes[node].kind == Kind::kAllocate) moved.push_back(node);
    }
    for (const uint32_t node : moved) {
      std::erase(RegionOf(tree, node), node);
      tree.nodes[node].parent = tree.nodes[outermost].parent;
      tree.nodes[node].region = tree.nodes[outermost].region;
    }
    std::vector<uint32_t>& region = RegionOf(tree, outermost);
    region.insert(std::find(region.begin(), region.end(), outermost), moved.begin(), moved.end());
  }
}

// --- planning ---

Space Specification::PlannedSpace(Space space, bool scratch) const {
  return scratch && space == Space::kTileSpmem ? Space::kSpmem : space;
}

// The 16 tiles of a core have each their own; whatever num_subcores says.
uint64_t Specification::ScratchWords(Space space, uint64_t words) const {
  return space == Space::kTileSpmem ? SaturatingMul(words, 16) : words;
}

// 512 bytes of spmem, a word of each tile's 8; 512 bytes of HBM: behind f32[3] in linear tiles the next begins 16 words on.
uint64_t Specification::Granule(Space planned) const {
  return planned == Space::kSpmem ? 128 : planned == Space::kHbm ? 16 : 1;
}

uint64_t Specification::FirstWord(const Program& program, Space space) const {
  const SpaceLimit* const own = OwnLimit(program, space);
  if (own != nullptr && own->first_word) return *own->first_word;
  return LimitOf(program.target, space).first_word.value_or(0);
}

uint64_t Specification::LastWord(const Program& program, Space space) const {
  const SpaceLimit* const own = OwnLimit(program, space);
  return own != nullptr && own->last_word ? *own->last_word : LimitOf(program.target, space).last_word;
}

// One memory: a tile has a 16th of it.
uint64_t Specification::TileBase(uint64_t spmem_top) const { return spmem_top / 16 + (spmem_top % 16 == 0 ? 0 : 1); }

// run_scoped([VMEM(()), VMEM(256)]) puts the second at word 1.
uint64_t Specification::Align(Space, uint64_t base) const { return base; }

// Sibling frames share.
uint64_t Specification::AfterFrame(uint64_t top_before, uint64_t) const { return top_before; }

// {1024}; A640; {2048}; A768 puts A640 at 0 and A768 at 640.
bool Specification::DirectFirst() const { return true; }

// A bound equal to the limit compiles.
bool Specification::Exceeds(uint64_t bound, uint64_t limit) const { return bound > limit; }

// "execute core allocation doesn't refer to a core or tile-view memory space": spmem and hbm, which are the core's.
bool Specification::IsHere(const Program& program, Space space) const {
  return program.core == Core::kScalar || (space != Space::kSpmem && space != Space::kHbm);
}

// An empty kernel of a vector subcore: scs_smem_words=25 (of 17), scs_sflag_words=12 (of 9), tec_sflag_words=2 (of 1). One
// of the scalar core: 25 and 11.
uint64_t Specification::ImplicitWords(const Program& program, Space space) const {
  const bool vector = program.core == Core::kVector;
  switch (space) {
    case Space::kSflagTile:
      return vector ? 1 : 0;
    case Space::kSmemScs:
      return 8;
    case Space::kSflagScs:
      return vector ? 3 : 2;
    default:
      return 0;
  }
}

// Of tile Smem 2047 words pass E3000 and then fail, 2046 pass; of the scalar core's Smem 16289 fail against 16282. Of 24
// semaphores on a tile (56 on 7x) 26 words (58) are used, and 6 more are needed of 32 (64); of the scalar core's 7029 (v5p
// 7019, 7x 6929) are 7040, 8 below its last word.
std::optional<uint64_t> Specification::HighWaterLimit(const Program& program, Space space) const {
  const SpaceLimit* const own = OwnLimit(program, space);
  if (own != nullptr && own->last_word) return std::nullopt;
  switch (space) {
    case Space::kSmemTile:
      return 2046;
    case Space::kSmemScs:
      return 16282;
    case Space::kSflagTile:
      return LimitOf(program.target, space).last_word;
    case Space::kSflagScs:
      return LimitOf(program.target, space).last_word - 8;
    default:
      return std::nullopt;
  }
}

}  // namespace oomph::sparsecore
