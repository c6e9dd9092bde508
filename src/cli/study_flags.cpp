#include "study_flags.hpp"

#include <algorithm>
#include <array>

#include "rooflab/base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

/// What a study says itself of every case.
constexpr std::array<std::string_view, 5> own_flags = {"output", "format", "resume", "color",
                                                       "help"};

/// A flag as a study has it.
struct GivenFlag {
  std::string key;
  bool has_value = false;
  Location place;
};

std::vector<GivenFlag> flags_of(const study::CaseGroup& group) {
  std::vector<GivenFlag> flags;
  for (const study::Factor& factor : group.factors) {
    if (!study::becomes_flag(factor.key)) continue;
    for (std::size_t i = 0; i < factor.values.size(); ++i) {
      const std::string& value = factor.values[i];
      flags.push_back({factor.key, value != "true" && value != "false", factor.places[i]});
    }
  }
  for (const study::GroupOption& option : group.options) {
    flags.push_back({option.key, !option.value.empty(), option.place});
  }
  return flags;
}

void check_flag(const GivenFlag& flag, const CommandSpec& command) {
  const std::string name = command.name;
  if (std::ranges::find(own_flags, flag.key) != own_flags.end()) {
    throw Error(ErrorKind::input, format("the study itself gives {} its --{}", name, flag.key), {},
                flag.place);
  }
  std::vector<std::string> known;
  for (const Parameter& each : command.parameters) {
    if (!each.positional) known.push_back(each.study_key());
  }
  const auto option = std::ranges::find(command.parameters, flag.key, [](const Parameter& each) {
    return each.positional ? std::string() : each.study_key();
  });
  if (option == command.parameters.end()) {
    const std::string more = format("rooflab {} -h", name);
    throw Error(ErrorKind::input, format("{} takes no --{}", name, flag.key),
                near_hint(flag.key, known, more, more), flag.place);
  }
  const bool takes_value = !option->is_switch();
  if (takes_value == flag.has_value) return;
  throw Error(ErrorKind::input,
              format("--{} of {} takes {}", flag.key, name, takes_value ? "a value" : "no value"),
              takes_value ? format("rooflab {} -h", name) : format("{} = true", flag.key),
              flag.place);
}

}  // namespace

void check_flags(const study::Study& study, std::span<const CommandSpec> commands) {
  for (const study::CaseGroup& group : study.groups) {
    const std::vector<GivenFlag> flags = flags_of(group);
    for (const study::Mode mode : group.modes) {
      const study::Mode command = mode == study::Mode::counters ? study::Mode::measure : mode;
      const auto asked = std::ranges::find(commands, name_of(command), &CommandSpec::name);
      ROOFLAB_ASSERT(asked != commands.end());
      for (const GivenFlag& flag : flags) check_flag(flag, *asked);
    }
  }
}

}  // namespace rooflab::cli
