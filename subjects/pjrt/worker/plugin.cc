// See plugin.h.
#include "subjects/pjrt/worker/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace oomph::pjrt {
namespace {

// Errors of our own have the codes of PJRT_Error_Code, too.
Error Failed(std::string message) { return {PJRT_Error_Code_FAILED_PRECONDITION, std::move(message)}; }

// A message that a plugin gives without end is damage.
constexpr size_t kMaxMessageBytes = size_t{1} << 20;
constexpr size_t kMaxProgramBytes = size_t{1} << 30;
constexpr size_t kMaxArrayBytes = size_t{1} << 32;

std::string TextOf(const char* text, size_t size) {
  return text == nullptr ? std::string() : std::string(text, std::min(size, kMaxMessageBytes));
}

// Whether the table of calls reaches this one, and has it.
#define OOMPH_HAS(api, call) \
  ((api)->struct_size >= offsetof(PJRT_Api, call) + sizeof((api)->call) && (api)->call != nullptr)
#define OOMPH_NEEDS(api, call)                                  \
  if (!OOMPH_HAS(api, call)) return Error {                     \
      PJRT_Error_Code_UNIMPLEMENTED, "the plugin has no " #call \
    }

constexpr struct {
  PJRT_Buffer_Type number;
  std::string_view name;
  uint8_t bytes;
} kTypes[] = {
    {PJRT_Buffer_Type_PRED, "pred", 1},
    {PJRT_Buffer_Type_S2, "s2", 1},
    {PJRT_Buffer_Type_S4, "s4", 1},
    {PJRT_Buffer_Type_S8, "s8", 1},
    {PJRT_Buffer_Type_S16, "s16", 2},
    {PJRT_Buffer_Type_S32, "s32", 4},
    {PJRT_Buffer_Type_S64, "s64", 8},
    {PJRT_Buffer_Type_U2, "u2", 1},
    {PJRT_Buffer_Type_U4, "u4", 1},
    {PJRT_Buffer_Type_U8, "u8", 1},
    {PJRT_Buffer_Type_U16, "u16", 2},
    {PJRT_Buffer_Type_U32, "u32", 4},
    {PJRT_Buffer_Type_U64, "u64", 8},
    {PJRT_Buffer_Type_F16, "f16", 2},
    {PJRT_Buffer_Type_F32, "f32", 4},
    {PJRT_Buffer_Type_F64, "f64", 8},
    {PJRT_Buffer_Type_BF16, "bf16", 2},
    {PJRT_Buffer_Type_C64, "c64", 8},
    {PJRT_Buffer_Type_C128, "c128", 16},
    {PJRT_Buffer_Type_F8E5M2, "f8e5m2", 1},
    {PJRT_Buffer_Type_F8E4M3FN, "f8e4m3fn", 1},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, "f8e4m3b11fnuz", 1},
    {PJRT_Buffer_Type_F8E5M2FNUZ, "f8e5m2fnuz", 1},
    {PJRT_Buffer_Type_F8E4M3FNUZ, "f8e4m3fnuz", 1},
    {PJRT_Buffer_Type_F8E4M3, "f8e4m3", 1},
    {PJRT_Buffer_Type_F8E3M4, "f8e3m4", 1},
    {PJRT_Buffer_Type_F8E8M0FNU, "f8e8m0fnu", 1},
    {PJRT_Buffer_Type_F4E2M1FN, "f4e2m1fn", 1},
};

// "4" goes over as a number, "2,2,1" as a list of numbers, anything else as a text.
struct NamedOption {
  std::string name, value;
  std::vector<int64_t> numbers;

  explicit NamedOption(const std::string& words) {
    const size_t equals = words.find('=');
    name = words.substr(0, equals);
    value = equals == words.npos ? "" : words.substr(equals + 1);
    if (value.empty() || value.find_first_not_of("0123456789,") != value.npos) return;
    for (const char* at = value.c_str(); *at != '\0';) {
      char* end = nullptr;
      numbers.push_back(std::strtoll(at, &end, 10));
      if (end == at && *at != ',') break;
      at = *end == ',' ? end + 1 : end;
    }
  }
  PJRT_NamedValue Value() const {
    PJRT_NamedValue out = {};
    out.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    out.name = name.c_str();
    out.name_size = name.size();
    if (numbers.empty()) {
      out.type = PJRT_NamedValue_kString;
      out.string_value = value.c_str();
      out.value_size = value.size();
    } else if (numbers.size() == 1) {
      out.type = PJRT_NamedValue_kInt64;
      out.int64_value = numbers[0];
      out.value_size = 1;
    } else {
      out.type = PJRT_NamedValue_kInt64List;
      out.int64_array_value = numbers.data();
      out.value_size = numbers.size();
    }
    return out;
  }
};

