#include "scaling_of_schema_1.hpp"

#include "json_part.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::study {
namespace {

/// Any member under another key.
void rename(Json& object, std::string_view from, std::string_view to) {
  if (!object.contains(from)) return;
  object[to] = object.at(from);
  object.erase(from);
}

/// A measured or predicted step, which a row of its own was in one shape.
Json step_of(Json step) {
  if (!step.is_object()) return nullptr;
  rename(step, "images_per_s", "samples_per_s");
  rename(step, "communication_of_step", "communication_share");
  rename(step, "hidden", "hidden_share");
  if (const std::optional<double> exchange = number_of(step, "communication_s")) {
    step["communication_share"] = json_or_null(quotient(exchange, number_of(step, "step_s")));
    step["hidden_share"] = json_or_null(quotient(number_of(step, "hidden_s"), exchange));
  }
  return step;
}

Json row_of(Json row, bool measured) {
  Json step = step_of(row);
  const Json beside = step_of(part(row, "predicted"));
  rename(row, "gpus", "devices");
  rename(row, "batch_per_gpu", "batch_per_device");
  const bool ran = number_of(step, "step_s").has_value();
  row["measured"] = measured && ran ? step : Json();
  row["predicted"] = measured ? beside : std::move(step);
  return row;
}

}  // namespace

Json scaling_of_schema_1(Json result) {
  rename(result, "scaled_cases", "series");
  if (!part(result, "series").is_array()) return result;
  for (Json& series : result.at("series")) {
    const bool measured = !series.contains("steps");
    rename(series, "steps", "rows");
    if (!part(series, "rows").is_array()) continue;
    for (Json& row : series.at("rows")) {
      if (row.contains("gpus")) row = row_of(std::move(row), measured);
    }
  }
  return result;
}

}  // namespace rooflab::study
