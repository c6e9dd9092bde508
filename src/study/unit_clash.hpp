#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "statement.hpp"

namespace rooflab::study {

/// Two parts of a statement with different units that are compared, added or subtracted.
struct UnitClash {
  std::size_t offset = 0;  ///< begin of the second part in the text
  std::string message;
  std::string hint;
};

/// Finds the first clash; nullopt: all units agree. A number without a unit takes that of the other
/// part.
[[nodiscard]] std::optional<UnitClash> unit_clash(const Node& root,
                                                  std::span<const FigureName> figures);

}  // namespace rooflab::study
