// A main for fuzz targets where there is no libFuzzer: runs every file and every file of every folder
// that it is given, and a few built-in inputs. Not for: finding anything.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Targets with a mutator name it; here nothing calls it.
extern "C" size_t LLVMFuzzerMutate(uint8_t*, size_t size, size_t) { return size; }

namespace {

size_t Run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

size_t RunFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Run({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

size_t RunBuiltIn() {
  size_t runs = Run("");
  for (size_t size = 1; size <= 256; size *= 2) {
    std::string bytes(size, '\0');
    runs += Run(bytes) + Run(std::string(size, '\xff'));
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 167 + size * 31) >> (i % 3));
    runs += Run(bytes);
  }
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t built_in = RunBuiltIn();
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;  // libFuzzer's options
    std::error_code error;
    if (!std::filesystem::is_directory(argv[i], error)) {
      if (!std::filesystem::exists(argv[i], error)) {
        std::fprintf(stderr, "%s: no such file\n", argv[i]);
        return 64;
      }
      runs += RunFile(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) runs += RunFile(entry.path());
    }
  }
  std::printf("%zu inputs and %zu built-in ones, nothing found\n", runs, built_in);
  return 0;
}
