#include "command_words.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

constexpr std::string_view end_of_flags = "--";

const Parameter* parameter_of_flag(const Parameters& table, std::string_view name) {
  const auto found = std::ranges::find_if(table, [name](const Parameter& each) {
    const bool is_short = each.letter != 0 && name.size() == 2 && name[1] == each.letter;
    return !each.positional && (is_short || each.flag() == name);
  });
  return found == table.end() ? nullptr : &*found;
}

class WordSorter {
 public:
  WordSorter(const Parameters& table, std::span<const std::string> words, const std::string& more)
      : words_(words), more_(more), table_(table) {
    for (const Parameter& each : table) {
      if (each.positional) places_.push_back(&each);
    }
  }

  GivenWords sort(const UnknownWord& unknown) {
    bool flags_end = false;
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      const std::optional<FlagWord> flag = flags_end ? std::nullopt : flag_word(word);
      if (!flags_end && word == end_of_flags) {
        flags_end = true;
      } else if (!(flag ? take_flag(*flag) : take_positional(word))) {
        unknown(word, flag.has_value());
      }
    }
    return std::move(given_);
  }

 private:
  bool take_positional(const std::string& word) {
    if (places_.empty()) return false;
    given_[places_.front()->key].push_back(word);
    if (!places_.front()->is_list()) places_.erase(places_.begin());
    return true;
  }

  bool take_flag(const FlagWord& flag) {
    const Parameter* const parameter = parameter_of_flag(table_, flag.name);
    if (parameter == nullptr) return false;
    std::vector<std::string>& into = given_[parameter->key];
    if (parameter->is_switch()) {
      into.clear();
      if (flag.value) into.push_back(*flag.value);
      return true;
    }
    if (!into.empty() && !parameter->is_list()) {
      throw Error(ErrorKind::usage, format("{} is given twice", parameter->flag()), more_);
    }
    if (flag.value) {
      into.push_back(*flag.value);
      return true;
    }
    if (!next_is_value()) {
      throw Error(ErrorKind::usage, format("{} needs a value", parameter->flag()), more_);
    }
    into.push_back(words_[++at_]);
    while (parameter->takes_words && next_is_value() && !flag_word(words_[at_ + 1])) {
      into.push_back(words_[++at_]);
    }
    return true;
  }

  [[nodiscard]] bool next_is_value() const {
    return at_ + 1 < words_.size() && words_[at_ + 1] != end_of_flags;
  }

  std::span<const std::string> words_;
  const std::string& more_;
  const Parameters& table_;
  std::vector<const Parameter*> places_;  ///< positionals that still take words
  std::size_t at_ = 0;
  GivenWords given_;
};

}  // namespace

std::optional<FlagWord> flag_word(std::string_view word) {
  if (word.size() < 2 || word.front() != '-' || word == end_of_flags) return std::nullopt;
  if (word[1] != '-') {
    FlagWord flag{std::string(word.substr(0, 2)), std::nullopt};
    if (word.size() > 2) flag.value = word.substr(2);
    return flag;
  }
  const std::size_t equals = word.find('=');
  FlagWord flag{std::string(word.substr(0, equals)), std::nullopt};
  if (equals != std::string_view::npos) flag.value = word.substr(equals + 1);
  return flag;
}

GivenWords given_words(const Parameters& table, std::span<const std::string> words,
                       const UnknownWord& unknown, const std::string& more) {
  return WordSorter(table, words, more).sort(unknown);
}

}  // namespace rooflab
