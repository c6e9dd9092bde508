// Every flag of every command, as the tables have them: a new one is tested from its first day.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/format.hpp"
#include "cli/commands.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::cli {
namespace {

using ::testing::HasSubstr;

/// A value that the parameter takes.
std::string good_word(const Parameter& parameter) {
  if (const auto offered = parameter.offered(); !offered.empty()) return offered.front();
  const std::string& example = parameter.example;
  return example.empty() ? "1" : example.substr(0, example.find_first_of(", "));
}

/// Whatever the command needs, so that a wrong word of another flag is what is told.
GivenWords needed_by(const CommandSpec& command) {
  GivenWords given;
  for (const Parameter& each : command.parameters) {
    if (each.required) given[each.key] = {good_word(each)};
  }
  return given;
}

/// Words that no number and no name of a list is.
const std::vector<std::string> bad_words = {
    "abc",   "nan",
    "inf",   "-inf",
    "",      " ",
    "1e999", "0x10",
    "--",    "1,,2",
    "1;2",   "-7",
    "1e400", "[1]",
    "{}",    "\xff",
    "½",     "1 2",
    "+-1",   "..",
    "=",     "99999999999999999999",
};

/// Whether the word is a short form of a name that the parameter offers: `inf` of `inference`.
bool begins_a_name(const std::string& word, const Parameter& parameter) {
  const std::vector<std::string> names = parameter.offered();
  return !word.empty() && std::ranges::any_of(names, [&word](const std::string& name) {
    return name.starts_with(word);
  });
}

/// What running the command says of that word; empty: nothing threw. The words are read before
/// anything runs, so nothing does.
std::string error_of_word(const CommandSpec& command, const Parameter& parameter,
                          const std::string& word) {
  GivenWords given = needed_by(command);
  given[parameter.key] = {word};
  Terminal terminal;
  try {
    command.run(given, terminal);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
    return error.what();
  }
  return "";
}

TEST(EveryFlag, RefusesWhatIsNoNumberAndNoKnownName) {
  int flags = 0;
  for (const CommandSpec& command : all_commands()) {
    for (const Parameter& each : command.parameters) {
      const bool is_number = each.form->nature == ValueForm::Nature::number;
      const bool is_name = !each.offered().empty() && each.completes == Completion::none;
      if (each.is_switch() || !(is_number || is_name)) continue;
      ++flags;
      for (const std::string& word : bad_words) {
        if (begins_a_name(word, each)) continue;
        SCOPED_TRACE(format("rooflab {} {} '{}'", command.name, each.flag(), word));
        const std::string said = error_of_word(command, each, word);
        EXPECT_THAT(said, HasSubstr(each.positional ? each.study_key() : each.flag()));
      }
    }
  }
  EXPECT_GT(flags, 100);
}

TEST(EveryFlag, NeedsOnlyWhatItsCommandHas) {
  for (const CommandSpec& command : all_commands()) {
    const auto has = [&command](const std::string& key) {
      return command.parameters.find(key) != nullptr;
    };
    for (const Parameter& each : command.parameters) {
      SCOPED_TRACE(format("rooflab {} {}", command.name, each.flag()));
      for (const Need& need : each.needs) {
        EXPECT_TRUE(has(need.key)) << need.key;
        const auto offered = has(need.key) ? command.parameters.find(need.key)->offered()
                                           : std::vector<std::string>();
        for (const std::string& word : need.words) {
          EXPECT_THAT(offered, ::testing::Contains(word));
        }
      }
      if (!each.beside) continue;
      for (const std::string& key : *each.beside) EXPECT_TRUE(has(key)) << key;
    }
  }
}

TEST(EveryFlag, WithoutWhatItNeedsIsRefused) {
  for (const CommandSpec& command : all_commands()) {
    for (const Parameter& each : command.parameters) {
      if (each.needs.empty()) continue;
      SCOPED_TRACE(format("rooflab {} {}", command.name, each.flag()));
      GivenWords given = needed_by(command);
      given[each.key] = {};
      if (!each.is_switch()) given[each.key] = {good_word(each)};
      const std::string& key = each.needs.front().key;
      if (const auto needed = given.find(key); needed != given.end()) {
        // Another value than the one that gives the flag its part.
        for (const std::string& word : command.parameters.find(key)->offered()) {
          if (std::ranges::count(each.needs.front().words, word) == 0) needed->second = {word};
        }
      }
      Terminal terminal;
      try {
        command.run(given, terminal);
        ADD_FAILURE() << "it ran";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr(format("{} needs ", each.flag())));
      }
    }
  }
}

}  // namespace
}  // namespace rooflab::cli
