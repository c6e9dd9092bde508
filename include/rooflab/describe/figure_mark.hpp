#pragma once

#include "rooflab/describe/figure.hpp"

/// Marks for rows of the vocabulary.
namespace rooflab {

/// A figure that people run a command for.
[[nodiscard]] consteval Figure answer(Figure figure) {
  figure.answer = true;
  return figure;
}

/// A figure that may be below zero, whatever its unit.
[[nodiscard]] consteval Figure signed_figure(Figure figure) {
  figure.range = Range::any;
  return figure;
}
/// A count: 0 or more.
[[nodiscard]] consteval Figure amount(Figure figure) {
  figure.range = Range::amount;
  return figure;
}
/// What is left of a whole, below 0 where more than all is taken.
[[nodiscard]] consteval Figure left_share(Figure figure) {
  figure.range = Range::at_most_one;
  return figure;
}
/// A part of a whole: 0 to 1.
[[nodiscard]] consteval Figure fraction(Figure figure) {
  figure.range = Range::fraction;
  return figure;
}

}  // namespace rooflab
