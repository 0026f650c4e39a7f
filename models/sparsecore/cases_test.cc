// The measured programs of the folder that OOMPH_SPARSECORE_CASES names, row by row: the model tells the measured
// figures, or the reason why it does not stands in a table here. Skipped where there is no such folder.
//
// A row is "tag: base=B N=N M=M SPACE K=K memref<...>", "tag : high-water words | space@offset ...", "tag: OK" or an error.
// What program a tag means stands here, as text of text.h. Files are named scopes.v6e.txt: what, and the chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/specification.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

using Programs = std::map<std::string, std::string>;  // by tag

// --- programs as text ---

// Statements with buffers that have names of their own.
class Maker {
 public:
  explicit Maker(Target target) : tile_(target == Target::kV6e ? 65536 : 131072), target_(target) {}

  static std::string Shape(std::string_view space, std::string_view type, std::string_view sizes) {
    return absl::StrCat(std::string(space), " ", std::string(type), "[", std::string(sizes), "] ");
  }
  // Kernel-level, and used.
  std::string Scratch(const std::string& buffer) {
    const std::string name = Name();
    return absl::StrCat("scratch ", name, " ", buffer, "use ", name, " ");
  }
  std::string Scratch(uint64_t words) { return Scratch(Shape("tile_spmem", "f32", absl::StrCat(words))); }
  std::string Shared(uint64_t words) { return Scratch(Shape("spmem", "f32", absl::StrCat(words))); }
  // Scopes: of vector operations alone; with a copy into them before that.
  std::string Scope(const std::string& buffer, const std::string& inside = "") {
    return Nest("", {buffer}, inside);
  }
  std::string U(uint64_t words, const std::string& inside = "") { return Nest("", {Words(words)}, inside); }
  std::string D(uint64_t words, const std::string& inside = "") { return Nest("copy ", {Words(words)}, inside); }
  std::string Nest(const std::string& before, const std::vector<std::string>& buffers, const std::string& inside) {
    std::string text = "scope ", uses;
    for (const std::string& buffer : buffers) {
      const std::string name = Name();
      absl::StrAppend(&text, "allocate ", name, " ", buffer);
      if (!before.empty()) absl::StrAppend(&uses, before, name, " ");
      absl::StrAppend(&uses, "use ", name, " ");
    }
    return absl::StrCat(text, uses, inside, "end ");
  }
  // No scope of its own.
  std::string A(uint64_t words) {
    const std::string name = Name();
    return absl::StrCat("allocate ", name, " ", Words(words), "copy ", name, " use ", name, " ");
  }
  static std::string Words(uint64_t words) { return Shape("tile_spmem", "f32", absl::StrCat(words)); }
  static std::string If(const std::string& then, const std::string& otherwise = "") {
    return absl::StrCat("if ", then, otherwise.empty() ? "" : "else ", otherwise, "end ");
  }
  static std::string For(const std::string& body) { return absl::StrCat("for 10 ", body, "end "); }
  // The counter is raised behind what is done.
  static std::string While(const std::string& body) { return absl::StrCat("while ", body, "work end "); }

  uint64_t tile() const { return tile_; }
  Target target() const { return target_; }

 private:
  std::string Name() { return absl::StrCat("b", names_++); }

  const uint64_t tile_;
  const Target target_;
  size_t names_ = 0;
};

constexpr char kLinear[] = "tiling linear ", kScalar[] = "core scalar ";
constexpr uint64_t kHuge = 8'000'000;

Programs ScopePrograms(Maker& m) {
  Programs programs = {
      {"seq 1024;2048;512;end", m.D(1024) + m.D(2048) + m.D(512) + "copy"},
      {"256{1024;2048;512;use};end", m.D(256, m.D(1024) + m.D(2048) + m.D(512) + "copy work ") + "copy"},
      {"256{1024;2048;512};end", m.D(256, m.D(1024) + m.D(2048) + m.D(512)) + "copy"},
      {"256{1024;2048;512;use}", m.D(256, m.D(1024) + m.D(2048) + m.D(512) + "copy work ")},
      {"cond(1024|2048);end", m.If(m.D(1024), m.D(2048)) + "copy"},
      {"cond(1024|2048)", m.If(m.D(1024), m.D(2048))},
      {"when{1024};when{2048};end", m.If(m.D(1024)) + m.If(m.D(2048)) + "copy"},
      {"when{1024};when{2048}", m.If(m.D(1024)) + m.If(m.D(2048))},
      {"fori{1024;2048};end", m.For(m.D(1024) + m.D(2048)) + "copy"},
      {"fori{1024;2048;end};end", m.For(m.D(1024) + m.D(2048) + "copy ") + "copy"},
      {"fori{1024;2048}", m.For(m.D(1024) + m.D(2048))},
      {"fori{1024};2048;end", m.For(m.D(1024)) + m.D(2048) + "copy"},
      {"256{1024{use both};end};end", m.Nest("", {m.Words(256)}, m.D(1024, "copy work ") + "copy ") + "copy"},
      {"scope[256,1024,512] used in reverse; end",
       m.Nest("copy ", {m.Words(256), m.Words(1024), m.Words(512)}, "") + "copy"},
      {"hbm->hbm copy only", "copy"},
      {"empty", ""},
  };
  programs["scratch 256; 1024; end"] = m.Scratch(256) + "copy work " + m.D(1024) + "copy";
  programs["run_scoped shared 5000{1024}"] = m.Scope(m.Shape("spmem", "f32", "5000"), m.D(1024));
  return programs;
}

