#pragma once

#include <vector>

namespace rooflab::predict {

/// Device memory that one op holds while it runs, in addition to its operands and results, by the
/// algorithms of the nearest measured ops.
struct Workspace {
  struct Amount {
    double bytes = 0.0;
    double share = 0.0;  ///< weight of the ops with this amount; all shares sum to 1
  };
  std::vector<Amount> amounts = {};  ///< smallest first; empty: none
  double most = 0.0;                 ///< bytes; the largest plausible, from a wider neighbourhood
  double less = 0.0;  ///< bytes of the fallback if a larger workspace has no room; 0: none

  /// The amount in bytes that minimises the expected relative error of workspace plus `alive`, the
  /// bytes alive at that time. The essay is at the head of workspace.cpp.
  [[nodiscard]] double expected(double alive) const;
};

}  // namespace rooflab::predict
