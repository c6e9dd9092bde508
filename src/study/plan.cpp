// From groups to cases. A group is a product; each of its cases becomes one command line:
//
//     the device is here          the mode's own subcommand, on `cuda:N` or `cpu`
//     it is not, the time of it   `predict` for that device instead: a step of measure, counters,
//     can be predicted            train, scale
//     neither                     left out, with the reason
//
// `gpu` and `here` are this machine's; a catalog name is this machine's where such a GPU is here.
// Two cases of a group that nothing tells apart are one: measuring an absent device is predicting
// it.

#include "plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "case_mode.hpp"
#include "case_request.hpp"
#include "describe/field_table.hpp"
#include "known_device.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/fit.hpp"

namespace rooflab::study {
namespace {

constexpr std::size_t most_cases = 20000;

std::string hash_of(std::string_view text) {
  return format("{:08x}", static_cast<std::uint32_t>(fnv1a(text)));
}

/// Letters, digits and, between them, points; a name of nothing else is its hash.
std::string slug(std::string_view text) {
  std::string result;
  for (const char c : lowercase(text)) {
    const bool point = c == '.' && !result.empty() && result.back() != '-';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || point;
    if (plain) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && (result.back() == '-' || result.back() == '.')) result.pop_back();
  return result.empty() && !text.empty() ? hash_of(text) : result;
}

/// Short enough for a file name with an ending.
std::string as_file_name(std::string id) {
  constexpr std::size_t most_letters = 150;
  if (id.size() <= most_letters) return id;
  const std::string hash = hash_of(id);
  return format("{}-{}", id.substr(0, most_letters), hash);
}

/// Runs of other words are others, and `--resume` refuses them: each has its own folder.
std::string kept_by(const PlannedCase& planned) {
  const bool searches = planned.mode == Mode::fit &&
                        planned.request.contains(parameter_of<&task::FitRequest::measure>().key);
  if (planned.mode != Mode::train && planned.mode != Mode::scale && !searches) return "";
  return format("runs/{}-{}", planned.id, hash_of(shell_line(planned.words)));
}

class Planner {
 public:
  Planner(const Study& study, const Machine& machine, const device::Catalog& catalog)
      : study_(study), machine_(machine), catalog_(catalog) {}

  std::vector<PlannedCase> plan() {
    std::size_t left = most_cases;
    for (const CaseGroup& group : study_.groups) {
      std::vector<Choice> choices = choices_of(group, left);
      left -= choices.size();
      for (Choice& choice : choices) add(group, std::move(choice));
    }
    return std::move(plan_);
  }

 private:
  /// `most`: what the groups before have left of the study's bound.
  static std::vector<Choice> choices_of(const CaseGroup& group, std::size_t most) {
    const auto check = [&](std::size_t count) {
      if (count <= most) return;
      throw Error(ErrorKind::input, format("the study has more than {} cases", most_cases),
                  "several studies may share them", group.place);
    };
    std::size_t count = group.modes.size();
    check(count);
    for (const Factor& factor : group.factors) {
      count *= factor.values.size();
      check(count);
    }
    std::vector<Choice> choices(1);
    for (const Factor& factor : group.factors) {
      std::vector<Choice> grown;
      for (const Choice& choice : choices) {
        for (const PlacedValue& value : factor.values) {
          grown.push_back(choice);
          grown.back().values[factor.key] = value;
        }
      }
      choices = std::move(grown);
    }
    std::vector<Choice> all;
    for (const Choice& choice : choices) {
      for (const Mode mode : group.modes) all.push_back({mode, choice.values});
    }
    return all;
  }

  void add(const CaseGroup& group, Choice choice) {
    PlannedCase planned;
    planned.group = group.name;
    planned.asked = planned.mode = choice.mode;
    check_choice(group, choice);
    add_usual_batch(group, choice);
    const auto device = choice.values.find("device");
    Place place = device == choice.values.end()
                      ? Place()
                      : place_of(device->second.value, device->second.place, machine_, catalog_);
    settle_mode(planned, group, choice, place, machine_);
    describe(planned, group, choice, place);
    if (planned.skipped.empty()) {
      CaseRequest request = request_of(planned.mode, study_, group, choice, place, machine_);
      planned.request = std::move(request.given);
      planned.words = std::move(request.words);
      Attributes attributes = planned.attributes;
      attributes.erase("named");
      if (!seen_.emplace(std::move(attributes), shell_line(planned.words)).second) return;
      planned.file = file_of(choice);
    }
    planned.id = id_of(planned, group, choice);
    planned.kept = kept_by(planned);
    if (planned.mode == Mode::train) trained_[group.name].push_back(planned.kept);
    if (planned.mode == Mode::evaluate) take_trained(planned, group);
    plan_.push_back(std::move(planned));
  }