Programs ControlFlowPrograms(Maker& m) {
  Programs programs = {
      {"while{1024;2048}", m.While(m.D(1024) + m.D(2048))},
      {"while{1024;2048};end", m.While(m.D(1024) + m.D(2048)) + "copy"},
      {"switch(1024|2048|4096)", m.If(m.If(m.D(4096), m.D(2048)), m.D(1024))},
      {"switch(1024|2048|4096);end", m.If(m.If(m.D(4096), m.D(2048)), m.D(1024)) + "copy"},
      {"cond({1024;2048}|{4096;512})", m.If(m.D(1024) + m.D(2048), m.D(4096) + m.D(512))},
      {"cond({1024;end}|{4096;end})", m.If(m.D(1024) + "copy ", m.D(4096) + "copy ")},
      {"cond(fori{1024}|4096)", m.If(m.For(m.D(1024)), m.D(4096))},
      {"cond(cond(256|512)|4096)", m.If(m.If(m.D(256), m.D(512)), m.D(4096))},
      {"fori{when{1024};when{2048}};end", m.For(m.If(m.D(1024)) + m.If(m.D(2048))) + "copy"},
      {"fori{1024;when{2048}};end", m.For(m.D(1024) + m.If(m.D(2048))) + "copy"},
      {"1024;fori{2048}", m.D(1024) + m.For(m.D(2048))},
      {"1024;when{2048;end}", m.D(1024) + m.If(m.D(2048) + "copy ")},
      {"load-only scratch 1024", "scratch a tile_spmem f32[1024] load a"},
      {"unused scoped 1024", "scope allocate a tile_spmem f32[1024] end copy"},
      {"unused scratch", "scratch a tile_spmem f32[256] scope allocate b tile_spmem f32[1024] end copy"},
      {"store-only scoped 1024", m.U(1024) + "copy"},
      // The scalar is copied to, and not used otherwise.
      {"scoped [VMEM(()),256]",
       "scope allocate a tile_spmem f32[] allocate b tile_spmem f32[256] copy a copy b use b end copy"},
      {"scoped [SMEM(()),256]", "scope allocate a smem_tile s32[] allocate b tile_spmem f32[256] copy b use a end copy"},
  };
  programs["store-only scratch 1024"] = m.Scratch(1024);
  constexpr std::pair<const char*, const char*> kTypes[] = {
      {"int4", "s4"}, {"float8_e4m3fn", "f8e4m3fn"}, {"bool", "pred"}, {"int16", "s16"}, {"uint32", "u32"}};
  for (const auto& [tag, type] : kTypes) {
    programs[absl::StrCat("huge ", tag, " 80000001")] = m.Scratch(m.Shape("tile_spmem", type, "80000001"));
  }
  return programs;
}

Programs FlatPrograms(Maker& m) {
  const auto all = [&] { return m.D(1024) + m.A(640) + m.D(2048) + m.A(768) + "copy "; };
  return {
      {"{1024}; A640; {2048}; A768; end", all()},
      {"A640; {1024}; A768; end", m.A(640) + m.D(1024) + m.A(768) + "copy"},
      {"256{ {1024}; A640; {2048}; A768; end}; end", m.D(256, all()) + "copy"},
      {"fori{ {1024}; A640; {2048}; A768; end}; end", m.For(all()) + "copy"},
      {"fori{A640}; {1024}; end", m.For(m.A(640)) + m.D(1024) + "copy"},
      {"when{A640}; {1024}; end", m.If(m.A(640)) + m.D(1024) + "copy"},
      {"when{A640}; A768; {1024}; end", m.If(m.A(640)) + m.A(768) + m.D(1024) + "copy"},
      {"cond(t:A640|f:A768); {1024}; end", m.If(m.A(640), m.A(768)) + m.D(1024) + "copy"},
      {"while{A640}; {1024}; end", m.While(m.A(640)) + m.D(1024) + "copy"},
      {"{1024}; A640; fori{A768;{2048};A896}; end",
       m.D(1024) + m.A(640) + m.For(m.A(768) + m.D(2048) + m.A(896)) + "copy"},
  };
}

