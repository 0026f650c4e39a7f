// Modules for the tests of this folder: each as XLA prints such modules, together every construct of the text
// form.
#ifndef OOMPH_MODELS_HLO_TEXT_TEST_MODULES_H_
#define OOMPH_MODELS_HLO_TEXT_TEST_MODULES_H_

#include <string_view>

namespace oomph::hlo {

inline constexpr std::string_view kCanonicalModules[] = {
    // The smallest.
    R"(HloModule m

ENTRY %e () -> f32[] {
  ROOT %c = f32[] constant(0)
}

)",
    // Control flow, called computations before those that call, a tuple of more than five, its comments.
    R"(HloModule jit_loop, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }, entry_computation_layout={(s32[], f32[8,128]{1,0:T(8,128)})->(s32[], f32[8,128]{1,0:T(8,128)}, u8[], u8[], u8[], /*index=5*/u8[])}, allow_spmd_sharding_propagation_to_output={true,false}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %sum = f32[] add(%x, %y)
}

%body (p.1: (s32[], f32[8,128])) -> (s32[], f32[8,128]) {
  %p.1 = (s32[], f32[8,128]{1,0:T(8,128)}) parameter(0)
  %i = s32[] get-tuple-element(%p.1), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one), control-predecessors={%one}
  %v = f32[8,128]{1,0:T(8,128)} get-tuple-element(%p.1), index=1
  %w = f32[8,128]{1,0:T(8,128)} multiply(%v, %v), metadata={op_type="mul" op_name="jit(loop)/mul" source_file="a.py" source_line=12}
  ROOT %t = (s32[], f32[8,128]{1,0:T(8,128)}) tuple(%next, %w)
}

%cond (p.2: (s32[], f32[8,128])) -> pred[] {
  %p.2 = (s32[], f32[8,128]{1,0:T(8,128)}) parameter(0)
  %j = s32[] get-tuple-element(%p.2), index=0
  %ten = s32[] constant(10)
  ROOT %less = pred[] compare(%j, %ten), direction=LT
}

ENTRY %main (a: s32[], b: f32[8,128]) -> (s32[], f32[8,128], u8[], u8[], u8[], /*index=5*/u8[]) {
  %a = s32[] parameter(0)
  %b = f32[8,128]{1,0:T(8,128)} parameter(1), sharding={devices=[2,1]<=[2]}
  %start = (s32[], f32[8,128]{1,0:T(8,128)}) tuple(%a, %b)
  %loop = (s32[], f32[8,128]{1,0:T(8,128)}) while(%start), condition=%cond, body=%body
  %n = s32[] get-tuple-element(%loop), index=0
  %out = f32[8,128]{1,0:T(8,128)} get-tuple-element(%loop), index=1
  %zero = f32[] constant(0)
  %total = f32[8]{0:T(128)} reduce(%out, %zero), dimensions={1}, to_apply=%add
  %u = u8[] constant(7)
  ROOT %result = (s32[], f32[8,128]{1,0:T(8,128)}, u8[], u8[], u8[], /*index=5*/u8[]) tuple(%n, %out, %u, %u, %u, /*index=5*/%u)
}

)",
    // Async pairs, tokens, threads, memory spaces, custom calls, a fusion, a conditional.
    R"(HloModule async, is_scheduled=true, replica_count=2, num_partitions=4, buffer_donor={ (0, {}) }, frontend_attributes={a="b"}

%wrapped (q: f32[]) -> f32[] {
  ROOT %q = f32[] parameter(0)
}, execution_thread="sparsecore"

%fused (r: f32[16]) -> f32[16] {
  %r = f32[16]{0} parameter(0)
  ROOT %n = f32[16]{0} negate(%r)
}

ENTRY %main (p: f32[16], c: s32[]) -> token[] {
  %p = f32[16]{0} parameter(0)
  %c = s32[] parameter(1)
  %start = (f32[16]{0:S(1)}, f32[16]{0}, u32[]) copy-start(%p), cross_program_prefetch_index=0
  %done = f32[16]{0:S(1)} copy-done(%start)
  %f = f32[16]{0} fusion(%done), kind=kLoop, calls=%fused, output_to_operand_aliasing={{}: (0, {})}
  %s = ((f32[16]{0}), f32[8]{0}, s32[]) slice-start(%f), slice={[0:16:2]}
  %d = f32[8]{0} slice-done(%s)
  %g = ((f32[16]{0}), f32[16]{0}, s32[]) async-start(%f), async_execution_thread="sparsecore", calls=%wrapped
  %h = f32[16]{0} async-done(%g)
  %k = f32[16]{0} custom-call(%h), custom_call_target="tpu_custom_call", operand_layout_constraints={f32[16]{0}}, backend_config={"custom_call_config":{"body":"TUzv\"}="},"scoped_memory_configs":[{"memory_space":1,"offset":0,"size":65536}]}
  %if = f32[16]{0} conditional(%c, %k, %k), branch_computations={%fused, %fused}
  %after = token[] after-all()
  %send = (f32[16]{0}, u32[], token[]) send(%if, %after), channel_id=1, is_host_transfer=true
  ROOT %sent = token[] send-done(%send), channel_id=1, is_host_transfer=true
}

)",
    // Literals, odd names, every kind of array attribute.
    R"(HloModule lit