  /// What the commands do without `--batch`; said, since `predict` would take another.
  static void add_usual_batch(const CaseGroup& group, Choice& choice) {
    if (choice.mode != Mode::train && choice.mode != Mode::scale) return;
    if (std::ranges::find(group.options, "batch", &GroupOption::key) != group.options.end()) return;
    const char* const usual = choice.mode == Mode::train ? "128" : "64";
    choice.values.try_emplace("batch", PlacedValue{usual, group.place});
  }

  /// The file that a case reads; empty: it reads none.
  [[nodiscard]] std::string file_of(const Choice& choice) const {
    for (const char* const key : {"file", "model"}) {
      const auto found = choice.values.find(key);
      if (found == choice.values.end()) continue;
      const auto& [name, place] = found->second;
      if (std::string_view(key) == "model" && !is_model_file(name)) continue;
      std::string file = path_of_study(study_, name);
      if (::access(file.c_str(), R_OK) == 0) return file;
      throw Error(ErrorKind::input, format("cannot read '{}': {}", file, std::strerror(errno)),
                  "files are looked for from the study's folder", place);
    }
    return "";
  }

  static void describe(PlannedCase& planned, const CaseGroup& group, const Choice& choice,
                       const Place& place) {
    Attributes& attributes = planned.attributes;
    for (const auto& [key, given] : choice.values) {
      const std::string& value = given.value;
      attributes[key] = value == "true" ? "yes" : value == "false" ? "no" : value;
    }
    for (const GroupOption& option : group.options) {
      attributes.emplace(option.key, option.value.empty() ? "yes" : option.value);
    }
    if (planned.mode == Mode::summary || planned.mode == Mode::import) attributes.erase("device");
    // A network in a file is called by the file's name.
    bool in_file = false;
    for (const char* const key : {"model", "file"}) {
      const auto name = attributes.find(key);
      if (name != attributes.end() && is_model_file(name->second)) {
        attributes["model"] = model_of_file(name->second);
        in_file = true;
      }
    }
    attributes["group"] = group.name;
    const bool foretells = planned.mode == Mode::fit || planned.mode == Mode::partition;
    attributes["mode"] = name_of(foretells && !place.here ? Mode::predict : planned.mode);
    if (const auto device = attributes.find("device"); device != attributes.end()) {
      attributes["named"] = device->second;
      if (!place.id.empty()) device->second = place.id;
    }
    if (const auto input = attributes.find("input");
        input != attributes.end() && attributes.contains("layer")) {
      attributes.emplace("batch", split(input->second, 'x').front());
    }
    // What a command does where nothing else is said; published figures are of such cases too. What
    // a file is, its result says.
    const bool counts = planned.mode == Mode::summary || planned.mode == Mode::predict ||
                        planned.mode == Mode::measure || planned.mode == Mode::counters;
    if (counts && !in_file) {
      attributes.emplace("batch", "1");
      attributes.emplace("phase", "inference");
      attributes.emplace("precision", "fp32");
    }
    if (planned.asked == Mode::train || planned.asked == Mode::scale) {
      attributes["phase"] = "training";
    }
  }

  [[nodiscard]] std::string id_of(const PlannedCase& planned, const CaseGroup& group,
                                  const Choice& choice) {
    std::vector<std::string> parts = {slug(group.name)};
    for (const Factor& factor : group.factors) {
      const std::string& value = *choice.find(factor.key);
      const std::string name = factor.key == "file" || factor.key == "model"
                                   ? std::filesystem::path(value).filename().string()
                                   : value;
      std::string part = value == "true"    ? slug(factor.key)
                         : value == "false" ? "no-" + slug(factor.key)
                                            : slug(name);
      if (factor.key == "batch") part = "b" + part;
      if (factor.key == "gpus") part = "x" + part;
      if (!part.empty()) parts.push_back(std::move(part));
    }
    parts.emplace_back(name_of(planned.asked));
    const std::string first = as_file_name(join(parts, "-"));
    std::string id = first;
    while (!ids_.insert(id).second) id = format("{}-{}", first, 2 + repeats_[first]++);
    return id;
  }