Programs OrderPrograms(Maker& m) {
  const uint64_t most = m.target() == Target::kV6e ? 40000 : 80000;
  const auto unrolled = [&](uint64_t words) { return m.U(words) + m.U(words) + m.U(words) + m.U(words); };
  Programs programs = {
      {"seq scopes: 1024 ; huge", m.U(1024) + m.U(kHuge)},
      {"seq scopes 2x (5/8 of memory): fit?", m.U(most) + m.U(most)},
      {"nested: 256{1024;2048;huge}", m.U(256, m.U(1024) + m.U(2048) + m.U(kHuge))},
      {"nested: 256{huge} outer used after", m.U(256, m.U(kHuge) + "work ")},
      {"nested: 256{huge} outer used only before", m.U(256, m.U(kHuge))},
      {"one scope [huge,256,1024] used reverse", m.Nest("", {m.Words(kHuge), m.Words(256), m.Words(1024)}, "")},
      {"one scope [256,1024,huge] used reverse", m.Nest("", {m.Words(256), m.Words(1024), m.Words(kHuge)}, "")},
      {"one scope [256 unused,1024,huge]", m.Nest("", {m.Words(1024), m.Words(kHuge)}, "")},
      {"when{1024}; huge", m.If(m.U(1024)) + m.U(kHuge)},
      {"when{1024}; when{huge}", m.If(m.U(1024)) + m.If(m.U(kHuge))},
      {"cond true:1024 false:huge", m.If(m.U(1024), m.U(kHuge))},
      {"cond true:huge false:1024", m.If(m.U(kHuge), m.U(1024))},
      {"fori{1024;huge}", m.For(m.U(1024) + m.U(kHuge))},
      {"fori{1024};huge", m.For(m.U(1024)) + m.U(kHuge)},
      {"fori unrolled{1024}x4;huge", unrolled(1024) + m.U(kHuge)},
      {"fori unrolled{5/8}x4", unrolled(most)},
      {"512{fori{[1024,huge]}}", m.U(512, m.For(m.Nest("", {m.Words(1024), m.Words(kHuge)}, "")) + "work ")},
  };
  programs["scratch 1024 + scoped huge"] = m.Scratch(1024) + m.U(kHuge);
  programs["scratch huge + scoped 1024"] = m.Scratch(kHuge) + m.U(1024);
  programs["[vmem 128, shared 1024, vmem huge]"] = m.Scratch(128) + m.Shared(1024) + m.Scratch(kHuge);
  programs["[vmem 128, shared huge, vmem 256]"] = m.Scratch(128) + m.Shared(kHuge) + m.Scratch(256);
  programs["[huge1,huge2]"] = m.Scratch(kHuge) + m.Scratch(kHuge + 128);
  const auto smem = [&] { return m.Scratch("smem_tile s32[9000] "); };
  const auto semaphores = [&] { return m.Scratch("sflag_tile s32[500] "); };
  programs["[smem huge, sem huge, vmem huge]"] = smem() + semaphores() + m.Scratch(kHuge);
  programs["[vmem huge, sem huge, smem huge]"] = m.Scratch(kHuge) + semaphores() + smem();
  return programs;
}

