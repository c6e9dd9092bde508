#include "finding_choice.hpp"

#include "base/format.hpp"
#include "describe/parameter_list.hpp"

namespace rooflab::cli {
namespace {

constexpr std::string_view every_finding = "all";

}  // namespace

FindingCount FindingCount::from_word(std::string_view word, const Parameter& parameter) {
  if (word == every_finding) return {0};
  const std::optional<std::int64_t> count = parse_integer(word);
  if (!count || *count < 1) {
    parameter.refuse(format("1 or more, or '{}'", every_finding), word);
  }
  return {static_cast<std::size_t>(*count)};
}

std::string FindingCount::word() const {
  return most == 0 ? std::string(every_finding) : std::to_string(most);
}

const Parameters& parameters_of(For<FindingChoice>) {
  static const Parameters all = aside({parameter<&FindingChoice::findings>(
      "N", "findings to print before the tables, or all",
      {.example = "all", .suggestions = {std::string(every_finding)}})});
  return all;
}

}  // namespace rooflab::cli
