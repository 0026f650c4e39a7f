// See wire.h.
#include "fuzz/campaign/wire.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace oomph {
namespace {

using nlohmann::json;

bool WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool ReadAll(int fd, char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = read(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

json Decode(const char* data, size_t size) { return json::from_cbor(data, data + size, true, false); }

}  // namespace

bool SendMessage(int fd, const json& message) {
  std::string bytes(sizeof(uint64_t), '\0');
  json::to_cbor(message, bytes);
  const uint64_t size = bytes.size() - sizeof(uint64_t);
  std::memcpy(bytes.data(), &size, sizeof(size));
  return WriteAll(fd, bytes.data(), bytes.size());
}

std::optional<json> ReceiveMessage(int fd) {
  uint64_t size = 0;
  if (!ReadAll(fd, reinterpret_cast<char*>(&size), sizeof(size))) return std::nullopt;
  std::string bytes(size, '\0');
  if (!ReadAll(fd, bytes.data(), size)) return std::nullopt;
  return Decode(bytes.data(), size);
}

bool MessageReader::Fill(int fd) {
  char chunk[1 << 16];
  const ssize_t n = read(fd, chunk, sizeof(chunk));
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  buffer_.append(chunk, static_cast<size_t>(n));
  return n > 0;
}

std::optional<json> MessageReader::Next() {
  uint64_t size = 0;
  if (buffer_.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, buffer_.data(), sizeof(size));
  if (buffer_.size() - sizeof(size) < size) return std::nullopt;
  json message = Decode(buffer_.data() + sizeof(size), size);
  buffer_.erase(0, sizeof(size) + size);
  return message;
}

json ToJson(const ChunkRecord& chunk) {
  json properties = json::array(), corpus = json::array(), answers = json::array();
  for (const PropertyRecord& p : chunk.properties) {
    properties.push_back({p.signature, p.count, p.reason, p.case_text});
  }
  for (const CorpusEntry& entry : chunk.corpus) corpus.push_back({entry.hash, entry.text, entry.reach});
  for (const AnswerRecord& each : chunk.answers) answers.push_back({each.hash, each.text, each.answer});
  return {{"family", chunk.key.family},   {"subject", chunk.key.subject},
          {"variant", chunk.key.variant}, {"version", chunk.version},
          {"first", chunk.first},         {"count", chunk.count},
          {"steps", chunk.steps},         {"seconds", chunk.seconds},
          {"found", chunk.found},         {"deaths", chunk.deaths},
          {"findings", chunk.findings},   {"incomparable", chunk.incomparable},
          {"reach", chunk.reach},         {"properties", properties},
          {"corpus", corpus},             {"answers", answers}};
}

ChunkRecord ChunkFromJson(const json& j) {
  ChunkRecord chunk;
  chunk.key = {j["family"], j["subject"], j["variant"]};
  chunk.version = j["version"];
  chunk.first = j["first"];
  chunk.count = j["count"];
  chunk.steps = j["steps"];
  chunk.seconds = j["seconds"];
  chunk.found = j["found"];
  chunk.deaths = j["deaths"];
  chunk.findings = j["findings"].get<std::map<std::string, uint64_t>>();
  chunk.incomparable = j["incomparable"].get<std::map<std::string, uint64_t>>();
  chunk.reach = j["reach"].get<std::map<std::string, uint64_t>>();
  for (const json& p : j["properties"]) chunk.properties.push_back({chunk.key, p[0], p[1], p[2], p[3]});
  for (const json& entry : j["corpus"]) chunk.corpus.push_back({entry[0], entry[1], entry[2]});
  for (const json& each : j["answers"]) chunk.answers.push_back({each[0], each[1], each[2]});
  return chunk;
}

json ToJson(const Finding& f) {
  return {{"signature", f.signature}, {"family", f.family},   {"oracle", f.oracle},
          {"subject", f.subject},     {"detail", f.detail},   {"variant", f.variant},
          {"version", f.version},     {"reason", f.reason},   {"case_text", f.case_text},
          {"steps", f.steps},         {"tape", f.tape},       {"minimized", f.minimized},
          {"runs", f.runs},           {"seconds", f.seconds},   {"steady", f.steady}};
}

Finding FindingFromJson(const json& j) {
  Finding f;
  f.signature = j["signature"];
  f.family = j["family"];
  f.oracle = j["oracle"];
  f.subject = j["subject"];
  f.detail = j["detail"];
  f.variant = j["variant"];
  f.version = j["version"];
  f.reason = j["reason"];
  f.case_text = j["case_text"];
  f.steps = j["steps"];
  f.tape = j["tape"];
  f.minimized = j["minimized"];
  f.runs = j["runs"];
  f.seconds = j["seconds"];
  f.steady = j["steady"];
  return f;
}

}  // namespace oomph
