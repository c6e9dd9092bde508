#pragma once

#include "rooflab/base/figure.hpp"
#include "rooflab/base/figure_table.hpp"

namespace rooflab {

/// A key that the vocabulary has: any other does not compile.
class FigureKey {
 public:
  consteval FigureKey(const char* key) : figure_(nullptr) {
    const std::string_view wanted = key;
    for (const Figure& figure : figure_table) {
      if (figure.key.size() == wanted.size() && figure.key == wanted) {
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
