// From the text of an HLO module to a serialized HloModuleProto, which is what PJRT plugins take (none takes text): the
// parser and the printer of protos of the tensorflow-cpu wheel. A plugin of its own, so that it can be asked in a child
// that has nothing else to do. Not a subject: see xla_hlo_plugin.cc.
//
// Why XLA's and not a writer of ours: a text of any XLA has some hundred attributes, of which each has its place in the
// proto, and a mistake of ours would look like a fault of a compiler. It costs one start of some 0.3 s and 0.3 GB for each
// process of the harness, and well below a millisecond a module.
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/hlo.pb.h"

// 0: `bytes` is the proto; 1: the text is not read, for the reason in `bytes`. Valid until the next call.
extern "C" __attribute__((visibility("default"))) int oomph_xla_proto(const char* text, size_t text_bytes,
                                                                      const char** bytes, size_t* num_bytes) {
  static std::string& kept = *new std::string;  // never destroyed: at exit nothing of XLA's must run
  const absl::StatusOr<std::unique_ptr<xla::HloModule>> module =
      xla::ParseAndReturnUnverifiedModule(absl::string_view(text, text_bytes));
  kept = module.ok() ? (*module)->ToProto().SerializeAsString() : std::string(module.status().message());
  *bytes = kept.data();
  *num_bytes = kept.size();
  return module.ok() ? 0 : 1;
}
