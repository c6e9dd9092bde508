#include "system/environment_variable.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

// What an empty or a relative name would load lies in whatever folder the program runs in.
TEST(AbsolutePath, IsNoPlaceInTheWorkingFolder) {
  EXPECT_EQ(absolute_path("/opt/cuda"), "/opt/cuda");
  EXPECT_EQ(absolute_path(std::nullopt), std::nullopt);
  for (const char* const value : {"", ".", "cuda", "./cuda"}) {
    EXPECT_EQ(absolute_path(value), std::nullopt) << value;
  }
}

TEST(ChosenPath, RefusesARelativeName) {
  constexpr const char* name = "ROOFLAB_TEST_FOLDER";
  ASSERT_EQ(::setenv(name, "/opt/workers", 1), 0);
  EXPECT_EQ(chosen_path(name), "/opt/workers");
  ASSERT_EQ(::setenv(name, "workers", 1), 0);
  EXPECT_THROW((void)chosen_path(name), Error);
  ASSERT_EQ(::setenv(name, "", 1), 0);
  EXPECT_EQ(chosen_path(name), std::nullopt);
  ASSERT_EQ(::unsetenv(name), 0);
  EXPECT_EQ(chosen_path(name), std::nullopt);
}

}  // namespace
}  // namespace rooflab
