// Tests of the run-time OOM texts: printed as published, read in every form and wrapping, and that no bytes
// hurt the reader. They cannot say that a runtime prints nothing else.

#include "models/message/oom.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "models/base/units.h"
#include "models/message/number.h"

namespace oomph {

// For failures of EXPECT_EQ.
void PrintTo(const OomMessage& message, std::ostream* out) {
  const auto size = [](const std::optional<PrintedBytes>& printed) {
    if (!printed.has_value()) return std::string("-");
    return absl::StrCat(printed->negative ? "-" : "", printed->lowest, "..", printed->highest);
  };
  *out << OomCode(message.kind) << (message.coded ? " coded" : "") << (message.at_bottom ? " at bottom" : "")
       << " program '" << message.program << "' location '" << message.location << "' requested "
       << size(message.requested) << " free " << size(message.free) << " largest "
       << size(message.largest_free) << " reserved " << size(message.reserved) << " reservable "
       << size(message.reservable) << " running " << message.replica.value_or(0) << ","
       << message.partition.value_or(0) << " ledger " << size(message.ledger.capacity) << " "
       << size(message.ledger.reserved) << " " << size(message.ledger.allocated) << " "
       << size(message.ledger.requirement) << " " << size(message.ledger.available_after) << " "
       << size(message.ledger.largest_free) << " at " << message.offset << " length " << message.length;
}

namespace {

// openxla.org errors 0100 and 0101.
constexpr std::string_view kBufferSample =
    "ValueError: RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 8.00M. That was "
    "not "
    "possible. There are 6.43M free.; (0x0x1_HBM0)";
constexpr std::string_view kProgramSample =
    "XlaRuntimeError: RESOURCE_EXHAUSTED: Error loading program 'jit_embedding_pipeline_step_fn': Attempting "
    "to "
    "reserve 29.49G at the bottom of memory. That was not possible. There are 147.64M free, 0B reserved, and "
    "147.64M reservable. Scope: unknown..: while running replica 0 and partition 34 of a replicated "
    "computation "
    "(other replicas may have failed as well).";
// jax issue 7913, google/trax issue 431: the form; the numbers are ours.
constexpr std::string_view kFragmentedSample =
    "Attempting to allocate 31.06M. That was not possible. There are 58.64M free. Due to fragmentation, the "
    "largest "
    "contiguous region of free memory is 30.56M.; (0x0x0_HBM0)";
// jax issue 14304: the form; the numbers are ours.
constexpr std::string_view kOlderSample =
    "Could not allocate 1000 bytes in memory 0x1x0_HBM0; 600 bytes allocatable, 1200 bytes available";
// pytorch/xla issue 1735: the form and the numbers that add up.
constexpr std::string_view kLedgerSample =
    "Attempting to reserve 3.95G at the bottom of memory. That was not possible. There are 1.92G free, 0B "
    "reserved, "
    "and 1.92G reservable.; \nHBM capacity 8.00G:\n"
    "       Top-of-Memory reserved:  529.00M (     554,696,704 bytes)\n"
    "          Currently allocated:    6.08G (   6,532,939,776 bytes)\n"
    "          Program requirement:    3.95G (   4,237,689,856 bytes)\n"
    "                               ------------\n"
    "      Available after request:   -2.55G (  -2,735,391,744 bytes)\n"
    "; attempting reservation for program memory\n\nTotal hbm usage >= 10.94G:\n    program 4.34G\n\n"
    "Heap allocator status:\n    Max free chunk             1.92G (0.0% fragmentation)\n";

constexpr std::array<std::string_view, 5> kSamples = {kBufferSample, kProgramSample, kFragmentedSample,
                                                      kOlderSample, kLedgerSample};

PrintedBytes Size(std::string_view text) { return ParseBytes(text).value(); }

OomMessage Read(std::string_view text) {
  const absl::StatusOr<OomMessage> message = ReadOom(text);
  EXPECT_TRUE(message.ok()) << message.status() << "\n" << text;
  return message.value_or(OomMessage{});
}

// Without its place in the text.
OomMessage Said(std::string_view text) {
  OomMessage message = Read(text);
  message.offset = message.length = 0;
  return message;
}

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  return absl::StrReplaceAll({text.data(), text.size()},
                             {{{from.data(), from.size()}, {to.data(), to.size()}}});
}

TEST(PrintOom, IsThePublishedText) {
  EXPECT_EQ("ValueError: RESOURCE_EXHAUSTED: " +
                PrintBufferOom({.requested = 8 * kMiB, .free = 6742344, .location = "0x0x1_HBM0"}),
            kBufferSample);
  EXPECT_EQ(
      "XlaRuntimeError: RESOURCE_EXHAUSTED: " + PrintProgramOom({.program = "jit_embedding_pipeline_step_fn",
                                                                 .requested = 31664640000,
                                                                 .free = 154811760,
                                                                 .reserved = 0,
                                                                 .reservable = 154811760,
                                                                 .running = ReplicaPartition{0, 34}}),
      kProgramSample);
  EXPECT_EQ(PrintBufferOom({.requested = 32568770, .free = 61488496, .largest_free = 32044482}),
            absl::StrCat("Error allocating device buffer: ",
                         absl::string_view(kFragmentedSample.data(), kFragmentedSample.size())));
}

TEST(PrintOom, SpeaksOfFragmentationExactlyWhereEnoughIsFree) {
  constexpr std::string_view kSentence = "Due to fragmentation";
  EXPECT_EQ(PrintBufferOom({.requested = 9, .free = 8, .largest_free = 8}).find(kSentence),
            std::string::npos);
  EXPECT_NE(PrintBufferOom({.requested = 8, .free = 8, .largest_free = 4}).find(kSentence),
            std::string::npos);
}

TEST(PrintOom, EnvelopesAreThoseOfXla) {
  const BufferOom buffer = {.requested = 2, .free = 1, .location = "L_HBM0"};
  const std::string text = PrintBufferOom(buffer);
  EXPECT_EQ(PrintBufferOom(buffer, OomEnvelope::kAnnotated),
            "E0100: RuntimeBufferAllocationFailure: " + text +
                "\nSee https://openxla.org/xla/errors/error_0100 for more details.");
  EXPECT_EQ(PrintProgramOom({.program = "p"}, OomEnvelope::kFactory),
            "E0101: RuntimeProgramAllocationFailure:\n" + PrintProgramOom({.program = "p"}) +
                "\nSee https://openxla.org/xla/errors/error_0101 for more details.");
}

TEST(ReadOom, ReadsTheBufferForm) {
  const OomMessage message = Read(kBufferSample);
  EXPECT_EQ(message.kind, OomKind::kBuffer);
  EXPECT_FALSE(message.coded);
  EXPECT_EQ(message.requested, Size("8.00M"));
  EXPECT_EQ(message.free, Size("6.43M"));
  EXPECT_EQ(message.largest_free, std::nullopt);
  EXPECT_EQ(message.location, "0x0x1_HBM0");
  EXPECT_EQ(kBufferSample.substr(message.offset, message.length),
            kBufferSample.substr(kBufferSample.find("Error allocating")));
  EXPECT_EQ(CauseOf(message), OomCause::kTooLarge);
}

TEST(ReadOom, ReadsTheProgramForm) {
  const OomMessage message = Read(kProgramSample);
  EXPECT_EQ(message.kind, OomKind::kProgram);
  EXPECT_TRUE(message.at_bottom);
  EXPECT_EQ(message.program, "jit_embedding_pipeline_step_fn");
  EXPECT_EQ(message.requested, Size("29.49G"));
  EXPECT_EQ(message.free, Size("147.64M"));
  EXPECT_EQ(message.reserved, Size("0B"));
  EXPECT_EQ(message.reservable, Size("147.64M"));
  EXPECT_EQ(message.replica, 0u);
  EXPECT_EQ(message.partition, 34u);
}

TEST(ReadOom, ReadsTheOtherForms) {
  const OomMessage fragmented = Read(kFragmentedSample);
  EXPECT_EQ(fragmented.kind, OomKind::kBuffer);
  EXPECT_EQ(fragmented.largest_free, Size("30.56M"));
  EXPECT_EQ(fragmented.location, "0x0x0_HBM0");
  EXPECT_EQ(CauseOf(fragmented), OomCause::kFragmentation);

  const OomMessage older = Read(kOlderSample);
  EXPECT_EQ(older.requested, ExactlyBytes(1000));
  EXPECT_EQ(older.largest_free, ExactlyBytes(600));
  EXPECT_EQ(older.free, ExactlyBytes(1200));
  EXPECT_EQ(older.location, "0x1x0_HBM0");
  EXPECT_EQ(CauseOf(older), OomCause::kFragmentation);

  const OomMessage allocated_program = Read(
      "RuntimeProgramAllocationFailure: Error loading program 'jit__forward': Attempting to allocate 1.13G. "
      "That was "
      "not possible. There are 528.72M free.");
  EXPECT_EQ(allocated_program.kind, OomKind::kProgram);
  EXPECT_EQ(allocated_program.program, "jit__forward");
  EXPECT_FALSE(allocated_program.at_bottom);
  EXPECT_EQ(allocated_program.free, Size("528.72M"));
}

TEST(ReadOom, ReadsTheLedgerOf2020) {
  const OomMessage message = Read(kLedgerSample);
  EXPECT_EQ(message.kind, OomKind::kProgram);
  EXPECT_EQ(message.ledger.capacity, Size("8.00G"));
  EXPECT_EQ(message.ledger.reserved, ExactlyBytes(554696704));
  EXPECT_EQ(message.ledger.allocated, ExactlyBytes(6532939776));
  EXPECT_EQ(message.ledger.requirement, ExactlyBytes(4237689856));
  EXPECT_EQ(message.ledger.available_after, (PrintedBytes{2735391744, 2735391744, true}));
  EXPECT_EQ(message.ledger.largest_free, Size("1.92G"));
}

TEST(ReadOom, ReadsWhatWasCutOff) {
  const OomMessage request = Read("RESOURCE_EXHAUSTED: Attempting to allocate 66.50G");
  EXPECT_EQ(request.requested, Size("66.50G"));
  EXPECT_EQ(request.free, std::nullopt);
  EXPECT_EQ(CauseOf(request), OomCause::kUnknown);
  const OomMessage program =
      Read("Error loading program: Attempting to reserve 6.14G at the bottom of memory.");
  EXPECT_EQ(program.kind, OomKind::kProgram);
  EXPECT_EQ(program.program, "");
  const OomMessage without = Read(
      "Attempting to reserve 90.41G at the bottom of memory.\nThere are 88.59G free, 0B reserved, and 88.59G "
      "reservable.");
  EXPECT_EQ(without.reservable, Size("88.59G"));
}

TEST(ReadOom, RoundedSizesThatOverlapHaveNoCause) {
  EXPECT_EQ(CauseOf(Read("Attempting to allocate 8.00M. There are 8.00M free.")), OomCause::kUnknown);
  EXPECT_EQ(CauseOf(Read("Attempting to allocate 8.00M. There are 8.02M free.")), OomCause::kFragmentation);
}

// However it is wrapped, quoted or escaped, a text says the same.
TEST(ReadOom, ReadsWrappedQuotedAndEscapedTexts) {
  for (const std::string_view sample : kSamples) {
    const OomMessage expected = Said(sample);
    EXPECT_EQ(Said(Replaced(sample, " ", "\n")), expected);
    EXPECT_EQ(Said(Replaced(sample, " ", "\r\n    ")), expected);
    EXPECT_EQ(Said(Replaced(sample, " ", "\n> ")), expected);
    EXPECT_EQ(Said(Replaced(sample, " ", "\n  # ")), expected);
    EXPECT_EQ(Said(Replaced(sample, " ", " \"\n  \"")), expected);
    EXPECT_EQ(Said(Replaced(sample, " ", "\\n")), expected);
    EXPECT_EQ(Said(Replaced(sample, " ", "\\\\n")), expected);
    EXPECT_EQ(Said(Replaced(sample, "'", "\\'")), expected);
    EXPECT_EQ(Said(Replaced(sample, "\n", "\\n")), expected);
    EXPECT_EQ(Said(Replaced(sample, ". ", ".\nE0404 00:27:49.642380  1234 tpu_execute_op.cc:88] ")),
              expected);
    EXPECT_EQ(Said(Replaced(sample, ". ", ".\n(pid=12) ERROR 01-08 12:00:00 [core.py:708] ")), expected);
  }
}

TEST(ReadOom, ReadsTextsBrokenAtAnyColumn) {
  for (const std::string_view sample : kSamples) {
    const OomMessage expected = Said(sample);
    for (size_t width = 5; width < sample.size(); ++width) {
      std::string text;
      for (size_t at = 0; at < sample.size(); at += width) {
        text.append(sample.substr(at, width)).append("\n");
      }
      ASSERT_EQ(Said(text), expected) << text;
    }
  }
}

TEST(ReadOom, ReadsAllMessagesOfALog) {
  std::string log = "Traceback (most recent call last):\n  File \"Attempting.py\", line 1\n";
  for (const std::string_view sample : kSamples) {
    log.append("2022-04-04 00:27:49.642380: E xla_util.cc:88] ")
        .append(sample)
        .append("\n  at Error loading\n");
  }
  const absl::StatusOr<std::vector<OomMessage>> messages = ReadAllOoms(log);
  ASSERT_TRUE(messages.ok());
  ASSERT_EQ(messages->size(), kSamples.size());
  for (size_t i = 0; i < kSamples.size(); ++i) {
    OomMessage message = (*messages)[i];
    EXPECT_EQ(log.substr(message.offset, 5), kSamples[i].substr(Read(kSamples[i]).offset, 5));
    message.offset = message.length = 0;
    EXPECT_EQ(message, Said(kSamples[i]));
  }
  EXPECT_EQ(ReadAllOoms(log, 2)->size(), 2u);
}

TEST(ReadOom, FindsNothingInOtherTexts) {
  for (const std::string_view text :
       {"", "\n", "Attempting", "Attempting to allocate", "Attempting to allocate 8M.",
        "Attempting to allocate .", "Error loading program: Fatal error",
        "Error allocating device buffer: Attempting to free 8.00M.",
        "RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 76.58M of 64.00M vmem.",
        "Could not allocate 8 bytes in memory HBM"}) {
    EXPECT_EQ(ReadOom(text).status().code(), absl::StatusCode::kNotFound) << text;
  }
  EXPECT_EQ(ReadOom(std::string(kMaxMessageTextBytes + 1, 'A')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// What is printed reads back to intervals that hold the numbers, in every envelope.
TEST(ReadOom, ReadsBackWhatIsPrinted) {
  std::mt19937_64 random(3);
  const auto draw = [&random] { return random() >> (random() % 64); };
  for (int round = 0; round < 20000; ++round) {
    const auto envelope = static_cast<OomEnvelope>(random() % 3);
    const BufferOom buffer = {draw(), draw(), draw(), "0x1x0_HBM0"};
    OomMessage message = Read(PrintBufferOom(buffer, envelope));
    ASSERT_EQ(message.kind, OomKind::kBuffer);
    ASSERT_EQ(message.coded, envelope != OomEnvelope::kNone);
    ASSERT_TRUE(Contains(message.requested, buffer.requested));
    ASSERT_TRUE(message.free.has_value() && Contains(*message.free, buffer.free));
    ASSERT_EQ(message.largest_free.has_value(), buffer.free >= buffer.requested);
    ASSERT_TRUE(!message.largest_free.has_value() || Contains(*message.largest_free, buffer.largest_free));
    ASSERT_EQ(message.location, buffer.location);

    ProgramOom program = {"jit_f(x)_1", draw(), draw(), draw(), draw()};
    if (random() % 2 == 0) program.running = ReplicaPartition{draw(), draw()};
    message = Read(PrintProgramOom(program, envelope));
    ASSERT_EQ(message.kind, OomKind::kProgram);
    ASSERT_EQ(message.coded, envelope != OomEnvelope::kNone);
    ASSERT_EQ(message.program, program.program);
    ASSERT_TRUE(Contains(message.requested, program.requested));
    ASSERT_TRUE(message.free.has_value() && Contains(*message.free, program.free));
    ASSERT_TRUE(message.reserved.has_value() && Contains(*message.reserved, program.reserved));
    ASSERT_TRUE(message.reservable.has_value() && Contains(*message.reservable, program.reservable));
    ASSERT_EQ(message.replica.has_value(), program.running.has_value());
    if (!program.running.has_value()) continue;
    ASSERT_EQ(message.replica, program.running->replica);
    ASSERT_EQ(message.partition, program.running->partition);
  }
}

// A message lies inside the text, and all of them do not overlap.
void CheckSane(const std::string& text) {
  const absl::StatusOr<std::vector<OomMessage>> messages = ReadAllOoms(text);
  ASSERT_TRUE(messages.ok());
  size_t end = 0;
  for (const OomMessage& message : *messages) {
    ASSERT_GE(message.offset, end);
    ASSERT_GT(message.length, 0u);
    end = message.offset + message.length;
    ASSERT_LE(end, text.size());
    ASSERT_LE(message.requested.lowest, message.requested.highest);
  }
}

TEST(ReadOom, SurvivesRandomBytesAndMutatedSamples) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random());
    CheckSane(text);
    text = kSamples[random() % kSamples.size()];
    for (uint64_t edits = random() % 8; edits > 0 && !text.empty(); --edits) {
      const size_t at = random() % text.size();
      switch (random() % 5) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 4);
          break;
        case 2:
          text.insert(at, kSamples[random() % kSamples.size()].substr(random() % 80));
          break;
        case 3:
          text.insert(at, random() % 2 == 0 ? "\n" : "\\");
          break;
        case 4:
          text.resize(at + 1);
          break;
      }
    }
    CheckSane(text);
  }
}

// Texts made to be slow: heads without a request, names and gaps without an end. All of 2 MiB.
TEST(ReadOom, TakesTimeLinearInTheText) {
  for (const std::string_view piece :
       {"E", "E0", "E0100:\n", "Error loading program '", "Error loading program '\n", "Attempting to\n\n",
        "A\n", "Error loading program 'x': E0101: RuntimeProgramAllocationFailure ",
        "Attempting to allocate 9", "'", "\\n", "Attempting to allocate 8.00M.",
        "E0100: RuntimeBufferAllocationFailure\n:1] "}) {
    std::string text;
    while (text.size() < 2 * kMiB) text.append(piece);
    const auto begin = std::chrono::steady_clock::now();
    CheckSane(text);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(seconds.count(), 30) << piece;  // Half a second is usual; a quadratic reader takes an hour.
  }
}

}  // namespace
}  // namespace oomph
