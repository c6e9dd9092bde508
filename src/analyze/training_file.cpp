#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/schema.hpp"

namespace rooflab::analyze {

std::vector<training::NamedTraining> trainings_from_json(const Json& json,
                                                         const std::string& file) {
  return from_file_json<training::TrainingSummary>(json, file).runs;
}

}  // namespace rooflab::analyze
