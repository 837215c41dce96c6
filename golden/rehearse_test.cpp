#include "golden/rehearse.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

namespace assay::golden {
namespace {

TEST(Rehearsal, SaysHowItEnded) {
  EXPECT_EQ(rehearse([] {}, 5), std::nullopt);
  EXPECT_EQ(rehearse([] { throw std::runtime_error("no"); }, 5), std::nullopt);
  EXPECT_EQ(rehearse([] { raise(SIGKILL); }, 5), "its reader takes more than 5 s or all of the memory");
  EXPECT_EQ(rehearse([] { std::signal(SIGABRT, SIG_DFL), raise(SIGABRT); }, 5), "its reader crashes (signal 6)");
  EXPECT_EQ(rehearse([] { _exit(3); }, 5), "its reader ends with 3");
  volatile bool forever = true;
  EXPECT_EQ(rehearse(
                [&] {
                  while (forever) {
                  }
                },
                1),
            "its reader takes more than 1 s or all of the memory");
}

TEST(Rehearsal, ChangesNothingHere) {
  int value = 0;
  rehearse([&] { value = 1; }, 5);
  EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace assay::golden