Programs BoundaryPrograms(Maker& m) {
  Programs programs;
  for (const char* const tiling : {"tc", "notc"}) {
    const std::string head = std::string(tiling) == "tc" ? "" : kLinear;
    for (const char* const shape : {"(10000001,)", "(1000001, 8)", "(1000001, 3)", "(1000001, 1, 1)"}) {
      for (const auto& [tag, type] : {std::pair{"float32", "f32"}, {"bfloat16", "bf16"}, {"int8", "s8"}}) {
        std::string sizes = absl::StrReplaceAll(shape, {{"(", ""}, {")", ""}, {" ", ""}});
        if (sizes.ends_with(',')) sizes.pop_back();
        programs[absl::StrCat(tiling, " shared", shape, tag)] =
            head + m.Scratch(m.Shape("spmem", type, sizes));
      }
    }
  }
  for (const char* const mesh : {"{'num_cores': 1}", "{'num_subcores': 8}", "{'num_cores': 1, 'num_subcores': 1}"}) {
    programs[absl::StrCat(mesh, " scratch huge")] = m.Scratch(kHuge);
    programs[absl::StrCat(mesh, " scoped huge")] = m.D(kHuge);
  }
  for (const uint64_t n : {m.tile() - 128, m.tile(), m.tile() + 1, m.tile() + 128}) {
    programs[absl::StrCat("scoped ", n, " alone")] = m.D(n);
  }
  for (const auto& [n, k] : {std::pair<uint64_t, uint64_t>{128, 128}, {128, 129}, {1024, 1024}}) {
    programs[absl::StrCat("scratch ", m.tile() - n, " + scoped ", k)] =
        m.Scratch(m.tile() - n) + m.D(k);
  }
  const uint64_t shared = m.tile() * 16 - 16 * 1024;
  for (const uint64_t n : {shared, shared + 1, shared - 128}) {
    programs[absl::StrCat("scratch 1024 + shared ", n)] = m.Scratch(1024) + m.Shared(n) + "copy";
  }
  const auto smem = [&](uint64_t n) { return m.Scratch(m.Shape("smem_tile", "s32", absl::StrCat(n))); };
  const auto scalars = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += m.Scratch("smem_tile s32[] ");
    return text;
  };
  for (const uint64_t n : {2046, 2047, 2048}) programs[absl::StrCat("notc smem ", n)] = kLinear + smem(n);
  for (const int n : {6, 7, 8}) {
    const std::string text = smem(2040) + scalars(n);
    programs[absl::StrCat("notc smem 2040+", n, " scalars")] = kLinear + text;
  }
  for (const int n : {1, 7, 9}) {
    const std::string text = scalars(n) + smem(100000);
    programs[absl::StrCat("notc ", n, " smem scalars then huge 1-D")] = kLinear + text;
  }
  programs["scoped smem 8;huge"] = m.Scope("smem_tile s32[8] ") + m.Scope("smem_tile s32[100000] ") + "copy";
  programs["scratch smem 130 + scoped smem huge"] = smem(130) + m.Scope("smem_tile s32[100000] ") + "copy";
  programs["scoped sem huge"] = m.Scope("sflag_tile s32[500] ") + "copy";
  return programs;
}

Programs SpacePrograms(Maker& m) {
  Programs programs;
  const auto smem = [&](std::string_view sizes) { return m.Scratch(m.Shape("smem_tile", "s32", sizes)); };
  const auto semaphores = [&](std::string_view sizes) { return m.Scratch(m.Shape("sflag_tile", "s32", sizes)); };
  for (const uint64_t n : {1, 8, 9, 16, 17, 40, 128, 136, 1000, 1024}) {
    std::string text = m.Shared(n) + m.Scratch(kHuge);
    programs[absl::StrCat("notc shared(", n, ") then huge vmem")] = kLinear + text;
    text = m.Shared(n) + m.Shared(10 * kHuge);
    programs[absl::StrCat("notc shared(", n, ") then huge shared")] = kLinear + text;
    programs[absl::StrCat("tc shared(", n, ") then huge shared")] = text;
    const uint64_t vmem = std::max<uint64_t>(n, 32);
    text = m.Scratch(vmem) + m.Shared(10 * kHuge);
    programs[absl::StrCat("notc vmem(", vmem, ") then huge shared")] = kLinear + text;
  }
  constexpr std::pair<const char*, const char*> kShapes[] = {
      {"(1,)", "1"},     {"(3,)", "3"},     {"(7,)", "7"},     {"(8,)", "8"},         {"(9,)", "9"},
      {"(17,)", "17"},   {"(128,)", "128"}, {"(129,)", "129"}, {"(3, 5)", "3,5"},     {"(2, 1)", "2,1"},
      {"(8, 128)", "8,128"}, {"(1, 16)", "1,16"}, {"(3, 128)", "3,128"}, {"()", ""}};
  for (const auto& [tag, sizes] : kShapes) {
    const std::string text = smem(sizes) + smem("8000000");
    programs[absl::StrCat("tc smem", tag, "int32 then huge smem")] = text;
    programs[absl::StrCat("notc smem", tag, "int32 then huge smem")] = kLinear + text;
  }
  for (const auto& [tag, sizes] : {std::pair{"()", ""}, {"(1,)", "1"}, {"(3,)", "3"}, {"(2, 3)", "2,3"}, {"(8,)", "8"}}) {
    const std::string text = semaphores(sizes) + semaphores("4000");
    for (const char* const kind : {"R", "D"}) programs[absl::StrCat("sem ", kind, tag, " then huge R")] = text;
  }
  const auto copies = [&](uint64_t n) {
    return semaphores(absl::StrCat(n)) + m.Scratch(128) + "copy " + "copy";
  };
  programs["sync_copy (implicit sem) + huge R"] = copies(4000);
  for (uint64_t n = 20; n < 60; ++n) {
    programs[absl::StrCat("R(", n, ") + 2 sync_copy")] = copies(n);
    programs[absl::StrCat("R(", n, ") alone")] = semaphores(absl::StrCat(n));
  }
  programs["barrier + huge R"] = semaphores("4000") + "work ";
  return programs;
}

