// One row for each setting that some networks take and others do not. Settings that every network
// takes (batch, phase) or refuses by itself (variant, image size) need none.

#include "setting_use.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::task {
namespace {

struct SettingRule {
  /// The setting as it was given, a piece for each of its values that is given by itself.
  std::vector<std::string> (*given)(const NetworkSettings& settings);
  /// Why the piece of that number has no part; nullopt: it has one.
  std::optional<std::string> (*idle)(const LoadedModel& network, const NetworkSettings& settings,
                                     const UseOfSettings& use, std::size_t piece);
  void (*drop)(NetworkSettings& settings, std::size_t piece);
  std::string (*hint)(const LoadedModel& network);
};

template <auto member>
std::vector<std::string> flag_and(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  return {format("{} {}", flag_of<member>(), join(words, ","))};
}

/// The op's kernel is the same in each order of the data.
bool works_in_any_order(const graph::Node& node) {
  const analyze::OpClass its = analyze::op_class_of(node.op);
  return its == analyze::OpClass::activation || its == analyze::OpClass::elementwise;
}

/// Whether the order of the data has a part: some results have other strides, and not all ops are
/// element by element. A constant of four dimensions alone, as masks are, does not count.
bool has_channels(const LoadedModel& network, const NetworkSettings& settings) {
  if (std::ranges::all_of(network.graph.nodes, works_in_any_order)) return false;
  NetworkSettings other = settings;
  other.channels_last = false;
  const schedule::LoweringOptions lowering = network.lowerings(other).front();
  schedule::LoweringOptions last = lowering;
  last.channels_last = true;
  const auto first = network.lowered(lowering);
  const auto changed = network.lowered(last);
  if (first->ops.size() != changed->ops.size()) return true;  // copies into the other order
  for (std::size_t i = 0; i < first->ops.size(); ++i) {
    const bool same =
        std::ranges::equal(first->ops[i].writes, changed->ops[i].writes, [&](auto one, auto other) {
          return first->tensor(one).strides == changed->tensor(other).strides;
        });
    if (!same) return true;
  }
  return false;
}

constexpr std::array rules = {
    SettingRule{
        [](const NetworkSettings& settings) {
          std::vector<std::string> all;
          for (const Precision each : settings.precision) {
            all.push_back(format("{} {}", flag_of<&NetworkSettings::precision>(), name_of(each)));
          }
          return all;
        },
        [](const LoadedModel& network, const NetworkSettings& settings, const UseOfSettings&,
           std::size_t piece) -> std::optional<std::string> {
          if (network.recorded) return std::nullopt;  // it has refused another one
          if (graph::takes_precision(network.graph, settings.precision[piece])) {
            return std::nullopt;
          }
          return format("it is {}, and no type of it changes",
                        name_of(graph::precision_of(network.graph)));
        },
        [](NetworkSettings& settings, std::size_t piece) {
          settings.precision.erase(settings.precision.begin() + static_cast<std::ptrdiff_t>(piece));
        },
        [](const LoadedModel&) {
          return format("leave {} out: a file's types are its own",
                        flag_of<&NetworkSettings::precision>());
        }},
    SettingRule{
        [](const NetworkSettings& settings) {
          if (!settings.optimizer) return std::vector<std::string>();
          return flag_and<&NetworkSettings::optimizer>({std::string(name_of(*settings.optimizer))});
        },
        [](const LoadedModel& network, const NetworkSettings& settings, const UseOfSettings& use,
           std::size_t) -> std::optional<std::string> {
          const bool trainable =
              network.recorded != nullptr || network.graph.parameter_elements() > 0;
          const auto trains = [](const schedule::LoweringOptions& each) {
            return each.phase == Phase::training;
          };
          const bool in_training = (use.training && !network.recorded) ||
                                   std::ranges::any_of(network.lowerings(settings), trains);
          if (trainable && in_training) return std::nullopt;
          if (network.recorded) return "the recorded step does not train";
          return trainable ? "it is not trained here" : "it has no parameters to train";
        },
        [](NetworkSettings& settings, std::size_t) { settings.optimizer.reset(); },
        [](const LoadedModel& network) {
          if (network.recorded) return std::string("record a step that trains (rooflab.record)");
          return format("{} {}", flag_of<&NetworkSettings::phase>(), name_of(Phase::training));
        }},
    SettingRule{[](const NetworkSettings& settings) {
                  if (!settings.channels_last) return std::vector<std::string>();
                  return std::vector{flag_of<&NetworkSettings::channels_last>()};
                },
                [](const LoadedModel& network, const NetworkSettings& settings,
                   const UseOfSettings&, std::size_t) -> std::optional<std::string> {
                  if (network.recorded || has_channels(network, settings)) return std::nullopt;
                  return "nothing in it has an order of channels";
                },
                [](NetworkSettings& settings, std::size_t) { settings.channels_last = false; },
                [](const LoadedModel&) {
                  return std::string("it is for convolutions and what follows them");
                }},
    SettingRule{[](const NetworkSettings& settings) {
                  std::vector<std::string> words;
                  for (const NamedCount& each : settings.dim) words.push_back(each.word());
                  return flag_and<&NetworkSettings::dim>(words);
                },
                [](const LoadedModel& network, const NetworkSettings&, const UseOfSettings&,
                   std::size_t) -> std::optional<std::string> {
                  if (!network.file.empty()) return std::nullopt;
                  return "it has no symbolic dimensions";
                },
                [](NetworkSettings& settings, std::size_t) { settings.dim.clear(); },
                [](const LoadedModel&) {
                  return std::string("symbolic dimensions are those of ONNX files");
                }},
    SettingRule{[](const NetworkSettings& settings) {
                  return flag_and<&NetworkSettings::recorded>(settings.recorded);
                },
                [](const LoadedModel& network, const NetworkSettings& settings,
                   const UseOfSettings& use, std::size_t) -> std::optional<std::string> {
                  if (!network.recorded) return "it is not a recording";
                  if (use.other_sizes || !settings.batch.empty() || !settings.context.empty()) {
                    return std::nullopt;
                  }
                  return "no other size is asked for";
                },
                [](NetworkSettings& settings, std::size_t) { settings.recorded.clear(); },
                [](const LoadedModel&) {
                  return format("{} N or {} N asks for a size", flag_of<&NetworkSettings::batch>(),
                                flag_of<&NetworkSettings::context>());
                }},
    SettingRule{[](const NetworkSettings& settings) {
                  std::vector<std::string> words;
                  for (const std::int64_t each : settings.context)
                    words.push_back(std::to_string(each));
                  return flag_and<&NetworkSettings::context>(words);
                },
                [](const LoadedModel& network, const NetworkSettings&, const UseOfSettings&,
                   std::size_t) -> std::optional<std::string> {
                  if (network.recorded) return std::nullopt;
                  return "it is not a recording";
                },
                [](NetworkSettings& settings, std::size_t) { settings.context.clear(); },
                [](const LoadedModel&) {
                  return std::string(
                      "the context is that of a recorded step (rooflab.record of Python)");
                }},
};

}  // namespace

