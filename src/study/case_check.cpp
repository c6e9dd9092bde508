// What can be said of a case's values before anything runs, at their place in the file. Flags are
// checked by the program, which knows those of its commands.

#include <algorithm>

#include "case_words.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::study {
namespace {

void check_value(const std::string& key, const std::string& value, const Location& place) {
  if (key == "batch") {
    const std::optional<std::int64_t> batch = parse_integer(value);
    if (batch && *batch > 0) return;
    throw Error(ErrorKind::input, format("batch takes a number above 0, not '{}'", value),
                "batch = [1, 32]", place);
  }
  if (key == "phase" && !from_name<Phase>(value)) {
    throw Error(ErrorKind::input, format("unknown phase '{}'", value),
                format("one of {}", join(names_of<Phase>(), ", ")), place);
  }
  if (key == "precision" && !from_name<Precision>(value)) {
    throw Error(ErrorKind::input, format("unknown precision '{}'", value),
                format("one of {}", join(names_of<Precision>(), ", ")), place);
  }
}

void check_model(const std::string& name, const Location& place) {
  if (zoo::find(name) != nullptr || is_onnx(name)) return;
  std::vector<std::string> known;
  for (const zoo::ModelInfo& each : zoo::models()) known.push_back(each.name);
  throw Error(
      ErrorKind::input, format("unknown model '{}'", name),
      near_hint(name, known, "rooflab models lists them; a file ends in .onnx", "rooflab models"),
      place);
}

bool takes_gpus(Mode mode) {
  return mode == Mode::scale || mode == Mode::predict || mode == Mode::partition;
}

bool needs_device(Mode mode) {
  return mode == Mode::predict || mode == Mode::fit || mode == Mode::partition ||
         mode == Mode::scale;
}

}  // namespace

void check_choice(const CaseGroup& group, const Choice& choice) {
  const auto place_of = [&choice](const std::string& key) { return choice.places.at(key); };
  for (const auto& [key, value] : choice.values) check_value(key, value, place_of(key));
  for (const GroupOption& option : group.options) {
    check_value(option.key, option.value, option.place);
  }
  const auto model = choice.values.find("model");
  if (model != choice.values.end()) check_model(model->second, place_of("model"));
  if (model != choice.values.end() && choice.values.contains("file")) {
    throw Error(ErrorKind::input, "a case has a model or a file, not both",
                "give them groups of their own", place_of("file"));
  }
  const std::string mode(name_of(choice.mode));
  if (choice.values.contains("gpus") && !takes_gpus(choice.mode)) {
    throw Error(ErrorKind::input, format("{} takes no number of GPUs", mode),
                "gpus belongs to scale, predict and partition", place_of("gpus"));
  }
  if (needs_device(choice.mode) && !choice.values.contains("device")) {
    throw Error(ErrorKind::input, format("'device' is missing: {} needs one", mode),
                "rooflab devices lists them; here, gpu and cpu are this machine's", group.place);
  }
}

}  // namespace rooflab::study
