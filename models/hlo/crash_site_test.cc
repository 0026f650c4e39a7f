// Names of crashes: texts that XLA, its compilers and others wrote when they died.
#include "models/hlo/crash_site.h"

#include <gtest/gtest.h>

#include <string>

namespace oomph::hlo {
namespace {

TEST(CrashSite, IsTheFileAndTheConditionOfACheck) {
  EXPECT_EQ(
      CrashSite("died: signal 6 (SIGABRT), after writing: F0000 00:00:1796066252.657697   20474 algorithm.cc:5480] "
                "Check failed: matching_assignment->memory_space == MemorySpace::kDefault Mismatch in required "
                "assignments at time 0 value: <0 p0>\nall that was written"),
      "algorithm_cc_matching_assignment_memory_space_memorys");
  EXPECT_EQ(
      CrashSite(
          "F0000 00:00:1796066251.852642   20474 xla/shape_util.cc:1201] Check failed: lhs == rhs (3 vs. 4) of %a"),
      "shape_util_cc_lhs_rhs");
  EXPECT_EQ(CrashSite("F0000 00:00:1796066254.1 204 algorithm.cc:561] Check failed: last_allocation_value != nullptr "),
            "algorithm_cc_last_allocation_value_nullptr");
  EXPECT_EQ(CrashSite("F1130 19:04:55.829114 204 hlo_computation.cc:1001] Check failed: instruction_count() == "
                      "post_order.size() (2 vs. 4) number of instructions does not match post order size"),
            "hlo_computation_cc_instruction_count_post_order_size");
  EXPECT_EQ(
      CrashSite(
          "died: F0000 00:00:17 hlo_computation.cc:9] Check failed: param_no >= 0 && param_no < parameter_count "),
      "hlo_computation_cc_param_no_N_param_no_parameter_count");
}

TEST(CrashSite, KnowsNoValuesAndNoNames) {
  const std::string head = "died: signal 6 (SIGABRT), after writing: F0000 00:00:17.1 9 shape.h:";
  const std::string one = CrashSite(head + "803] Check failed: state Expected a tuple shape. Got f8e4m3b11fnuz[12,1]");
  EXPECT_EQ(one, "shape_h_state_expected_a_tuple_shape_got_x");
  EXPECT_EQ(one, CrashSite(head + "799] Check failed: state Expected a tuple shape. Got bf16[1,2]"));
  EXPECT_EQ(CrashSite("F0000 00:00:17 hlo_parser.cc:77] F8E5M2FNUZ is not PRED type"),
            "hlo_parser_cc_x_is_not_pred_type");
  EXPECT_EQ(CrashSite("F0000 00:00:17 m.cc:1] Check failed: from != to (1 vs. 1) copy: %copy-start.1 = (s32[1024])"),
            "m_cc_from_to");
  EXPECT_EQ(CrashSite("F0000 00:00:17 m.cc:1] Check failed: %a %b 'c' f32[2]"), "m_cc_x");
}

TEST(CrashSite, KnowsOtherWaysToDie) {
  EXPECT_EQ(CrashSite("died: signal 6 (SIGABRT), after writing: a.out: src/a.c:7: f: Assertion `x > 0' failed."),
            "a_c_x_N");
  EXPECT_EQ(CrashSite("/usr/include/c++/12/bits/stl_vector.h:1123: reference std::vector<int>::operator[](size_type): "
                      "Assertion '__n < this->size()' failed."),
            "stl_vector_h_n_this_size");
  EXPECT_EQ(CrashSite("==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x12"),
            "sanitizer_heap_use_after_free");
  EXPECT_EQ(CrashSite("x/a.cc:7:3: runtime error: signed integer overflow: 2 + 3 cannot"),
            "a_cc_signed_integer_overflow");
  EXPECT_EQ(CrashSite("terminate called after throwing an instance of 'absl::lts_20250814::BadStatusOrAccess'"),
            "uncaught_absl_lts_N_badstatusoraccess");
  EXPECT_EQ(CrashSite("terminate called without an active exception"), "uncaught");
}

TEST(CrashSite, IsEmptyWhereNothingTells) {
  EXPECT_EQ(CrashSite(""), "");
  EXPECT_EQ(CrashSite("died: signal 11 (SIGSEGV)"), "");
  EXPECT_EQ(CrashSite("died: signal 11 (SIGSEGV), after writing: it was F0 in 1984: 7] or so"), "");
  EXPECT_EQ(CrashSite("I0000 00:00:17 a.cc:7] fine\nW0000 00:00:17 a.cc:7] late"), "");
  EXPECT_EQ(CrashSite("F0000 00:00:17 a.cc:x] odd"), "");
  EXPECT_EQ(CrashSite("F0000 00:00:17 a.cc:] odd"), "");
  EXPECT_EQ(CrashSite("Assertion"), "");
}

TEST(CrashSite, IsBoundedAndPlain) {
  for (const std::string& text : {std::string(10000, 'a'), std::string(10000, '1'), std::string(5000, ' '),
                                  std::string("\x80\xff/%"), std::string("/////:7]")}) {
    for (const std::string& line :
         {"F0000 0 a.cc:7] " + text, "F0000 0 " + text + ":7] x", "a.c:7: Assertion `" + text + "' failed.",
          "a.c: runtime error: " + text, "terminate called '" + text + "'", text}) {
      const std::string site = CrashSite(line);
      EXPECT_LE(site.size(), 73u) << line;
      for (const char c : site) EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') << site;
    }
  }
}

}  // namespace
}  // namespace oomph::hlo