std::vector<Note> SettingUse::add(const LoadedModel& network) {
  std::vector<Note> notes;
  for (const SettingRule& rule : rules) {
    const std::vector<std::string> pieces = rule.given(settings_);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const std::optional<std::string> reason = rule.idle(network, settings_, use_, i);
      bool& has_part = has_part_[pieces[i]];
      has_part = has_part || !reason;
      if (!reason) continue;
      idle_.push_back({network.name, {pieces[i], *reason, rule.hint(network)}});
      notes.push_back({says.setting_without_part, {pieces[i], *reason}});
    }
  }
  return notes;
}

void SettingUse::check() const {
  for (const auto& [name, idle] : idle_) {
    if (has_part_.at(idle.setting)) continue;
    throw Error(ErrorKind::usage,
                format("{} has no part in {}: {}", idle.setting, name, idle.reason), idle.hint);
  }
}

NetworkSettings SettingUse::effective(const LoadedModel& network) const {
  NetworkSettings settings = settings_;
  for (const SettingRule& rule : rules) {
    for (std::size_t i = rule.given(settings).size(); i-- > 0;) {
      const UseOfSettings any{.other_sizes = true, .training = false};
      if (rule.idle(network, settings, any, i)) rule.drop(settings, i);
    }
  }
  return settings;
}

}  // namespace rooflab::task