PJRT_Program ProgramOf(const std::string& format, std::string& code) {
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = code.data();
  program.code_size = code.size();
  program.format = format.data();
  program.format_size = format.size();
  return program;
}

uint64_t Bytes(int64_t number) { return number < 0 ? 0 : static_cast<uint64_t>(number); }

}  // namespace

Error Plugin::Check(PJRT_Error* error) const {
  if (error == nullptr) return {};
  Error told{PJRT_Error_Code_UNKNOWN, "an error that the plugin has no text for"};
  if (OOMPH_HAS(api_, PJRT_Error_Message)) {
    Roomy<PJRT_Error_Message_Args> args;
    args->error = error;
    api_->PJRT_Error_Message(&args.args);
    told.message = TextOf(args->message, args->message_size);
  }
  if (OOMPH_HAS(api_, PJRT_Error_GetCode)) {
    Roomy<PJRT_Error_GetCode_Args> args;
    args->error = error;
    if (api_->PJRT_Error_GetCode(&args.args) == nullptr && args->code != 0)
      told.code = static_cast<uint64_t>(args->code);
  }
  if (OOMPH_HAS(api_, PJRT_Error_Destroy)) {
    Roomy<PJRT_Error_Destroy_Args> args;
    args->error = error;
    api_->PJRT_Error_Destroy(&args.args);
  }
  return told;
}

Error Plugin::Open(const std::string& path, const std::string& target, const std::vector<std::string>& options,
                   std::unique_ptr<Plugin>& into) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Failed(why == nullptr ? "it cannot be loaded" : why);
  }
  const auto get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (get == nullptr) return Failed("not a PJRT plugin: it does not export GetPjrtApi");
  const PJRT_Api* api = get();
  if (api == nullptr) return Failed("GetPjrtApi gives no table");
  if (api->struct_size < offsetof(PJRT_Api, pjrt_api_version) + sizeof api->pjrt_api_version) {
    return Failed("its table has " + std::to_string(api->struct_size) + " bytes");
  }
  if (api->pjrt_api_version.major_version != PJRT_API_MAJOR) {
    return Failed("its PJRT API has the major version " + std::to_string(api->pjrt_api_version.major_version));
  }
  std::unique_ptr<Plugin> plugin(new Plugin(api));
  plugin->description_.api_major = Bytes(api->pjrt_api_version.major_version);
  plugin->description_.api_minor = Bytes(api->pjrt_api_version.minor_version);
  if (OOMPH_HAS(api, PJRT_Plugin_Initialize)) {
    Roomy<PJRT_Plugin_Initialize_Args> args;
    if (Error error = plugin->Check(api->PJRT_Plugin_Initialize(&args.args))) return error;
  }
  const Error error = target == "client" ? plugin->MakeClient() : plugin->MakeTopology(target, options);
  if (!error) into = std::move(plugin);
  return error;
}

Error Plugin::MakeClient() {
  OOMPH_NEEDS(api_, PJRT_Client_Create);
  OOMPH_NEEDS(api_, PJRT_Client_AddressableDevices);
  OOMPH_NEEDS(api_, PJRT_Client_Compile);
  Roomy<PJRT_Client_Create_Args> create;
  if (Error error = Check(api_->PJRT_Client_Create(&create.args))) return error;
  client_ = create->client;
  Roomy<PJRT_Client_AddressableDevices_Args> devices;
  devices->client = client_;
  if (Error error = Check(api_->PJRT_Client_AddressableDevices(&devices.args))) return error;
  description_.devices = devices->num_addressable_devices;
  if (devices->num_addressable_devices > 0 && devices->addressable_devices != nullptr) {
    device_ = devices->addressable_devices[0];
    description_.runs = true;
  }
  if (OOMPH_HAS(api_, PJRT_Client_PlatformName)) {
    Roomy<PJRT_Client_PlatformName_Args> args;
    args->client = client_;
    if (!Check(api_->PJRT_Client_PlatformName(&args.args))) {
      description_.platform = TextOf(args->platform_name, args->platform_name_size);
    }
  }
  if (OOMPH_HAS(api_, PJRT_Client_PlatformVersion)) {
    Roomy<PJRT_Client_PlatformVersion_Args> args;
    args->client = client_;
    if (!Check(api_->PJRT_Client_PlatformVersion(&args.args))) {
      description_.version = TextOf(args->platform_version, args->platform_version_size);
    }
  }
  return {};
}

