#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {
namespace {

constexpr FigureKey network = "graph";

/// For people: `yes`, `0.1`, `15, 25`; `none` of nothing.
std::string text_of_fact(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.text().empty() ? "none" : value.text();
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return format("{:g}", value.get<double>());
  std::vector<std::string> parts;
  for (const Json& each : value) parts.push_back(text_of_fact(each));
  return parts.empty() ? "none" : join(parts, ", ");
}

}  // namespace

TrainingConfiguration configuration_of(const record::TrainingRun& run) {
  using record::LearningRateSchedule;
  Json facts = to_json(run.identity);
  facts.update(to_json(run.recipe));
  const auto leave_out = [&facts](FigureKey key) { facts.erase(key.key()); };
  leave_out("device");
  leave_out("phase");
  leave_out("command_line");
  // What a schedule does not use decides nothing.
  if (run.recipe.schedule != LearningRateSchedule::one_cycle) leave_out("rise_share");
  if (run.recipe.schedule == LearningRateSchedule::one_cycle) leave_out("warmup_epochs");
  if (run.recipe.schedule != LearningRateSchedule::step) {
    leave_out("milestones");
    leave_out("step_factor");
  }
  const auto add = [&facts](FigureKey key, Json value) { facts[key.key()] = std::move(value); };
  add("target_accuracy_share", codec::encode(run.target_accuracy));
  add("class_count", run.classes.size());
  add("train_images", run.train_images);
  add("data_workers", run.data_workers);
  // --max-images cuts epochs short; the last batch may lack otherwise.
  const bool cut = !run.epochs.empty() && run.epochs.front().accuracy &&
                   run.epochs.front().images + run.identity.batch <= run.train_images;
  if (cut) add("epoch_images", run.epochs.front().images);
  return facts;
}

std::vector<std::string> configuration_differences(TrainingConfiguration a,
                                                   TrainingConfiguration b) {
  const auto differs = [&](std::string_view key) {
    return a.value(key, nullptr) != b.value(key, nullptr);
  };
  // The network follows from these.
  constexpr std::array decisive =
      std::to_array<FigureKey>({"model", "batch", "variant", "rewrite", "class_count"});
  if (std::ranges::any_of(decisive, differs, &FigureKey::key)) {
    a.erase(network.key());
    b.erase(network.key());
  }
  Json all = a;
  all.update(b);
  std::vector<std::string> found;
  for (const std::string& key : all.keys()) {
    if (!differs(key)) continue;
    const std::string title(find_figure(key)->title);
    // A network's text is too long to show.
    found.push_back(key == network.key()
                        ? title
                        : format("{}: {}, {}", title, text_of_fact(a.value(key, nullptr)),
                                 text_of_fact(b.value(key, nullptr))));
  }
  return found;
}

}  // namespace rooflab::training