%cmp (l: f32[], r: f32[]) -> pred[] {
  %l = f32[] parameter(0)
  %r = f32[] parameter(1)
  ROOT %lt = pred[] compare(%l, %r), direction=LT, type=TOTALORDER
}

ENTRY %e.1-x_y (p.0: f32[2,3,4], p.10: bf16[<=8,4]) -> f32[] {
  %p.0 = f32[2,3,4]{2,1,0} parameter(0)
  %p.10 = bf16[<=8,4]{1,0} parameter(1)
  %a = f32[2,2]{1,0} constant({ { 1, 2 }, { 3, 4.5 } })
  %b = c64[2]{0} constant({(1, 2), (-inf, nan)})
  %c = (f32[2]{0}, s32[]) constant(({1, 2}, 3))
  %d = f32[0,2]{1,0} constant({  })
  %e = s32[1000]{0} constant({...})
  %pad = f32[4,3,4]{2,1,0} pad(%p.0, %p.0), padding=1_1x0_0x0_0
  %slice = f32[1,3,4]{2,1,0} slice(%p.0), slice={[0:1], [0:3], [0:4]}
  %tr = f32[4,3,2]{2,1,0} transpose(%p.0), dimensions={2,1,0}
  %win = f32[2,3,4]{2,1,0} reduce-window(%p.0, %p.0), window={size=1x2x2 stride=1x1x1 pad=0_0x0_1x1_0}, to_apply=%cmp
  %conv = f32[2,3,4]{2,1,0} convolution(%p.0, %p.0), window={size=3 pad=1_1 lhs_dilate=2 rhs_dilate=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f, feature_group_count=2, operand_precision={highest,default}
  %dot = f32[2,3,2,3]{3,2,1,0} dot(%p.0, %p.0), lhs_batch_dims={}, lhs_contracting_dims={2}, rhs_batch_dims={}, rhs_contracting_dims={2}, algorithm=dot_bf16_bf16_f32
  %gather = f32[2,3,4]{2,1,0} gather(%p.0, %p.0), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3,4}, indices_are_sorted=true
  %ar = f32[2,3,4]{2,1,0} all-reduce(%p.0), channel_id=3, replica_groups=[2,4]<=[4,2]T(1,0), use_global_device_ids=true, to_apply=%cmp
  %cp = f32[2,3,4]{2,1,0} collective-permute(%p.0), source_target_pairs={{0,1},{1,0}}
  %sort = f32[2,3,4]{2,1,0} sort(%p.0), dimensions={2}, is_stable=true, to_apply=%cmp
  %bn = (f32[2,3,4]{2,1,0}, f32[4]{0}, f32[4]{0}) batch-norm-training(%p.0, %p.0, %p.0), epsilon=1e-05, feature_index=2
  ROOT %z = f32[] constant(nan)
}

)",
    // Debug tables.
    R"(HloModule tables, entry_computation_layout={(f32[])->f32[]}

FileNames
1 "a \"b\".py"
2 "<embedded module '_launcher'>"

FunctionNames
1 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=4 column=5 end_column=6}
2 {file_name_id=2 function_name_id=1 line=7 end_line=8 column=9 end_column=10}

StackFrames
1 {file_location_id=1 parent_frame_id=0}
2 {file_location_id=2 parent_frame_id=1}


ENTRY %e (p: f32[]) -> f32[] {
  ROOT %p = f32[] parameter(0), metadata={op_name="p" stack_frame_id=2}
}

)",
    // Names without %.
    R"(HloModule plain

add (x: f32[], y: f32[]) -> f32[] {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y), control-predecessors={x}
}

ENTRY e (p: f32[4]) -> f32[] {
  p = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(p, zero), dimensions={0}, to_apply=add
}

)",
    // Shapes of operands, no comments that count, commas alone in the layout: as older dumps have it.
    R"(HloModule old, entry_computation_layout={(f32[4]{0},f32[4]{0})->f32[4]{0}}

ENTRY %e (p: f32[4], q: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  %q = f32[4]{0} parameter(1)
  %t = (f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}) tuple(f32[4]{0} %p, f32[4]{0} %p, f32[4]{0} %p, f32[4]{0} %p, f32[4]{0} %p, f32[4]{0} %q)
  ROOT %r = f32[4]{0} get-tuple-element((f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}, f32[4]{0}) %t), index=5
}

)",
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_TEXT_TEST_MODULES_H_
