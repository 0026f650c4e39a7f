/* A PJRT plugin that compiles nothing, and misbehaves as the program's text asks: "behaves_WORD" anywhere in it. What it
 * does when it is loaded, the environment variable OOMPH_MADE_UP says. For the tests of the harness; not for anything else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pjrt_c_api.h"

struct PJRT_Error {
  PJRT_Error_Code code;
  const char* message;
};
struct PJRT_Client {
  int unused;
};
struct PJRT_Device {
  int unused;
};
struct PJRT_Executable {
  int unused;
};
struct PJRT_LoadedExecutable {
  int unused;
};
struct PJRT_TopologyDescription {
  int unused;
};

static PJRT_Error refusal;
static PJRT_Client client;
static PJRT_Device device;
static PJRT_Device* devices[] = {&device};
static PJRT_Executable executable;
static PJRT_LoadedExecutable loaded;
static PJRT_TopologyDescription topology;

static PJRT_Error* Refuse(PJRT_Error_Code code, const char* message) {
  refusal.code = code;
  refusal.message = message;
  return &refusal;
}

static void ErrorDestroy(PJRT_Error_Destroy_Args* args) { (void)args; }

static void ErrorMessage(PJRT_Error_Message_Args* args) {
  args->message = args->error->message;
  args->message_size = strlen(args->message);
}

static PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code = args->error->code;
  return NULL;
}

static PJRT_Error* Initialize(PJRT_Plugin_Initialize_Args* args) {
  (void)args;
  const char* how = getenv("OOMPH_MADE_UP");
  if (how != NULL && strcmp(how, "dies_at_start") == 0) abort();
  if (how != NULL && strcmp(how, "refuses_to_start") == 0) return Refuse(PJRT_Error_Code_UNAVAILABLE, "no licence");
  return NULL;
}

static PJRT_Error* ClientCreate(PJRT_Client_Create_Args* args) {
  args->client = &client;
  return NULL;
}

static PJRT_Error* AddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  args->addressable_devices = devices;
  args->num_addressable_devices = 1;
  return NULL;
}

static PJRT_Error* TopologyCreate(PJRT_TopologyDescription_Create_Args* args) {
  if (args->topology_name_size != 4 || memcmp(args->topology_name, "made", 4) != 0) {
    return Refuse(PJRT_Error_Code_INVALID_ARGUMENT, "no such topology");
  }
  args->topology = &topology;
  return NULL;
}

/* The socket to the harness, wherever it is. */
static int Socket(void) {
  struct stat status;
  for (int fd = 3; fd < 256; ++fd) {
    if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode)) return fd;
  }
  return -1;
}

static void WriteAll(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, bytes, size);
    if (written <= 0) return;
    bytes += written;
    size -= (size_t)written;
  }
}

static void Flood(void) {
  static char line[1 << 16];
  memset(line, 'x', sizeof line);
  for (size_t i = 63; i < sizeof line; i += 64) line[i] = '\n';
  for (int i = 0; i < 512; ++i) WriteAll(2, line, sizeof line);
}

/* The head of a reply of 1,000 bytes, and ten of them. */
static void WriteHalf(void) {
  char frame[26];
  const unsigned long long head[2] = {0x504a04, 1000};
  memset(frame, 'h', sizeof frame);
  memcpy(frame, head, sizeof head);
  WriteAll(Socket(), frame, sizeof frame);
}

/* As a library would that takes what it is given until there is no more. */
static void Grow(size_t bytes) {
  const size_t step = (size_t)16 << 20;
  for (size_t taken = 0; taken < bytes; taken += step) {
    char* volatile more = malloc(step); /* volatile: clang leaves out what nobody reads */
    if (more == NULL) {
      fputs("terminate called after throwing an instance of 'std::bad_alloc'\n", stderr);
      abort();
    }
    memset(more, 1, step);
  }
}

static int Asks(const PJRT_Program* program, const char* word) {
  char marker[64];
  const int size = snprintf(marker, sizeof marker, "behaves_%s", word);
  for (size_t at = 0; at + (size_t)size <= program->code_size; ++at) {
    if (memcmp(program->code + at, marker, (size_t)size) == 0) return 1;
  }
  return 0;
}

