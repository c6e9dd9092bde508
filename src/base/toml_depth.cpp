// toml++ bounds how deep values nest, but not how many parts a key has, and it destroys its tables
// by recursion: a key of ten thousand parts ends the stack. So the depth is counted before it
// reads.
//
// A key or header is a chain of words and strings joined by dots. The depth at a place is that of
// the last header, plus, for every brace or bracket that is open, the key before it, plus the chain
// that ends there. Dots of numbers count as well: one more level does not matter.

#include "toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace rooflab {
namespace {

class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  std::optional<TomlPosition> run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      step(text_[at_]);
      if (outside_ + chain_ + 1 > deepest_toml) return position();
      ++at_;
    }
    return std::nullopt;
  }

 private:
  void step(char letter) {
    const bool begins_line = line_is_blank_ && open_.empty();
    if (letter == '\n') {
      end_line();
      return;
    }
    if (letter != ' ' && letter != '\t') line_is_blank_ = false;
    switch (letter) {
      case '"':
      case '\'':
        to_end_of_string(letter);
        break;
      case '.':
        ++chain_;
        break;
      case '[':
      case '{':
        if (begins_line && letter == '[') {
          in_header_ = true;
          outside_ = 0;
        } else if (!in_header_) {
          open_.push_back(outside_);
          outside_ += chain_ + 1;
          chain_ = 0;
        }
        break;
      case ']':
      case '}':
        if (open_.empty()) break;
        outside_ = open_.back();
        open_.pop_back();
        chain_ = 0;
        break;
      case ',':
        chain_ = 0;
        break;
      default:
        break;
    }
  }

  void end_line() {
    if (in_header_) outside_ = chain_ + 1;
    in_header_ = false;
    line_is_blank_ = true;
    chain_ = 0;
  }

  /// Goes on to the last quote of the string that begins here.
  void to_end_of_string(char quote) {
    constexpr std::size_t triple = 3;
    constexpr std::size_t most = triple + 2;  // two quotes may stand before the three at the end
    const auto quotes = [&] {
      const std::string_view here = text_.substr(at_, most);
      return std::min(here.find_first_not_of(quote), here.size());
    };
    const bool long_string = quotes() >= triple;
    at_ += long_string ? triple : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (text_[at_] == '\n' && !long_string) {
        --at_;  // not valid
        return;
      } else if (text_[at_] == quote && !long_string) {
        return;
      } else if (text_[at_] == quote && quotes() >= triple) {
        at_ += quotes() - 1;
        return;
      }
    }
  }

  [[nodiscard]] TomlPosition position() const {
    const std::string_view before = text_.substr(0, at_);
    const std::string_view line = before.substr(before.rfind('\n') + 1);  // 0 without a line feed
    const auto begins_letter = [](char byte) {
      return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    };
    return {.line = static_cast<int>(std::ranges::count(before, '\n')) + 1,
            .column = static_cast<int>(std::ranges::count_if(line, begins_letter)) + 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<int> open_;  ///< `outside_` where each brace and bracket was opened
  int outside_ = 0;        ///< depth of what the chain is in
  int chain_ = 0;          ///< dots of the key so far
  bool in_header_ = false;
  bool line_is_blank_ = true;
};

}  // namespace

std::optional<TomlPosition> too_deep_toml(std::string_view text) { return DepthScan(text).run(); }

}  // namespace rooflab
