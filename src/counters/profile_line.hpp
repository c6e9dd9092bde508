#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/byte_source.hpp"

namespace rooflab::counters {

/// Reads lines of a file of any size; holds only one line.
class LineSource {
 public:
  explicit LineSource(ByteSource& source) : source_(source) {}

  struct Line {
    std::string_view text;  ///< without its end; valid until the next line
    std::int64_t number = 0;
    bool whole = true;   ///< has a line end; false: the file ends within it
    bool large = false;  ///< too long for a line: `text` is its beginning
  };
  /// The next line; nullopt: the file has ended.
  [[nodiscard]] std::optional<Line> next();

 private:
  bool fill();

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< begin of the unread part
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

/// Parses the items of a list such as `["k",3,0,7,1.5e3,null]` in order, fast enough for millions
/// of rows. Every function returns false where the next item has another kind.
class ListItems {
 public:
  explicit ListItems(std::string_view line) : rest_(line) {}

  bool begins(std::string_view kind);  ///< `["k"`
  template <class Integer>
  bool integer(Integer& value);
  bool number(double& value);  ///< null is NaN
  bool ends();                 ///< `]` and nothing after it

 private:
  bool comma();

  std::string_view rest_;
};

}  // namespace rooflab::counters