static PJRT_Error* Behave(const PJRT_Program* program) {
  if (Asks(program, "abort")) {
    fputs("F1130 10:00:00.1 7 made_up.cc:12] Check failed: size > 0 (0 vs. 0)\n*** Check failure stack trace: ***\n", stderr);
    for (int i = 0; i < 100; ++i) fputs("    @     0x7f0000000000  made_up::Frame()\n", stderr);
    abort();
  }
  if (Asks(program, "segfault")) *(volatile int*)8 = 1;
  if (Asks(program, "exit")) exit(3);
  while (Asks(program, "hang")) pause();
  if (Asks(program, "flood")) Flood();
  if (Asks(program, "floods_and_dies")) {
    Flood();
    abort();
  }
  if (Asks(program, "half")) {
    WriteHalf();
    _exit(0);
  }
  if (Asks(program, "garbage")) WriteAll(Socket(), "no frame at all, but words and words", 36);
  if (Asks(program, "grow_8_gib")) Grow((size_t)8 << 30);
  if (Asks(program, "grow_a_bit")) Grow((size_t)128 << 20);
  if (Asks(program, "refuse")) {
    return Refuse(PJRT_Error_Code_RESOURCE_EXHAUSTED, "E1000: CompileTimeHbmOom: Ran out of memory\nand a second line\n");
  }
  if (Asks(program, "wordless")) return Refuse(0, "");
  return NULL;
}

static PJRT_Error* ClientCompile(PJRT_Client_Compile_Args* args) {
  PJRT_Error* const error = Behave(args->program);
  args->executable = error != NULL || Asks(args->program, "nothing") ? NULL : &loaded;
  return error;
}

static PJRT_Error* Compile(PJRT_Compile_Args* args) {
  PJRT_Error* const error = Behave(args->program);
  args->executable = error != NULL ? NULL : &executable;
  return error;
}

static PJRT_Error* GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args* args) {
  args->executable = args->loaded_executable == NULL ? NULL : &executable;
  return NULL;
}

/* Of a version to come: longer than the header's. */
static PJRT_Error* Stats(PJRT_Executable_GetCompiledMemoryStats_Args* args) {
  if (args->struct_size < sizeof *args + 64) return Refuse(PJRT_Error_Code_INVALID_ARGUMENT, "unexpected size");
  args->generated_code_size_in_bytes = 1;
  args->argument_size_in_bytes = 2;
  args->output_size_in_bytes = 3;
  args->alias_size_in_bytes = 4;
  args->temp_size_in_bytes = 5;
  args->peak_memory_in_bytes = 6;
  return NULL;
}

static PJRT_Error* ExecutableDestroy(PJRT_Executable_Destroy_Args* args) {
  (void)args;
  return NULL;
}

static PJRT_Error* LoadedDestroy(PJRT_LoadedExecutable_Destroy_Args* args) {
  (void)args;
  return NULL;
}

const PJRT_Api* GetPjrtApi(void);
__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void) {
  static PJRT_Api api;
  const char* how = getenv("OOMPH_MADE_UP");
  if (how == NULL) how = "";
  if (strcmp(how, "null_table") == 0) return NULL;
  api.struct_size = sizeof api;
  api.pjrt_api_version.struct_size = sizeof api.pjrt_api_version;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = 1000;
  if (strcmp(how, "empty_table") == 0) return &api;
  api.PJRT_Error_Destroy = ErrorDestroy;
  api.PJRT_Error_Message = ErrorMessage;
  api.PJRT_Error_GetCode = ErrorGetCode;
  api.PJRT_Plugin_Initialize = Initialize;
  api.PJRT_Client_Create = ClientCreate;
  api.PJRT_Client_AddressableDevices = AddressableDevices;
  api.PJRT_Client_Compile = ClientCompile;
  api.PJRT_LoadedExecutable_GetExecutable = GetExecutable;
  api.PJRT_Executable_GetCompiledMemoryStats = Stats;
  api.PJRT_Executable_Destroy = ExecutableDestroy;
  api.PJRT_LoadedExecutable_Destroy = LoadedDestroy;
  api.PJRT_TopologyDescription_Create = TopologyCreate;
  api.PJRT_Compile = Compile;
  if (strcmp(how, "short_table") == 0) api.struct_size = 4;
  if (strcmp(how, "old_table") == 0) api.struct_size = offsetof(PJRT_Api, PJRT_Client_AddressableDevices);
  if (strcmp(how, "other_major") == 0) api.pjrt_api_version.major_version = PJRT_API_MAJOR + 1;
  return &api;
}
