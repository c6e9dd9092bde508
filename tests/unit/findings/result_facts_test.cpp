#include "findings/result_facts.hpp"

#include <gtest/gtest.h>

namespace rooflab::findings {
namespace {

TEST(CommandWith, SetsAFlag) {
  EXPECT_EQ(command_with("rooflab predict a --batch 1 --notes", "--batch", "2"),
            "rooflab predict a --batch 2 --notes");
  EXPECT_EQ(command_with("rooflab predict 'a --batch 1'", "--batch", "2"),
            "rooflab predict 'a --batch 1' --batch 2");
  EXPECT_EQ(command_with("rooflab train a", "--resume", ""), "rooflab train a --resume");
}

// The line is one of a file, which anybody can have written.
TEST(CommandWith, AdvisesNothingButRooflab) {
  for (const std::string line :
       {"", "rm -r x", "rooflab predict a; touch x", "rooflab predict $(touch x)",
        "rooflab predict `touch x`", "rooflab predict a\ntouch x", "rooflab predict a > x",
        "A=b rooflab predict a", "rooflab predict 'a"}) {
    EXPECT_EQ(command_with(line, "--batch", "2"), "") << line;
  }
}

}  // namespace
}  // namespace rooflab::findings
