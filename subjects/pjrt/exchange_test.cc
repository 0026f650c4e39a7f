// What goes between harness and worker comes back as it was, and damage is not believed.
#include "subjects/pjrt/exchange.h"

#include <string>

#include "gtest/gtest.h"

namespace oomph::pjrt {
namespace {

Request SomeRequest() {
  Request request;
  request.format = "hlo";
  request.code = std::string("\0\1code", 6);
  request.options = "opt";
  request.optimized = true;
  request.run = true;
  request.arguments = {{"f32", {2, 3}, std::string(24, 'x')}, {"pred", {}, "1"}};
  return request;
}

Reply SomeReply() {
  Reply reply;
  reply.compiled = true;
  reply.code = 8;
  reply.message = "two\nlines";
  reply.stage = Stage::kRun;
  reply.stats = hlo::CompiledStats{1, 2, 3, 4, 5, 6};
  reply.optimized_format = "hlo_with_config";
  reply.optimized = "bytes";
  reply.results = {{"s8", {1}, "7"}};
  reply.resident_bytes = 77;
  return reply;
}

template <typename T>
void ExpectItComesBack(const T& value) {
  T back;
  const std::string bytes = Pack(value);
  EXPECT_TRUE(Unpack(bytes, back));
  EXPECT_EQ(back, value);
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(Unpack(bytes.substr(0, size), back)) << size;
  EXPECT_FALSE(Unpack(bytes + "x", back));
}

TEST(ExchangeTest, AllComesBackAndNothingLess) {
  ExpectItComesBack(Description{"tpu", "one", 0, 117, 4, true});
  ExpectItComesBack(SomeRequest());
  ExpectItComesBack(Request{});
  ExpectItComesBack(SomeReply());
  ExpectItComesBack(Reply{});
}

TEST(ExchangeTest, NoDamageIsBelievedOrDoesHarm) {
  const std::string bytes = Pack(SomeReply()), request = Pack(SomeRequest());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char byte : {'\0', '\1', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = byte;
      Reply reply;
      if (Unpack(damaged, reply)) {
        EXPECT_EQ(Pack(reply), damaged);
      }
    }
  }
  for (size_t at = 0; at < request.size(); ++at) {
    std::string damaged = request;
    damaged[at] = '\xff';
    Request read;
    if (Unpack(damaged, read)) {
      EXPECT_EQ(Pack(read), damaged);
    }
  }
}

TEST(ExchangeTest, CodesHaveNames) {
  EXPECT_EQ(CodeName(3), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeName(8), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(CodeName(13), "INTERNAL");
  EXPECT_EQ(CodeName(99), "code 99");
}

}  // namespace
}  // namespace oomph::pjrt
