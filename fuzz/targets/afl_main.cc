// A main for fuzz targets under AFL++: the same objects that libFuzzer runs, in AFL++'s persistent mode. Their
// counters, and the counters of what a case reached, are folded into AFL++'s map. Built where Debian's afl++ is.
// Not for: custom mutators (LLVMFuzzerCustomMutator is libFuzzer's), more than one thread.
//
//     afl-fuzz ---- shared memory: input, map ---->  here, thousands of inputs a process
//              <---- pipes: go, how it ended ----
//
// With files as arguments it runs each once and says so, as replay_main.cc does.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

extern "C" {

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t*, size_t size, size_t) { return size; }  // targets with a mutator name it

// The interface of AFL++'s runtime (afl-compiler-rt.o).
extern uint8_t* __afl_area_ptr;
extern uint8_t* __afl_fuzz_ptr;
extern uint32_t* __afl_fuzz_len;
int __afl_persistent_loop(unsigned int inputs);
void __afl_manual_init(void);
int __afl_sharedmem_fuzzing = 1;  // inputs come in shared memory

// Where the compiler and the runtime of libFuzzer would keep counters.
extern uint8_t __start___libfuzzer_extra_counters[] __attribute__((weak));
extern uint8_t __stop___libfuzzer_extra_counters[] __attribute__((weak));

static uint8_t* counters = nullptr;
static uint8_t* counters_end = nullptr;

// Called before main by what clang's -fsanitize=fuzzer-no-link puts into each object, always with the bounds of
// the one section of this program.
void __sanitizer_cov_8bit_counters_init(uint8_t* begin, uint8_t* end) {
  counters = begin;
  counters_end = end;
}
void __sanitizer_cov_pcs_init(const uintptr_t*, const uintptr_t*) {}

}  // extern "C"

namespace {

// afl-fuzz looks for these in the program to learn how to run it.
__attribute__((used)) const char* volatile persistent_mode = "##SIG_AFL_PERSISTENT##";
__attribute__((used)) const char* volatile deferred_start = "##SIG_AFL_DEFER_FORKSRV##";

constexpr size_t kMapSize = 1 << 16;  // what the runtime has before any instrumentation asks for more
constexpr unsigned kInputsOfAProcess = 10'000;

void ClearCounters() {
  std::memset(counters, 0, static_cast<size_t>(counters_end - counters));
}

// A place of the map for each counter; with more counters than places, some share one.
void Fold(const uint8_t* begin, const uint8_t* end, size_t first) {
  for (const uint8_t* at = begin; at < end; ++at) {
    if (*at != 0) __afl_area_ptr[(first + static_cast<size_t>(at - begin)) % kMapSize] |= *at;
  }
}

void FoldAll() {
  const auto number = static_cast<size_t>(counters_end - counters);
  Fold(counters, counters_end, 0);
  Fold(__start___libfuzzer_extra_counters, __stop___libfuzzer_extra_counters, number);
}

int RunFiles(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 64;
    }
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%d inputs, nothing found\n", argc - 1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) return RunFiles(argc, argv);
  const uint8_t warm_up = 0;
  LLVMFuzzerTestOneInput(&warm_up, 0);  // what is set up once is set up before the fork
  __afl_manual_init();
  while (__afl_persistent_loop(kInputsOfAProcess)) {
    ClearCounters();
    LLVMFuzzerTestOneInput(__afl_fuzz_ptr, *__afl_fuzz_len);
    FoldAll();
  }
  return 0;
}
