// JSON of `rooflab train`: its `runs` are the runs' own files, with their names beside them.

#include "rooflab/base/schema.hpp"
#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/json_fields.hpp"

namespace rooflab::analyze {

std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                         const std::string& file) {
  std::vector<training::NamedTraining> trainings;
  const std::vector<JsonFields> runs = JsonFields(json, file).objects("runs");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    trainings.push_back(
        {runs[i].text("name"), from_file_json<record::TrainingRun>(json["runs"][i], file)});
  }
  return trainings;
}

}  // namespace rooflab::analyze