  void take_trained(PlannedCase& planned, const CaseGroup& group) const {
    if (const auto found = trained_.find(group.of); found != trained_.end()) {
      planned.trained = found->second;
    }
    if (planned.trained.empty() && planned.skipped.empty()) {
      planned.skipped = format("'{}' trains no models here", group.of);
    }
  }

  const Study& study_;
  const Machine& machine_;
  const device::Catalog& catalog_;
  std::vector<PlannedCase> plan_;
  std::set<std::pair<Attributes, std::string>> seen_;        ///< with their words
  std::map<std::string, std::vector<std::string>> trained_;  ///< folders of runs, by group
  std::set<std::string> ids_;
  std::map<std::string, int> repeats_;  ///< ids that would be the same otherwise
};

std::optional<std::string> command_to_run(const PlannedCase& planned) {
  return planned.skipped.empty() ? std::optional(command_of(planned)) : std::nullopt;
}

void name_device(Attributes& attributes, const device::Catalog& catalog) {
  const auto device = attributes.find("device");
  if (device == attributes.end()) return;
  // Of several, by commas, each.
  std::vector<std::string> names = split(device->second, ',');
  const std::string given = device->second;
  for (std::string& name : names) {
    if (const auto known = known_device(catalog, trim(name))) name = known->id;
  }
  device->second = join(names, ",");
  if (device->second != given) attributes.emplace("named", given);
}

}  // namespace

void name_devices(Study& study, const device::Catalog& catalog) {
  for (PublishedRow& row : study.published) name_device(row.where, catalog);
  for (TableWish& table : study.tables) name_device(table.where, catalog);
  for (ChartWish& chart : study.charts) name_device(chart.where, catalog);
}

std::vector<PlannedCase> plan_study(const Study& study, const Machine& machine,
                                    const device::Catalog& catalog) {
  return Planner(study, machine, catalog).plan();
}

namespace {

std::set<std::string> gpu_models(const Machine& machine) {
  std::set<std::string> models;
  for (const LocalGpu& gpu : machine.gpus) models.insert(gpu.model);
  return models;
}

}  // namespace

std::string machine_name(const Machine& machine) {
  const std::set<std::string> models = gpu_models(machine);
  return models.empty() ? machine.cpu : join(std::vector(models.begin(), models.end()), ", ");
}

bool is_same_hardware(const Machine& a, const Machine& b) {
  const bool same_cpu = a.cpu.empty() || b.cpu.empty() || a.cpu == b.cpu;
  return same_cpu && gpu_models(a) == gpu_models(b);
}

bool is_as_asked(const PlannedCase& planned) {
  return planned.skipped.empty() && value_in(planned.attributes, "mode") == name_of(planned.asked);
}

bool is_of_machine(const PlannedCase& planned) {
  const std::string_view mode = value_in(planned.attributes, "mode");
  return planned.skipped.empty() && mode != name_of(Mode::predict) &&
         mode != name_of(Mode::summary) && mode != name_of(Mode::import);
}

bool depends_on_machine(std::span<const PlannedCase> plan) {
  return std::ranges::any_of(plan, [](const PlannedCase& planned) {
    const bool is_same_anywhere = planned.asked == Mode::predict ||
                                  planned.asked == Mode::summary || planned.asked == Mode::import;
    return !is_same_anywhere || !planned.skipped.empty();  // `gpu` and `here` are left out
  });
}

void identify_inputs(std::span<PlannedCase> plan) {
  std::map<std::string, std::string> known;
  for (PlannedCase& planned : plan) {
    if (planned.file.empty()) continue;
    std::string& hash = known[planned.file];
    if (hash.empty()) hash = format("{:016x}", fnv1a(read_file(planned.file)));
    planned.input = hash;
  }
}

std::span<const Field> fields_of(For<PlannedCase>) {
  static constexpr auto fields = field_table(
      members<&PlannedCase::id, &PlannedCase::asked>, field<&command_to_run>("command_line"),
      field<&PlannedCase::note>(), field<&PlannedCase::skipped>("left_out"));
  return fields;
}

std::string command_of(const PlannedCase& planned) {
  std::vector<std::string> words = {"rooflab"};
  words.insert(words.end(), planned.words.begin(), planned.words.end());
  words.insert(words.end(), planned.trained.begin(), planned.trained.end());
  return shell_line(words);
}

}  // namespace rooflab::study