Programs ScalarPrograms(Maker& m) {
  const auto scratch = [&](const std::string& buffer) { return m.Scratch(buffer); };
  Programs programs = {
      {"scs smem huge", kScalar + scratch("smem_scs s32[1000000] ")},
      {"scs sem huge", kScalar + scratch("sflag_scs s32[10000] ")},
      {"scs shared huge", kScalar + scratch("spmem f32[1000000,128] ")},
      {"scs scoped smem 16;huge;end", kScalar + m.Scope("smem_scs s32[16] ") + m.Scope("smem_scs s32[1000000] ") + "copy"},
      {"scs scoped shared;huge;end",
       kScalar + m.Scope("spmem f32[1024,128] ") + m.Scope("spmem f32[1000000,128] ") + "copy"},
      {"scs vmem scratch", kScalar + scratch("tile_spmem f32[8,128] ")},
  };
  for (const uint64_t rows : {m.tile() / 8 - 8, m.tile() / 8, m.tile() / 8 + 8}) {
    programs[absl::StrCat("scs shared (", rows, ",128)")] =
        kScalar + scratch(m.Shape("spmem", "f32", absl::StrCat(rows, ",128")));
  }
  for (const uint64_t rows : {4194304, 67108864, 268435456}) {
    const std::string text = scratch(m.Shape("hbm", "f32", absl::StrCat(rows, ",128")));
    programs[absl::StrCat("vec HBM scratch (", rows, ",128)")] = text;
    programs[absl::StrCat("scs HBM scratch (", rows, ",128)")] = kScalar + text;
  }
  for (const char* const shape : {"1,128", "8,128", "9,128", "16,128"}) {
    const std::string text = m.Scratch(m.Shape("hbm", "f32", shape)) + m.Scratch("hbm f32[268435456,128] ");
    programs[absl::StrCat("vec HBM scratch (", absl::StrReplaceAll(shape, {{",", ", "}}), ") then huge")] =
        text;
  }
  const std::string text = m.Scratch("tile_spmem f32[] ") + m.Scratch(kHuge);
  programs["vmem scalar"] = text;
  return programs;
}

// Pipelines: a semaphore of the output's, then windows of so many buffers, each input's with a semaphore a buffer.
Programs ImplicitPrograms(Maker& m) {
  const auto pipeline = [&](std::string_view type, std::string_view block, uint64_t buffers, int inputs) {
    uint64_t words = 0;  // of a block of one dimension: its windows lie in one
    const bool flat = absl::SimpleAtoi(std::string(block), &words);
    const std::string window = m.Shape(
        "tile_spmem", type, flat ? absl::StrCat(buffers * words) : absl::StrCat(buffers, ",", std::string(block)));
    std::string text = "scope allocate s sflag_tile s32[] ", uses = "use s ";
    for (int i = 0; i < inputs; ++i) {
      absl::StrAppend(&text, "allocate w", i, " ", window, "allocate s", i, " sflag_tile s32[", buffers, "] ");
      absl::StrAppend(&uses, "use w", i, " use s", i, " ");
    }
    return absl::StrCat(text, "allocate o ", window, uses, "use o work end work");
  };
  Programs programs = {
      {"pipe 1-D block 1024 f32", pipeline("f32", "1024", 2, 1)},
      {"pipe 1-D block 1024 f32 scratch256", m.Scratch(256) + pipeline("f32", "1024", 2, 1)},
      {"pipe 1-D block 1024 2 in", pipeline("f32", "1024", 2, 2)},
      {"pipe 1-D block 1024 buffered 1", pipeline("f32", "1024", 1, 1)},
      {"pipe 1-D block 1000 notc", kLinear + pipeline("f32", "1000", 2, 1)},
      {"pipe 1-D block 1000 tc", pipeline("f32", "1000", 2, 1)},
      {"pipe 1-D block 1024 bf16", pipeline("bf16", "1024", 2, 1)},
      {"pipe 2-D block (8,128)", pipeline("f32", "8,128", 2, 1)},
      {"pipe 2-D block (1,128)", pipeline("f32", "1,128", 2, 1)},
      {"pipe 2-D block (3,128) notc", kLinear + pipeline("f32", "3,128", 2, 1)},
      {"pipe 1-D block 32768 (overflow?)", pipeline("f32", "32768", 2, 1)},
      {"pipe 1-D block 65536 (overflow?)", pipeline("f32", "65536", 2, 1)},
      {"async copy own sem",
       "scope allocate a tile_spmem f32[256] allocate s sflag_tile s32[] use a use s end copy"},
      {"subcore_barrier", "work"},
  };
  programs["copy (8,128) both ways"] = m.Scratch("tile_spmem f32[8,128] ") + "copy copy";
  programs["gather x.at[idx] -> a(8,128)"] =
      m.Scratch("tile_spmem s32[8] ") + m.Scratch("tile_spmem f32[8,128] ") + "copy copy";
  programs["load_gather"] = m.Scratch(256) + m.Scratch("tile_spmem s32[128] ") + "copy";
  return programs;
}

