#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.hpp"

namespace rooflab::counters {

/// Lines of a file, however large it is; only one is held.
class LineSource {
 public:
  explicit LineSource(ByteSource& source) : source_(source) {}

  struct Line {
    std::string_view text;  ///< without its end; valid until the next
    std::int64_t number = 0;
    bool whole = true;   ///< it has an end; false: the file ends in it
    bool large = false;  ///< longer than any line should be: `text` is its beginning
  };
  /// nullopt: the file has ended.
  [[nodiscard]] std::optional<Line> next();

 private:
  bool fill();

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< begin of the part that was not read yet
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

/// The items of a list such as `["k",3,0,7,1.5e3,null]`, one after the other: rows come by the
/// million. Every function is false where the next item is not of its kind.
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
