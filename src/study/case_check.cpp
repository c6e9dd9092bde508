// What can be said of a case's values before anything runs, at their place in the file. Flags are
// checked by the program, which knows those of its commands.

#include <algorithm>

#include "case_request.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::study {
namespace {

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
  return mode == Mode::partition || kind_of(mode).parameters->find("gpus") != nullptr;
}

bool needs_device(Mode mode) {
  return mode == Mode::predict || mode == Mode::fit || mode == Mode::partition ||
         mode == Mode::scale;
}

}  // namespace

void check_choice(const CaseGroup& group, const Choice& choice) {
  const auto place_of = [&choice](const std::string& key) { return choice.places.at(key); };
  check_keys(group, choice);
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