// --- rows ---

struct Expected {
  std::optional<Overrun> overrun;
  std::map<std::string, uint64_t> high_water;  // by the compiler's names
  std::multiset<std::string> placed;           // "tilespmem@256"
  std::string memref;
  bool planned = false, high = false, not_here = false, not_lowered = false;
};

std::optional<uint64_t> NumberAfter(std::string_view row, std::string_view word) {
  size_t at = row.find(word);
  if (at == row.npos) return std::nullopt;
  at += word.size();
  size_t end = at;
  while (end < row.size() && row[end] >= '0' && row[end] <= '9') ++end;
  uint64_t number = 0;
  const std::string digits(row.substr(at, end - at));
  return absl::SimpleAtoi(digits, &number) ? std::optional(number) : std::nullopt;
}

Expected Read(std::string_view row) {
  Expected expected;
  const auto has = [&](std::string_view word) { return row.find(word) != row.npos; };
  const auto n = NumberAfter(row, " N="), m = NumberAfter(row, " M="), k = NumberAfter(row, " K=");
  if (n && m && k) {
    expected.overrun = Overrun{Space::kHbm, *n, *m, *k, kNoBuffer};
    for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
      const std::string name(SparseCoreSpaceName(static_cast<Space>(i)));
      if (has(" " + name + " K=")) expected.overrun->space = static_cast<Space>(i);
    }
    if (has("memref<")) expected.memref = std::string(row.substr(row.find("memref<")));
    return expected;
  }
  expected.high = has("RESOURCE_EXHAUSTED") || has("Smem high-water mark");
  expected.not_here = has("doesn\\'t refer to a core");
  expected.not_lowered = has("Unsupported core type");
  expected.planned = has("hbm_words=") || has(": OK") || has("('OK'");
  for (const char* const name : {"hbm_words", "tilespmem_words", "scs_smem_words", "scs_sflag_words", "tec_smem_words",
                                 "tec_sflag_words"}) {
    if (has("hbm_words=")) expected.high_water[name] = NumberAfter(row, absl::StrCat(name, "=")).value_or(0);
  }
  if (has("hbm_words=") && has(" | ")) {
    const std::string places(row.substr(row.rfind(" | ") + 3));
    for (const absl::string_view word : absl::StrSplit(places, ' ', absl::SkipEmpty())) {
      expected.placed.insert(std::string(word));
    }
  }
  return expected;
}

// As the dumps name them. A tile's part of kernel-level scratch.
std::multiset<std::string> PlacedIn(const Program& program, const Answer& answer) {
  std::multiset<std::string> placed;
  for (const Placed& each : answer.placed) {
    const bool of_tile = each.buffer != kNoBuffer && program.buffers[each.buffer].space == Space::kTileSpmem;
    const std::string_view name = of_tile                           ? "tilespmem"
                                  : each.space == Space::kSpmem     ? "spmem"
                                  : each.space == Space::kSmemTile  ? "smem"
                                  : each.space == Space::kSflagTile ? "sflag"
                                                                    : "hbm";
    const uint64_t base = each.space == Space::kSpmem && of_tile ? each.base / 16 : each.base;
    placed.insert(absl::StrCat(std::string(name), "@", base));
  }
  return placed;
}

uint64_t HighWaterOf(const Answer& answer, std::string_view name) {
  constexpr std::pair<std::string_view, Space> kNames[] = {
      {"hbm_words", Space::kHbm},           {"tilespmem_words", Space::kTileSpmem}, {"scs_smem_words", Space::kSmemScs},
      {"scs_sflag_words", Space::kSflagScs}, {"tec_smem_words", Space::kSmemTile},   {"tec_sflag_words", Space::kSflagTile}};
  for (const auto& [word, space] : kNames) {
    if (word == name) return answer.high_water[static_cast<size_t>(space)].value_or(UINT64_MAX);
  }
  return UINT64_MAX;
}

// Rows that no program here means, by how their tag begins or what they say.
constexpr std::pair<std::string_view, std::string_view> kLeft[] = {
    {"pipe 1-D block 1024 buffered 3", "not lowered"},
    {"pipe 2-D block (3,128): ERR", "not lowered"},
    {"scratch [256, shared", "copies from a tile to spmem, whose semaphore is the frame's: no statement means one"},
    {"scratch [512, shared", "copies from a tile to spmem, whose semaphore is the frame's: no statement means one"},
    {"cumsum", "no operation of these programs"},
    {"debug_print", "no operation of these programs"},
    {"two kernels full VMEM", "two programs, each planned by itself"},
    {"scs smem max", "the largest that compiled: of the planner's tests"},
    {"scs sem max", "the largest that compiled: of the planner's tests"},
    {"  first fail", "the first that did not: of the planner's tests"},
    {"vec HBM scratch (1, 1) then huge", "a copy of 4 bytes is not lowered"},
    {"tc smem", "Smem takes s32 and f32 alone"},
    {"notc smem", "Smem takes s32 and f32 alone"},
    {"R(", "whole texts: of the planner's tests"},
    {"See https", "whole texts: of the planner's tests"},
    {"main.1", "whole texts: of the planner's tests"},
    {"Program sparse", "whole texts: of the planner's tests"},
    {" ", "whole texts: of the planner's tests"},
};