Error Plugin::MakeTopology(const std::string& name, const std::vector<std::string>& options) {
  OOMPH_NEEDS(api_, PJRT_TopologyDescription_Create);
  OOMPH_NEEDS(api_, PJRT_Compile);
  std::vector<NamedOption> named(options.begin(), options.end());
  std::vector<PJRT_NamedValue> values;
  for (const NamedOption& option : named) values.push_back(option.Value());
  Roomy<PJRT_TopologyDescription_Create_Args> create;
  create->topology_name = name.c_str();
  create->topology_name_size = name.size();
  create->create_options = values.data();
  create->num_options = values.size();
  if (Error error = Check(api_->PJRT_TopologyDescription_Create(&create.args))) return error;
  topology_ = create->topology;
  if (OOMPH_HAS(api_, PJRT_TopologyDescription_GetDeviceDescriptions)) {
    Roomy<PJRT_TopologyDescription_GetDeviceDescriptions_Args> args;
    args->topology = topology_;
    if (!Check(api_->PJRT_TopologyDescription_GetDeviceDescriptions(&args.args))) {
      description_.devices = args->num_descriptions;
    }
  }
  if (OOMPH_HAS(api_, PJRT_TopologyDescription_PlatformName)) {
    Roomy<PJRT_TopologyDescription_PlatformName_Args> args;
    args->topology = topology_;
    if (!Check(api_->PJRT_TopologyDescription_PlatformName(&args.args))) {
      description_.platform = TextOf(args->platform_name, args->platform_name_size);
    }
  }
  if (OOMPH_HAS(api_, PJRT_TopologyDescription_PlatformVersion)) {
    Roomy<PJRT_TopologyDescription_PlatformVersion_Args> args;
    args->topology = topology_;
    if (!Check(api_->PJRT_TopologyDescription_PlatformVersion(&args.args))) {
      description_.version = TextOf(args->platform_version, args->platform_version_size);
    }
  }
  return {};
}

Error Plugin::Compile(const Request& request) {
  std::string code = request.code;  // the program's fields are not const
  const PJRT_Program program = ProgramOf(request.format, code);
  if (client_ == nullptr) {
    Roomy<PJRT_Compile_Args> args;
    args->topology = topology_;
    args->program = &program;
    args->compile_options = request.options.data();
    args->compile_options_size = request.options.size();
    if (Error error = Check(api_->PJRT_Compile(&args.args))) return error;
    executable_ = args->executable;
    return {};
  }
  Roomy<PJRT_Client_Compile_Args> args;
  args->client = client_;
  args->program = &program;
  args->compile_options = request.options.data();
  args->compile_options_size = request.options.size();
  if (Error error = Check(api_->PJRT_Client_Compile(&args.args))) return error;
  loaded_ = args->executable;
  OOMPH_NEEDS(api_, PJRT_LoadedExecutable_GetExecutable);
  Roomy<PJRT_LoadedExecutable_GetExecutable_Args> get;
  get->loaded_executable = loaded_;
  if (Error error = Check(api_->PJRT_LoadedExecutable_GetExecutable(&get.args))) return error;
  executable_ = get->executable;
  return {};
}

Error Plugin::ReadStats(Reply& reply) {
  OOMPH_NEEDS(api_, PJRT_Executable_GetCompiledMemoryStats);
  Roomy<PJRT_Executable_GetCompiledMemoryStats_Args> args;
  args->executable = executable_;
  if (Error error = Check(api_->PJRT_Executable_GetCompiledMemoryStats(&args.args))) return error;
  hlo::CompiledStats& stats = reply.stats.emplace();
  stats.code = Bytes(args->generated_code_size_in_bytes);
  stats.arguments = Bytes(args->argument_size_in_bytes);
  stats.outputs = Bytes(args->output_size_in_bytes);
  stats.aliases = Bytes(args->alias_size_in_bytes);
  stats.temporaries = Bytes(args->temp_size_in_bytes);
  stats.peak = Bytes(args->peak_memory_in_bytes);
  return {};
}

