// The main of every test program that has subjects. Not for: tests, or what only some of them need.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "subjects/malloc/static_tls.h"

int main(int argc, char** argv) {
  oomph::MakeRoomForThreadLocals(argv);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
