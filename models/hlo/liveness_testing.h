// What the tests of live ranges, of the interpreter and of pictures share. Not for anything but tests.
#ifndef OOMPH_MODELS_HLO_LIVENESS_TESTING_H_
#define OOMPH_MODELS_HLO_LIVENESS_TESTING_H_

#include <string_view>

#include "models/hlo/liveness.h"
#include "models/hlo/text.h"

namespace oomph::hlo {

// Both throw, with the reason, where there is nothing to return: the test fails with it.
inline Module Read(std::string_view text) { return Parse("test", text).value(); }
inline Liveness Live(const Module& module, const LivenessOptions& options = {}) {
  return LivenessOf(module, options).value();
}

// A loop with something that its body hands on as it is. Needs 184 bytes, at the sine of the body, step 15 of 25.
inline constexpr std::string_view kLoop = R"hlo(HloModule m, is_scheduled=true

%cond {
  %c = (f32[10], f32[7], s32[]) parameter(0)
  %k = s32[] get-tuple-element(%c), index=2
  %z = s32[] constant(5)
  ROOT %l = pred[] compare(%k, %z), direction=LT
}

%body {
  %b = (f32[10], f32[7], s32[]) parameter(0)
  %b0 = f32[10] get-tuple-element(%b), index=0
  %b1 = f32[7] get-tuple-element(%b), index=1
  %b2 = s32[] get-tuple-element(%b), index=2
  %q = f32[10] sine(%b0)
  %q2 = f32[10] add(%q, %q)
  %one = s32[] constant(1)
  %b3 = s32[] add(%b2, %one)
  ROOT %t = (f32[10], f32[7], s32[]) tuple(%q2, %b1, %b3)
}

ENTRY %main {
  %p = f32[10] parameter(0)
  %u = f32[7] parameter(1)
  %i = s32[] parameter(2)
  %pc = f32[10] copy(%p)
  %uc = f32[7] copy(%u)
  %ic = s32[] copy(%i)
  %init = (f32[10], f32[7], s32[]) tuple(%pc, %uc, %ic)
  %w = (f32[10], f32[7], s32[]) while(%init), condition=%cond, body=%body
  %a0 = f32[10] get-tuple-element(%w), index=0
  %a1 = f32[7] get-tuple-element(%w), index=1
  %n = f32[10] negate(%a0)
  ROOT %r = (f32[10], f32[7]) tuple(%n, %a1)
}
)hlo";

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_LIVENESS_TESTING_H_