Error Plugin::ReadOptimized(Reply& reply) {
  OOMPH_NEEDS(api_, PJRT_Executable_OptimizedProgram);
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  Roomy<PJRT_Executable_OptimizedProgram_Args> args;
  args->executable = executable_;
  args->program = &program;
  if (Error error = Check(api_->PJRT_Executable_OptimizedProgram(&args.args))) return error;
  if (program.code_size > kMaxProgramBytes) return Failed("the optimized program has too many bytes");
  reply.optimized.resize(program.code_size);
  program.code = reply.optimized.data();
  if (Error error = Check(api_->PJRT_Executable_OptimizedProgram(&args.args))) {
    reply.optimized.clear();
    return error;
  }
  reply.optimized_format = TextOf(program.format, program.format_size);
  return {};
}

Error Plugin::Wait(PJRT_Event* event) {
  if (event == nullptr) return {};
  OOMPH_NEEDS(api_, PJRT_Event_Await);
  Roomy<PJRT_Event_Await_Args> args;
  args->event = event;
  const Error error = Check(api_->PJRT_Event_Await(&args.args));
  if (OOMPH_HAS(api_, PJRT_Event_Destroy)) {
    Roomy<PJRT_Event_Destroy_Args> destroy;
    destroy->event = event;
    Check(api_->PJRT_Event_Destroy(&destroy.args));
  }
  return error;
}

Error Plugin::Send(const hlo::ResultArray& array, PJRT_Buffer*& buffer) {
  OOMPH_NEEDS(api_, PJRT_Client_BufferFromHostBuffer);
  const auto type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& row) { return row.name == array.type; });
  if (type == std::end(kTypes)) return {PJRT_Error_Code_UNIMPLEMENTED, "arguments of type " + array.type};
  uint64_t bytes = type->bytes;
  for (const int64_t dimension : array.dimensions) {
    if (dimension < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dimension), &bytes)) {
      return {PJRT_Error_Code_INVALID_ARGUMENT, "the dimensions of an argument"};
    }
  }
  if (bytes != array.bytes.size())
    return {PJRT_Error_Code_INVALID_ARGUMENT, "the bytes of an argument are not those of its shape"};
  Roomy<PJRT_Client_BufferFromHostBuffer_Args> args;
  args->client = client_;
  args->data = array.bytes.data();
  args->type = type->number;
  args->dims = array.dimensions.data();
  args->num_dims = array.dimensions.size();
  args->host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args->device = device_;
  if (Error error = Check(api_->PJRT_Client_BufferFromHostBuffer(&args.args))) return error;
  buffer = args->buffer;
  buffers_.push_back(buffer);
  return Wait(args->done_with_host_buffer);
}

Error Plugin::Fetch(PJRT_Buffer* buffer, hlo::ResultArray& array) {
  OOMPH_NEEDS(api_, PJRT_Buffer_ElementType);
  OOMPH_NEEDS(api_, PJRT_Buffer_Dimensions);
  OOMPH_NEEDS(api_, PJRT_Buffer_ToHostBuffer);
  Roomy<PJRT_Buffer_ElementType_Args> type;
  type->buffer = buffer;
  if (Error error = Check(api_->PJRT_Buffer_ElementType(&type.args))) return error;
  array.type = "token";
  for (const auto& row : kTypes) {
    if (row.number == type->type) array.type = row.name;
  }
  if (array.type == "token") return {};  // nothing is in it
  Roomy<PJRT_Buffer_Dimensions_Args> dims;
  dims->buffer = buffer;
  if (Error error = Check(api_->PJRT_Buffer_Dimensions(&dims.args))) return error;
  if (dims->num_dims > 64) return Failed("a result of too many dimensions");
  if (dims->num_dims > 0) array.dimensions.assign(dims->dims, dims->dims + dims->num_dims);
  // Row by row, however it lies on the device.
  std::vector<int64_t> minor_to_major(dims->num_dims);
  for (size_t i = 0; i < minor_to_major.size(); ++i)
    minor_to_major[i] = static_cast<int64_t>(minor_to_major.size() - 1 - i);
  PJRT_Buffer_MemoryLayout layout = {};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  Roomy<PJRT_Buffer_ToHostBuffer_Args> args;
  args->src = buffer;
  args->host_layout = &layout;
  if (Error error = Check(api_->PJRT_Buffer_ToHostBuffer(&args.args))) return error;
  if (args->dst_size > kMaxArrayBytes) return Failed("a result of too many bytes");
  array.bytes.resize(args->dst_size);
  args->dst = array.bytes.data();
  if (args->dst_size == 0) return {};
  if (Error error = Check(api_->PJRT_Buffer_ToHostBuffer(&args.args))) return error;
  return Wait(args->event);
}

