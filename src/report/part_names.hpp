#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rooflab::report {

/// Names of parts of bars in the order in which they first occur; those with a colour of their own
/// come first, by that colour, so that classes of ops stand in one order on every page.
class PartNames {
 public:
  /// Nothing if the name is there.
  void add(const std::string& name, std::optional<int> color);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const std::string& name(std::size_t index) const { return entries_[index].name; }
  [[nodiscard]] bool has_own_color(std::size_t index) const {
    return entries_[index].color.has_value();
  }
  /// An index of chart/palette.hpp: the name's own, or by its place.
  [[nodiscard]] int color(std::size_t index) const;
  /// size() for a name that is not there.
  [[nodiscard]] std::size_t index_of(const std::string& name) const;

 private:
  struct Entry {
    std::string name;
    std::optional<int> color;
  };
  std::vector<Entry> entries_;
};

}  // namespace rooflab::report
