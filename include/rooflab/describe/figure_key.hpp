#pragma once

#include <string_view>

#include "rooflab/describe/figure.hpp"
#include "rooflab/describe/figure_table.hpp"

namespace rooflab {

/// A key of the vocabulary; any other key does not compile.
class FigureKey {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a key is written as its text
  consteval FigureKey(const char* key) : FigureKey(std::string_view(key), {}) {}
  /// Joins a name and the ending of its unit: `memory`, `_bytes`.
  consteval FigureKey(std::string_view name, std::string_view ending) : figure_(nullptr) {
    for (const Figure& figure : figure_table) {
      if (figure.key.size() == name.size() + ending.size() && figure.key.starts_with(name) &&
          figure.key.ends_with(ending)) {
        figure_ = &figure;
        return;
      }
    }
    throw "figure_table.hpp does not have this key";
  }
  /// The key of a described member.
  constexpr explicit FigureKey(const Figure& figure) : figure_(&figure) {}
  [[nodiscard]] constexpr const Figure& figure() const { return *figure_; }
  [[nodiscard]] constexpr std::string_view key() const { return figure_->key; }

 private:
  const Figure* figure_;
};

}  // namespace rooflab