Error Plugin::Execute(const std::vector<PJRT_Buffer*>& arguments, std::vector<PJRT_Buffer*>& results) {
  OOMPH_NEEDS(api_, PJRT_Executable_NumOutputs);
  OOMPH_NEEDS(api_, PJRT_LoadedExecutable_Execute);
  Roomy<PJRT_Executable_NumOutputs_Args> outputs;
  outputs->executable = executable_;
  if (Error error = Check(api_->PJRT_Executable_NumOutputs(&outputs.args))) return error;
  if (outputs->num_outputs > (size_t{1} << 20)) return Failed("too many results");
  // An argument that is given away would come back as a result, and be destroyed twice.
  results.assign(outputs->num_outputs, nullptr);
  Roomy<PJRT_ExecuteOptions> options;
  PJRT_Buffer* const* list = arguments.data();
  PJRT_Buffer** out = results.data();
  PJRT_Event* complete = nullptr;
  Roomy<PJRT_LoadedExecutable_Execute_Args> args;
  args->executable = loaded_;
  args->options = &options.args;
  args->argument_lists = &list;
  args->num_devices = 1;
  args->num_args = arguments.size();
  args->output_lists = &out;
  args->device_complete_events = &complete;
  if (Error error = Check(api_->PJRT_LoadedExecutable_Execute(&args.args))) return error;
  for (PJRT_Buffer* buffer : results) buffers_.push_back(buffer);
  return Wait(complete);
}

Error Plugin::Run(const Request& request, const Announce& announce, Reply& reply) {
  announce(Stage::kArguments);
  std::vector<PJRT_Buffer*> arguments(request.arguments.size()), results;
  reply.stage = Stage::kArguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (Error error = Send(request.arguments[i], arguments[i])) return error;
  }
  announce(reply.stage = Stage::kRun);
  if (Error error = Execute(arguments, results)) return error;
  announce(reply.stage = Stage::kResults);
  std::vector<hlo::ResultArray> arrays(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] == nullptr) return Failed("a result that is not there");
    if (Error error = Fetch(results[i], arrays[i])) return error;
  }
  reply.results = std::move(arrays);
  return {};
}

void Plugin::Destroy(PJRT_Buffer* buffer) {
  if (buffer == nullptr || !OOMPH_HAS(api_, PJRT_Buffer_Destroy)) return;
  Roomy<PJRT_Buffer_Destroy_Args> args;
  args->buffer = buffer;
  Check(api_->PJRT_Buffer_Destroy(&args.args));
}

void Plugin::CleanUp() {
  for (PJRT_Buffer* buffer : buffers_) Destroy(buffer);
  buffers_.clear();
  if (executable_ != nullptr && OOMPH_HAS(api_, PJRT_Executable_Destroy)) {
    Roomy<PJRT_Executable_Destroy_Args> args;
    args->executable = executable_;
    Check(api_->PJRT_Executable_Destroy(&args.args));
  }
  if (loaded_ != nullptr && OOMPH_HAS(api_, PJRT_LoadedExecutable_Destroy)) {
    Roomy<PJRT_LoadedExecutable_Destroy_Args> args;
    args->executable = loaded_;
    Check(api_->PJRT_LoadedExecutable_Destroy(&args.args));
  }
  executable_ = nullptr;
  loaded_ = nullptr;
}

void Plugin::Serve(const Request& request, const Announce& announce, Reply& reply) {
  reply = {};
  const auto take = [&](Stage stage, Error error) {
    if (!error) return;
    reply.code = error.code;
    reply.message = std::move(error.message);
    reply.stage = stage;
  };
  announce(Stage::kCompile);
  Error error = Compile(request);
  if (!error && executable_ == nullptr) error = Failed("it compiles without an error, and gives no executable");
  reply.compiled = !error;
  take(Stage::kCompile, std::move(error));
  if (reply.compiled) {
    announce(Stage::kStats);
    ReadStats(reply);  // not every plugin has them
    if (request.optimized) {
      announce(Stage::kOptimized);
      ReadOptimized(reply);
    }
    if (request.run && device_ != nullptr) {
      Error failed = Run(request, announce, reply);
      const Stage stage = reply.stage;
      reply.stage = Stage::kDone;
      take(stage, std::move(failed));
    }
  }
  announce(Stage::kCleanUp);
  CleanUp();
}

}  // namespace oomph::pjrt
