#include "base/environment_variable.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace rooflab {
namespace {

// What an empty or a relative name would load lies in whatever folder the program runs in.
TEST(AbsoluteFolder, IsNoPlaceInTheWorkingFolder) {
  constexpr const char* name = "ROOFLAB_TEST_FOLDER";
  ASSERT_EQ(::setenv(name, "/opt/cuda", 1), 0);
  EXPECT_EQ(absolute_folder(name), "/opt/cuda");
  for (const char* const value : {"", ".", "cuda", "./cuda"}) {
    ASSERT_EQ(::setenv(name, value, 1), 0);
    EXPECT_EQ(absolute_folder(name), std::nullopt) << value;
  }
  ASSERT_EQ(::unsetenv(name), 0);
  EXPECT_EQ(absolute_folder(name), std::nullopt);
}

}  // namespace
}  // namespace rooflab
