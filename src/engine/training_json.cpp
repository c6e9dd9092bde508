// Requests to train and to evaluate as JSON. Keys are the names of the members.

#include "request_head.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/engine/training.hpp"

namespace rooflab::engine {

Json to_json(const TrainingRequest& request) {
  return {{"schema_version", request_schema_version},
          {"kind", "training_request"},
          {"case", to_json(request.request)},
          {"recipe", rooflab::to_json(request.recipe)},
          {"target_accuracy", json_or_null(request.target_accuracy)},
          {"folder", request.folder.string()},
          {"resume", request.resume},
          {"checkpoint_period_s", request.checkpoint_period_s},
          {"max_time_s", request.max_time_s},
          {"max_images", request.max_images}};
}

TrainingRequest training_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "training_request");
  TrainingRequest request;
  request.request = case_from_json(fields.value("case"), file);
  if (request.request.identity.phase != Phase::training) {
    fields.fail("case.identity.phase", "must be training");
  }
  request.recipe = from_json<record::TrainingRecipe>(fields.object("recipe"));
  request.target_accuracy = fields.optional_number("target_accuracy");
  request.folder = fields.text("folder");
  request.resume = fields.flag("resume");
  request.checkpoint_period_s = fields.number("checkpoint_period_s");
  request.max_time_s = fields.number("max_time_s");
  request.max_images = fields.integer("max_images");
  return request;
}

Json to_json(const EvaluationRequest& request) {
  Json checkpoints = Json::array();
  for (const std::filesystem::path& path : request.checkpoints) {
    checkpoints.push_back(path.string());
  }
  return {{"schema_version", request_schema_version},
          {"kind", "evaluation_request"},
          {"checkpoints", std::move(checkpoints)},
          {"data", request.data},
          {"device", request.device},
          {"batch", request.batch},
          {"data_workers", request.data_workers}};
}

EvaluationRequest evaluation_request_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  check_head(fields, "evaluation_request");
  EvaluationRequest request;
  for (const std::string& path : fields.texts("checkpoints")) {
    request.checkpoints.emplace_back(path);
  }
  request.data = fields.text("data");
  request.device = fields.text("device");
  request.batch = fields.integer("batch");
  if (request.batch < 1) fields.fail("batch", "must be at least 1");
  request.data_workers = fields.small_integer("data_workers");
  return request;
}

}  // namespace rooflab::engine
