#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rooflab::chart {

/// Names of parts of bars in the order in which they first occur; names with a fixed colour come
/// first, in the order of colours, so that classes of ops have one order on every page.
class PartNames {
 public:
  /// Adds a name unless it is already there.
  void add(const std::string& name, std::optional<int> color);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const std::string& name(std::size_t index) const { return entries_[index].name; }
  [[nodiscard]] bool has_own_color(std::size_t index) const {
    return entries_[index].color.has_value();
  }
  /// Index in chart/palette.hpp: the name's fixed colour, or one by its place.
  [[nodiscard]] int color(std::size_t index) const;
  /// Place of a name; size() for a missing one.
  [[nodiscard]] std::size_t index_of(const std::string& name) const;

 private:
  struct Entry {
    std::string name;
    std::optional<int> color;
  };
  std::vector<Entry> entries_;
};

}  // namespace rooflab::chart
