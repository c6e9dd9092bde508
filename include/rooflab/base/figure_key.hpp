#pragma once

#include "rooflab/base/figure.hpp"
#include "rooflab/base/figure_table.hpp"

namespace rooflab {

/// A key that the vocabulary has: any other does not compile.
class FigureKey {
 public:
  consteval FigureKey(const char* key) : FigureKey(std::string_view(key), {}) {}
  /// The key of `name` and its unit's ending: `memory`, `_bytes`.
  consteval FigureKey(std::string_view name, std::string_view ending) : figure_(nullptr) {
    for (const Figure& figure : figure_table) {
      if (figure.key.size() == name.size() + ending.size() && figure.key.starts_with(name) &&
          figure.key.ends_with(ending)) {
        figure_ = &figure;
        break;
      }
    }
    if (figure_ == nullptr) throw "figure_table.hpp does not have this key";
  }
  [[nodiscard]] constexpr const Figure& figure() const { return *figure_; }
  [[nodiscard]] constexpr std::string_view key() const { return figure_->key; }

 private:
  const Figure* figure_;
};

}  // namespace rooflab
