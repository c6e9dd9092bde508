#pragma once

#include <vector>

namespace rooflab::predict {

/// Device memory that one op holds beside its operands and results, while it runs: what the
/// algorithms of the nearest measured ops would take.
struct Workspace {
  struct Amount {
    double bytes = 0.0;
    double share = 0.0;  ///< weight of the ops that take it; all shares sum to 1
  };
  std::vector<Amount> amounts;  ///< the least first; empty: none
  double most = 0.0;            ///< bytes; the largest plausible, from a wider neighbourhood
  double less = 0.0;  ///< bytes that are asked for when a larger workspace finds no room; 0: none

  /// The amount, in bytes, that minimises the expected relative error of the sum of the workspace
  /// and the bytes `alive` beside it. The essay is at the head of workspace.cpp.
  [[nodiscard]] double expected(double alive) const;
};

}  // namespace rooflab::predict
