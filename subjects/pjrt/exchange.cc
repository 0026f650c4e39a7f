// See exchange.h.
#include "subjects/pjrt/exchange.h"

#include <iterator>

#include "models/base/pack.h"

namespace oomph::pjrt {
namespace {

// More dimensions than any array has.
constexpr uint64_t kMaxDimensions = 64;

void PackArrays(Packer& packer, const std::vector<hlo::ResultArray>& arrays) {
  packer.Number(arrays.size());
  for (const hlo::ResultArray& array : arrays) {
    packer.Text(array.type);
    packer.Number(array.dimensions.size());
    for (const int64_t dimension : array.dimensions) packer.Number(static_cast<uint64_t>(dimension));
    packer.Text(array.bytes);
  }
}

bool UnpackArrays(Unpacker& unpacker, std::vector<hlo::ResultArray>& arrays) {
  uint64_t count = 0;
  if (!unpacker.Number(count)) return false;
  for (; count > 0; --count) {  // a count that is too high ends with the bytes
    hlo::ResultArray& array = arrays.emplace_back();
    uint64_t dimensions = 0;
    if (!unpacker.Text(array.type) || !unpacker.Number(dimensions) || dimensions > kMaxDimensions) return false;
    for (; dimensions > 0; --dimensions) {
      uint64_t dimension = 0;
      if (!unpacker.Number(dimension)) return false;
      array.dimensions.push_back(static_cast<int64_t>(dimension));
    }
    if (!unpacker.Text(array.bytes)) return false;
  }
  return true;
}

bool UnpackFlag(Unpacker& unpacker, bool& flag) {
  uint64_t number = 0;
  if (!unpacker.Number(number) || number > 1) return false;
  flag = number == 1;
  return true;
}

}  // namespace

std::string Pack(const Description& description) {
  Packer packer;
  packer.Text(description.platform);
  packer.Text(description.version);
  packer.Number(description.api_major);
  packer.Number(description.api_minor);
  packer.Number(description.devices);
  packer.Number(description.runs);
  return packer.bytes();
}

bool Unpack(std::string_view bytes, Description& into) {
  into = {};
  Unpacker unpacker(bytes);
  return unpacker.Text(into.platform) && unpacker.Text(into.version) && unpacker.Number(into.api_major) &&
         unpacker.Number(into.api_minor) && unpacker.Number(into.devices) && UnpackFlag(unpacker, into.runs) &&
         unpacker.AtEnd();
}

std::string Pack(const Request& request) {
  Packer packer;
  packer.Text(request.format);
  packer.Text(request.code);
  packer.Text(request.options);
  packer.Number(request.optimized);
  packer.Number(request.run);
  PackArrays(packer, request.arguments);
  return packer.bytes();
}

bool Unpack(std::string_view bytes, Request& into) {
  into = {};
  Unpacker unpacker(bytes);
  return unpacker.Text(into.format) && unpacker.Text(into.code) && unpacker.Text(into.options) &&
         UnpackFlag(unpacker, into.optimized) && UnpackFlag(unpacker, into.run) &&
         UnpackArrays(unpacker, into.arguments) && unpacker.AtEnd();
}

std::string Pack(const Reply& reply) {
  Packer packer;
  packer.Number(reply.compiled);
  packer.Number(reply.code);
  packer.Text(reply.message);
  packer.Number(static_cast<uint64_t>(reply.stage));
  packer.Number(reply.stats.has_value());
  if (reply.stats) {
    const hlo::CompiledStats& stats = *reply.stats;
    for (const uint64_t number :
         {stats.code, stats.arguments, stats.outputs, stats.aliases, stats.temporaries, stats.peak}) {
      packer.Number(number);
    }
  }
  packer.Text(reply.optimized_format);
  packer.Text(reply.optimized);
  packer.Number(reply.results.has_value());
  if (reply.results) PackArrays(packer, *reply.results);
  packer.Number(reply.resident_bytes);
  return packer.bytes();
}

bool Unpack(std::string_view bytes, Reply& into) {
  into = {};
  Unpacker unpacker(bytes);
  uint64_t stage = 0;
  bool has_stats = false, has_results = false;
  hlo::CompiledStats stats;
  std::vector<hlo::ResultArray> results;
  if (!UnpackFlag(unpacker, into.compiled) || !unpacker.Number(into.code) || !unpacker.Text(into.message)) return false;
  if (!unpacker.Number(stage) || stage >= kStages || !UnpackFlag(unpacker, has_stats)) return false;
  for (uint64_t* number :
       {&stats.code, &stats.arguments, &stats.outputs, &stats.aliases, &stats.temporaries, &stats.peak}) {
    if (has_stats && !unpacker.Number(*number)) return false;
  }
  if (!unpacker.Text(into.optimized_format) || !unpacker.Text(into.optimized)) return false;
  if (!UnpackFlag(unpacker, has_results) || (has_results && !UnpackArrays(unpacker, results))) return false;
  if (!unpacker.Number(into.resident_bytes)) return false;
  into.stage = static_cast<Stage>(stage);
  if (has_stats) into.stats = stats;
  if (has_results) into.results = std::move(results);
  return unpacker.AtEnd();
}

std::string CodeName(uint64_t code) {
  constexpr std::string_view kNames[] = {"OK",
                                         "CANCELLED",
                                         "UNKNOWN",
                                         "INVALID_ARGUMENT",
                                         "DEADLINE_EXCEEDED",
                                         "NOT_FOUND",
                                         "ALREADY_EXISTS",
                                         "PERMISSION_DENIED",
                                         "RESOURCE_EXHAUSTED",
                                         "FAILED_PRECONDITION",
                                         "ABORTED",
                                         "OUT_OF_RANGE",
                                         "UNIMPLEMENTED",
                                         "INTERNAL",
                                         "UNAVAILABLE",
                                         "DATA_LOSS",
                                         "UNAUTHENTICATED"};
  return code < std::size(kNames) ? std::string(kNames[code]) : "code " + std::to_string(code);
}

}  // namespace oomph::pjrt
