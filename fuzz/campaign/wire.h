// Messages between a campaign and its workers: JSON values as CBOR, each behind its length.
// Not for: other machines, or other builds of the same program.
#ifndef OOMPH_FUZZ_CAMPAIGN_WIRE_H_
#define OOMPH_FUZZ_CAMPAIGN_WIRE_H_

#include <optional>
#include <string>

#include "fuzz/store/records.h"
#include "nlohmann/json.hpp"

namespace oomph {

// Blocks; false if the other end is gone.
bool SendMessage(int fd, const nlohmann::json& message);
// Blocks; nothing at the end of the stream.
std::optional<nlohmann::json> ReceiveMessage(int fd);

// Collects what arrives on a pipe that is read without blocking.
class MessageReader {
 public:
  // Reads what is there; false at the end of the stream.
  bool Fill(int fd);
  std::optional<nlohmann::json> Next();

 private:
  std::string buffer_;
};

nlohmann::json ToJson(const ChunkRecord& chunk);
ChunkRecord ChunkFromJson(const nlohmann::json& json);
nlohmann::json ToJson(const Finding& finding);
Finding FindingFromJson(const nlohmann::json& json);

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_WIRE_H_
