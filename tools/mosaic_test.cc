// Kernels out of modules, by the command: explain, import, and jax's part where it is set up.
// Not for: what is read and said (models/vmem/from_module_test.cc, fit_test.cc).
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tools/testing/run.h"

namespace oomph {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMosaic = R"(module {
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32, %arg1: memref<4096x1024xf32, #tpu.memory_space<vmem>>, %arg2: memref<4096x1024xf32, #tpu.memory_space<vmem>>):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : index} : () -> index
    %1 = "stable_mosaic.vector.load"(%arg1, %0, %0) : (memref<4096x1024xf32, #tpu.memory_space<vmem>>, index, index) -> vector<4096x1024xf32>
    "stable_mosaic.tpu.vector_store"(%1, %arg2, %0, %0) : (vector<4096x1024xf32>, memref<4096x1024xf32, #tpu.memory_space<vmem>>, index, index) -> ()
    "stable_mosaic.func.return"() : () -> ()
  }) {iteration_bounds = array<i64: 16>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, sym_name = "copy", window_params = [{transform_indices = @t, window_bounds = array<i64: 4096, 1024>}, {transform_indices = @t, window_bounds = array<i64: 4096, 1024>}]} : () -> ()
  "stable_mosaic.func.func"() ({
  ^bb0(%arg0: i32):
    %0 = "stable_mosaic.arith.constant"() {value = 0 : i32} : () -> i32
    "stable_mosaic.func.return"(%arg0, %0) : (i32, i32) -> ()
  }) {sym_name = "t"} : () -> ()
}
)";

std::string Hlo(const std::string& body) {
  return absl::StrCat("HloModule m\n\nENTRY e {\n  a = f32[65536,1024]{1,0} parameter(0)\n",
                      "  ROOT k = f32[65536,1024]{1,0} custom-call(a), custom_call_target=\"tpu_custom_call\", ",
                      "backend_config={\"custom_call_config\": {\"body\": \"", absl::Base64Escape(body), "\"}}\n}\n");
}

class MosaicTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / absl::StrCat("mosaic_", testing::UnitTest::GetInstance()->random_seed(), "_", getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }

  fs::path folder_;
};

void ExpectIn(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(MosaicTest, ExplainSaysWhatTheKernelsOfAModuleNeed) {
  const std::string file = File("m.hlo", Hlo(kMosaic));
  const Ran ran = RunOomph("explain " + file);
  EXPECT_EQ(ran.code, 0) << ran.out;
  ExpectIn(ran.out, {"Its kernel, compiled for v5e", "Kernel k (copy)", "needs 67108864 bytes (64.00M)", "What would fit", "1024x1024@(i,0)"});
  ExpectIn(RunOomph("explain --chip v6e " + file).out, {"On v6e", "33554432 bytes (32.00M) (the default)"});
  EXPECT_EQ(RunOomph("explain --chip v9 " + file).code, 64);
  ExpectIn(RunOomph("explain " + File("m.mlir", kMosaic)).out, {"Kernel copy", "needs at most 67108864 bytes", "no HLO module tells the arrays"});
}

TEST_F(MosaicTest, ImportMakesAKernelOfAModule) {
  const std::string file = File("m.hlo", Hlo(kMosaic)), out = (folder_ / "k.kernel").string();
  const Ran ran = RunOomph("import " + file + " --chip 7x -o " + out);
  EXPECT_EQ(ran.code, 0) << ran.out;
  ExpectIn(RunShell("cat " + out).out, {"kernel 7x", "in f32[65536,1024]/4096x1024@(i,0)", "# kernel k, for 7x"});
  ExpectIn(RunOomph("explain " + out).out, {"On 7x the kernel needs 67108864 bytes"});
  const Ran none = RunOomph("import " + file + " --part 2");
  EXPECT_EQ(none.code, 64);
  ExpectIn(none.out, {"it has 1 kernels"});
}

TEST_F(MosaicTest, WithoutJaxBytecodeSaysWhatIsMissing) {
  const std::string file = File("m.hlo", Hlo("ML\xEFR and so on"));
  const Ran ran = RunShell("OOMPH_DEPS_DIR=/nowhere " OOMPH_BINARY_DIR "/oomph explain " + file);
  EXPECT_EQ(ran.code, 0) << ran.out;
  ExpectIn(ran.out, {"cannot be read", "scripts/setup --with-jax"});
}

constexpr const char* kUsersModule = R"(
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

def copy(x):
  def body(a, b):
    b[...] = a[...]
  spec = pl.BlockSpec((4096, 1024), lambda i: (i, 0))
  return pl.pallas_call(body, grid=(16,), in_specs=[spec], out_specs=spec, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

def with_arguments():
  return copy, jax.ShapeDtypeStruct((65536, 1024), jnp.float32)
)";

class SlowJax : public MosaicTest {
 protected:
  void SetUp() override {
    MosaicTest::SetUp();
    if (!fs::exists(fs::path(OOMPH_SOURCE_DIR) / ".deps/jaxlib")) GTEST_SKIP() << "needs jax: scripts/setup --with-jax";
  }
};

TEST_F(SlowJax, AFunctionOfAUserIsLoweredAndExplained) {
  const std::string users = File("users.py", kUsersModule), script = OOMPH_SOURCE_DIR "/scripts/from-jax ";
  Ran ran = RunShell(script + users + ":with_arguments --chip v6e --bytecode --no-kernels -o " + folder_.string());
  ASSERT_EQ(ran.code, 0) << ran.out;
  ExpectIn(RunOomph("explain --chip v6e " + (folder_ / "with_arguments.hlo").string()).out,
           {"(body)", "On v6e the kernel needs 67108864 bytes", "4096x1024@(i,0)"});
  ran = RunShell(script + users + ":copy --arg 'f32[65536,1024]' --no-kernels -o " + folder_.string());
  ASSERT_EQ(ran.code, 0) << ran.out;
  ExpectIn(RunOomph("import " + (folder_ / "copy.hlo").string()).out, {"grid(16)", "in f32[65536,1024]/4096x1024@(i,0)"});
  EXPECT_EQ(RunShell(script + users + ":nobody").code, 64);
  EXPECT_EQ(RunShell(script + users + ":copy --arg nonsense").code, 64);
}

}  // namespace
}  // namespace oomph
