#include <array>

#include "rooflab/study/study.hpp"

namespace rooflab::study {
namespace {

constexpr std::array<std::string_view, 12> names = {
    "summary", "predict",  "measure", "counters", "profile",   "scale",
    "train",   "evaluate", "probe",   "fit",      "partition", "import",
};

}  // namespace

std::string_view name_of(Mode mode) { return names.at(static_cast<std::size_t>(mode)); }

std::optional<Mode> mode_from_name(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Mode>(i);
  }
  return std::nullopt;
}

}  // namespace rooflab::study
