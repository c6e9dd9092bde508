#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "statement.hpp"

namespace rooflab::study {

/// Two parts of a statement that are compared, added or subtracted, and have different units.
struct UnitClash {
  std::size_t offset = 0;  ///< where the second begins in the text
  std::string message;
  std::string hint;
};

/// The first; nullopt: all units agree. A number without a unit takes that of the other part.
[[nodiscard]] std::optional<UnitClash> unit_clash(const Node& root,
                                                  std::span<const FigureName> figures);

}  // namespace rooflab::study
