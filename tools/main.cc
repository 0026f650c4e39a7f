// The oomph command. What it can do is in the files beside this one, a verb each.
#include <cstdio>
#include <exception>

#include "fuzz/exit_code.h"
#include "subjects/malloc/static_tls.h"
#include "tools/verb.h"

int main(int argc, char** argv) {
  oomph::MakeRoomForThreadLocals(argv);
  try {
    return oomph::RunCommand(argc, argv);
  } catch (const std::exception& error) {  // out of memory; libraries that throw
    std::fprintf(stderr, "oomph: %s\n", error.what());
    return oomph::kBroken;
  }
}
