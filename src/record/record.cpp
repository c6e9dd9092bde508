#include "rooflab/record/record.hpp"

#include <algorithm>
#include <array>

namespace rooflab::record {
namespace {

constexpr std::array<std::string_view, 6> status_names = {"ok",     "oom",     "unsupported",
                                                          "failed", "crashed", "interrupted"};

}  // namespace

std::string_view name_of(Status status) {
  return status_names.at(static_cast<std::size_t>(status));
}

std::optional<Status> status_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(status_names, name);
  if (found == status_names.end()) return std::nullopt;
  return static_cast<Status>(found - status_names.begin());
}

}  // namespace rooflab::record
