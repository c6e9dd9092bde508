#include "describe/command_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "describe/parameter_list.hpp"

namespace rooflab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Walk {
  std::string place;
  std::vector<std::string> companions;
  std::vector<std::string> bring;
  std::vector<std::string> visit;
  std::string title;
  bool slowly = false;
};
const Parameters& parameters_of(For<Walk>) {
  static const Parameters all = {
      parameter<&Walk::place>("PLACE", "", {.positional = true}),
      parameter<&Walk::companions>("NAME...", "", {.positional = true, .whole_words = true}),
      parameter<&Walk::bring>("THING,...", "", {.letter = 'b'}),
      parameter<&Walk::visit>("SHOP...", "", {.whole_words = true, .takes_words = true}),
      parameter<&Walk::title>("TEXT", ""),
      parameter<&Walk::slowly>(""),
  };
  return all;
}

struct Sorted {
  GivenWords given;
  std::vector<std::string> unknown;
};

Sorted sorted_words(const std::vector<std::string>& words) {
  Sorted result;
  result.given = given_words(
      parameters_of(For<Walk>{}), words,
      [&](const std::string& word, bool) { result.unknown.push_back(word); }, "walk -h");
  EXPECT_THAT(result.unknown, IsEmpty());
  return result;
}

std::vector<std::string> words_for(const std::string& key, const std::vector<std::string>& words) {
  return sorted_words(words).given[key];
}

// Everything that some parser of command lines reads as something else than itself.
const std::vector<std::string> strange_words = {
    "[1,2]", "[]",   "[a b]", "[[1,2],[3]]", "{}",  "{x}",  "\"a\"", "'a'", "`a`", "a\nb", "",
    " ",     "a\\n", "@file", "/x",          "a,b", "++",   "+x",    "!",   "%%",  "a=b",  "=",
    "#",     "-",    "$HOME", "~",           "*",   "\xff", "0x10",  "a;b", "/h",  "?"};

TEST(CommandWords, ValuesAndPositionalsAreTakenAsTheyStand) {
  for (const std::string& word : strange_words) {
    EXPECT_THAT(words_for("place", {word}), ElementsAre(word));
    EXPECT_THAT(words_for("companions", {"x", word, word}), ElementsAre(word, word));
    EXPECT_THAT(words_for("title", {"--title", word}), ElementsAre(word));
    EXPECT_THAT(words_for("title", {"--title=" + word}), ElementsAre(word));
    EXPECT_THAT(words_for("bring", {"-b", word, "--bring", word}), ElementsAre(word, word));
    EXPECT_THAT(words_for("visit", {"--visit", word, word}), ElementsAre(word, word));
  }
}

TEST(CommandWords, BehindTheFirstDoubleDashNothingIsAFlag) {
  const Sorted result =
      sorted_words({"--slowly", "--", "--title", "-b", "--", "[1,2]", "-h", "--x=[]"});
  EXPECT_THAT(result.given.at("place"), ElementsAre("--title"));
  EXPECT_THAT(result.given.at("companions"), ElementsAre("-b", "--", "[1,2]", "-h", "--x=[]"));
  EXPECT_TRUE(result.given.contains("slowly"));
  EXPECT_FALSE(result.given.contains("title"));
}

TEST(CommandWords, AValueIsTheRestOfItsWordOrTheNextWord) {
  EXPECT_THAT(words_for("bring", {"-bhat"}), ElementsAre("hat"));
  EXPECT_THAT(words_for("bring", {"-b=hat"}), ElementsAre("=hat"));
  EXPECT_THAT(words_for("title", {"--title="}), ElementsAre(""));
  EXPECT_THAT(words_for("place", {"--title=", "here"}), ElementsAre("here"));
  EXPECT_THAT(words_for("title", {"--title", "-1"}), ElementsAre("-1"));
  EXPECT_THAT(words_for("title", {"--title", "--slowly"}), ElementsAre("--slowly"));
  EXPECT_THAT(words_for("title", {"--title=--"}), ElementsAre("--"));
  EXPECT_THAT(words_for("visit", {"--visit", "a", "b", "--slowly", "c"}), ElementsAre("a", "b"));
  EXPECT_THAT(words_for("visit", {"--visit=a", "b"}), ElementsAre("a"));
}

TEST(CommandWords, ASwitchTakesNoWordAndLeavesAValueToItsReader) {
  EXPECT_THAT(words_for("slowly", {"--slowly", "place"}), IsEmpty());
  EXPECT_THAT(words_for("slowly", {"--slowly=7"}), ElementsAre("7"));
  EXPECT_THAT(words_for("slowly", {"--slowly=7", "--slowly"}), IsEmpty());
}

TEST(CommandWords, AFlagWithoutItsValueOrGivenTwiceIsAnError) {
  const auto message = [](const std::vector<std::string>& words) {
    return thrown_message(ErrorKind::usage, [&] { return sorted_words(words); });
  };
  EXPECT_EQ(message({"--title"}), "--title needs a value");
  EXPECT_EQ(message({"-b"}), "--bring needs a value");
  EXPECT_EQ(message({"--title", "--", "x"}), "--title needs a value");
  EXPECT_EQ(message({"--title", "a", "--title=b"}), "--title is given twice");
}

TEST(CommandWords, WhatHasNoParameterIsTold) {
  const auto unknown = [](const Parameters& table, const std::vector<std::string>& words) {
    std::vector<std::string> told;
    (void)given_words(
        table, words,
        [&told](const std::string& word, bool is_flag) {
          told.push_back(is_flag ? word + " (flag)" : word);
        },
        "");
    return told;
  };
  EXPECT_THAT(unknown(parameters_of(For<Walk>{}),
                      {"--tit", "-x", "-5", "-slowly", "--title-of=x", "--Title", "--no-slowly"}),
              ElementsAre("--tit (flag)", "-x (flag)", "-5 (flag)", "-slowly (flag)",
                          "--title-of=x (flag)", "--Title (flag)", "--no-slowly (flag)"));
  EXPECT_THAT(unknown(Parameters(), {"a", "-b", "--", "-b"}), ElementsAre("a", "-b (flag)", "-b"));
}

}  // namespace
}  // namespace rooflab