std::string WhyLeft(std::string_view row) {
  for (const auto& [begin, why] : kLeft) {
    if (row.starts_with(begin)) return std::string(why);
  }
  return "";
}

class SparseCoreCases : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("OOMPH_SPARSECORE_CASES");
    if (folder == nullptr) GTEST_SKIP() << "OOMPH_SPARSECORE_CASES names no folder of measured programs";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".txt") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
        if (line.substr(0, 5) != "=====") files_[entry.path().stem().string()].emplace_back(line);
      }
    }
    ASSERT_FALSE(files_.empty());
  }
  void TearDown() override {
    if (met_ > 0) std::printf("%zu rows met\n", met_);
    for (const auto& [why, rows] : left_) std::printf("%zu rows left: %s\n", rows, why.c_str());
  }

  void Meet(const std::string& where, Target target, const std::string& text, std::string_view row) {
    Program program;
    const absl::Status status =
        ParseProgram(where, absl::StrCat("sparsecore ", std::string(TargetName(target)), " ", text), program);
    ASSERT_TRUE(status.ok()) << status << "\n" << text;
    Answer answer, specified;
    RunModel(program, answer);
    Specification().Run(program, specified);
    EXPECT_EQ(specified, answer) << where;
    const Expected expected = Read(row);
    const std::string shown = absl::StrCat(where, "\n", std::string(row), "\n", PrintProgram(program), answer.message);
    if (expected.overrun) {
      ASSERT_TRUE(answer.overrun.has_value()) << shown;
      Overrun overrun = *answer.overrun;
      overrun.buffer = kNoBuffer;
      EXPECT_EQ(overrun, *expected.overrun) << shown;
      if (answer.overrun->buffer != kNoBuffer) {
        EXPECT_NE(answer.message.find(expected.memref), std::string::npos) << shown;
      }
    } else {
      const Status wanted = expected.planned       ? Status::kPlanned
                            : expected.high        ? Status::kOverHighWater
                            : expected.not_here    ? Status::kNotHere
                            : expected.not_lowered ? Status::kDeclined
                                                   : Status::kNotRun;
      EXPECT_EQ(answer.status, wanted) << shown;
    }
    for (const auto& [name, words] : expected.high_water) {
      EXPECT_EQ(HighWaterOf(answer, name), words) << name << " of " << shown;
    }
    if (!expected.placed.empty()) {
      EXPECT_EQ(PlacedIn(program, answer), expected.placed) << shown;
    }
    ++met_;
  }

  // All rows of a file, of each chip.
  void MeetFile(const std::string& what, Programs (*programs)(Maker&)) {
    for (int i = 0; i < kTargets; ++i) {
      const Target target = static_cast<Target>(i);
      const std::string file = absl::StrCat(what, ".", std::string(TargetName(target)));
      ASSERT_FALSE(files_[file].empty()) << file;
      Maker maker(target);
      const Programs known = programs(maker);
      std::set<std::string> seen;
      for (const std::string& row : files_[file]) {
        // The longest tag that the row begins with.
        const std::pair<const std::string, std::string>* best = nullptr;
        for (const auto& each : known) {
          const bool fits = row.starts_with(each.first) && row.size() > each.first.size() &&
                            (row[each.first.size()] == ':' || row[each.first.size()] == ' ');
          if (fits && (best == nullptr || each.first.size() > best->first.size())) best = &each;
        }
        if (best != nullptr) {
          seen.insert(best->first);
          Meet(absl::StrCat(file, ": ", best->first), target, best->second, row);
        } else if (const std::string why = WhyLeft(row); !why.empty()) {
          ++left_[why];
        } else {
          ADD_FAILURE() << file << ": no program of " << row.substr(0, 200);
        }
      }
      for (const auto& [tag, text] : known) {
        if (!seen.contains(tag)) ++left_["programs without a row"];
      }
    }
  }

  std::map<std::string, std::vector<std::string>> files_;
  size_t met_ = 0;
  std::map<std::string, size_t> left_;
};

