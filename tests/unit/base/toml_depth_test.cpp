#include "base/toml_depth.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/format.hpp"
#include "base/toml.hpp"
#include "thrown_error.hpp"

namespace rooflab {
namespace {

std::string key_of(int parts) {
  return join(std::vector<std::string>(static_cast<std::size_t>(parts), "a"), ".");
}

std::string place_of(const std::string& text) {
  const auto position = too_deep_toml(text);
  return position ? format("{}:{}", position->line, position->column) : "fits";
}

TEST(TomlDepth, AKeyHasAHundredParts) {
  EXPECT_EQ(place_of(key_of(100) + " = 1"), "fits");
  EXPECT_EQ(place_of(key_of(101) + " = 1"), "1:200");
  EXPECT_EQ(place_of("x = 1\n[" + key_of(101) + "]"), "2:201");
  EXPECT_EQ(place_of("[[" + key_of(101) + "]]"), "1:202");
  // Columns count letters.
  EXPECT_EQ(place_of("'ä' . \"b.c\" . " + key_of(99) + " = 1"), "1:210");
}

TEST(TomlDepth, LevelsAddUp) {
  EXPECT_EQ(place_of("[" + key_of(60) + "]\n" + key_of(40) + " = 1"), "fits");
  EXPECT_EQ(place_of("[" + key_of(60) + "]\n" + key_of(41) + " = 1"), "2:80");
  EXPECT_EQ(place_of("[" + key_of(60) + "]\nx = 1\n[b]\n" + key_of(60) + " = 1"), "fits");
  EXPECT_EQ(place_of(key_of(60) + " = { " + key_of(41) + " = 1 }"), "1:204");
  EXPECT_EQ(place_of(key_of(60) + " = [ { " + key_of(40) + " = 1 } ]"), "1:204");
  EXPECT_EQ(place_of(key_of(60) + " = { a = { b = 1 }, " + key_of(40) + " = 1 }"), "fits");
  EXPECT_EQ(place_of("a = " + std::string(99, '[') + std::string(99, ']')), "fits");
  EXPECT_EQ(place_of("a = " + std::string(100, '[')), "1:104");
}

// Where a string or comment ends, the next key is seen again.
TEST(TomlDepth, StringsAndCommentsDoNotCount) {
  const std::string dots(200, '.');
  for (const char* const value :
       {"'.'", R"(".\".\\")", "1 # .'\"", "'''.\n'.''.'''", "'''.'''''", R"(""".\""".\"""")",
        R"(""".""""")", "''", "\"\"", "\"\"\"\"\"\"", "[ '[', 1.5, -0.5,\n 2.25 ]"}) {
    std::string text = format("x = {}\n", value);
    for (std::size_t at = 0; (at = text.find('.', at)) != text.npos && text[4] != '[';) {
      text.replace(at, 1, dots);
      at += dots.size();
    }
    EXPECT_EQ(place_of(text + "[a.b]\ny = 1"), "fits") << value;
    EXPECT_NE(place_of(text + key_of(101)), "fits") << value;
  }
}

TEST(TomlDepth, WrongTextsEnd) {
  for (const char* const text :
       {"", "'", "\"", "\"\\", "'''", "\"\"\"a\\", "x = 'a\nb", "]", "[", "#"}) {
    EXPECT_EQ(place_of(text), "fits") << text;
  }
  EXPECT_EQ(place_of(std::string(1'000'000, '"')), "fits");
}

// A key of a hundred thousand parts ended the stack.
TEST(TomlDepth, ADeepFileIsAnErrorWithItsPlace) {
  const Error error = thrown_error(
      ErrorKind::input, [] { return parse_toml("x = 1\n" + key_of(100'000) + " = 1", "x.toml"); });
  EXPECT_EQ(error.full_message(),
            "x.toml:2:200: keys, tables and arrays are nested more than 100 levels deep");
  EXPECT_EQ(parse_toml(key_of(100) + " = 1", "x.toml").entries().size(), 1U);
}

}  // namespace
}  // namespace rooflab
