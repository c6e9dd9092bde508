#include <gtest/gtest.h>

#include "base/shell_words.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

TEST(ShellWords, AreThoseOfALine) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"rooflab", "predict", "resnet18", "--batch", "1,2"},
           {"rooflab", "a b", "", "it's", "'", "$(x)", "`x`", "a\nb", "; x", "~", "*"}}) {
    EXPECT_EQ(shell_words(shell_line(words)), words);
  }
}

TEST(ShellWords, AreNotThoseOfALineThatDoesMore) {
  for (const std::string line :
       {"", "rooflab; touch x", "rooflab $(touch x)", "rooflab `touch x`", "rooflab a\ntouch x",
        "rooflab > x", "rooflab 'a", "rooflab \"a\"", "rooflab a\\", "rooflab ~", "rooflab *",
        "rooflab a & b", "rooflab # a", "PATH=. rooflab", "rooflab \x1b[0m"}) {
    EXPECT_EQ(shell_words(line), std::nullopt) << line;
  }
}

TEST(HarmlessCommand, IsOneWordWhereTheLineDoesMore) {
  EXPECT_EQ(harmless_command("rooflab predict 'a b'"), "rooflab predict 'a b'");
  EXPECT_EQ(harmless_command("rooflab; touch 'x'"), "'rooflab; touch '\\''x'\\'''");
  EXPECT_EQ(harmless_command(""), "");
}

}  // namespace
}  // namespace rooflab