TEST_F(SparseCoreCases, Scopes) { MeetFile("scopes", ScopePrograms); }
TEST_F(SparseCoreCases, ControlFlow) { MeetFile("control_flow", ControlFlowPrograms); }
TEST_F(SparseCoreCases, FlatAllocas) { MeetFile("flat_allocas", FlatPrograms); }
TEST_F(SparseCoreCases, Order) { MeetFile("order", OrderPrograms); }
TEST_F(SparseCoreCases, Boundaries) { MeetFile("boundaries", BoundaryPrograms); }
TEST_F(SparseCoreCases, Spaces) { MeetFile("spaces", SpacePrograms); }
TEST_F(SparseCoreCases, ScalarAndHbm) { MeetFile("scalar_and_hbm", ScalarPrograms); }
TEST_F(SparseCoreCases, Implicit) { MeetFile("implicit", ImplicitPrograms); }

// "v6e tc (3, 5) float32 | 8192 | 512": words of it in spmem, and of a tile.
TEST_F(SparseCoreCases, Padding) {
  for (const auto& [file, rows] : files_) {
    if (!file.starts_with("padding")) continue;
    for (const std::string& row : rows) {
      const std::vector<std::string> parts = absl::StrSplit(row, " | ");
      const std::optional<Target> target = FindTarget(row.substr(0, row.find(' ')));
      if (parts.size() != 3 || !target) {
        ++left_["no buffer before the one that fails"];
        continue;
      }
      const size_t shape = parts[0].find('('), end = parts[0].find(')');
      std::string sizes = absl::StrReplaceAll(parts[0].substr(shape + 1, end - shape - 1), {{" ", ""}});
      if (sizes.ends_with(',')) sizes.pop_back();
      const std::string type = absl::StrReplaceAll(parts[0].substr(end + 2),
                                                   {{"bfloat16", "bf16"}, {"float32", "f32"}, {"int8", "s8"}});
      Program program;
      const std::string text =
          absl::StrCat("sparsecore ", std::string(TargetName(*target)),
                       parts[0].find("notc") == std::string::npos ? "" : " tiling linear", " scratch a tile_spmem ", type,
                       "[", sizes, "] use a");
      ASSERT_TRUE(ParseProgram(row, text, program).ok()) << text;
      Answer answer;
      RunModel(program, answer);
      EXPECT_EQ(absl::StrCat(answer.high_water[static_cast<size_t>(Space::kSpmem)].value_or(0)), parts[1]) << row;
      EXPECT_EQ(absl::StrCat(answer.high_water[static_cast<size_t>(Space::kTileSpmem)].value_or(0)), parts[2]) << row;
      ++met_;
    }
  }
}

// "SEM max 24 RESOURCE_EXHAUSTED: ...", "SHARED max words(tc tiling)+VMEM128 1046528": the largest that compiles, and by
// which the next fails.
TEST_F(SparseCoreCases, Limits) {
  struct Row {
    std::string_view tag, before, buffer, after;
    uint64_t step;  // what compiles is a multiple
  };
  constexpr Row kRows[] = {
      {"VMEM max words(tc tiling) ", "", "tile_spmem f32", "", 128},
      {"VMEM max words(no tc tiling) ", "tiling linear", "tile_spmem f32", "", 8},
      {"SHARED max words(tc tiling)+VMEM128 ", "", "spmem f32", " scratch b tile_spmem f32[128] use b", 128},
      {"SMEM max words ", "", "smem_tile s32", "", 128},
      {"SEM max ", "", "sflag_tile s32", "", 1},
      {"DMASEM max ", " scratch b tile_spmem f32[128] use b", "sflag_tile s32", "", 1},
  };
  for (const auto& [file, rows] : files_) {
    if (!file.starts_with("limits")) continue;
    const Target target = *FindTarget(file.substr(7));
    for (const std::string& row : rows) {
      const auto found = std::find_if(std::begin(kRows), std::end(kRows),
                                      [&](const Row& each) { return row.starts_with(each.tag); });
      if (found == std::end(kRows)) {
        ++left_["one size of each memory: boundaries, order and scalar_and_hbm have them"];
        continue;
      }
      const uint64_t most = NumberAfter(row, found->tag).value();
      const auto status = [&](uint64_t words) {
        Program program;
        const std::string text =
            absl::StrCat("sparsecore ", std::string(TargetName(target)), " ", std::string(found->before), " scratch a ",
                         std::string(found->buffer), "[", words, "] use a", std::string(found->after));
        EXPECT_TRUE(ParseProgram(row, text, program).ok()) << text;
        Answer answer;
        RunModel(program, answer);
        return answer.status;
      };
      EXPECT_EQ(status(most), Status::kPlanned) << row.substr(0, 100);
      const bool high = row.find("RESOURCE_EXHAUSTED") != std::string::npos;
      EXPECT_EQ(status(most + found->step), high ? Status::kOverHighWater : Status::kOverBound) << row.substr(0, 100);
      ++met_;
    }
  }
}

}  // namespace
}  // namespace oomph::sparsecore
