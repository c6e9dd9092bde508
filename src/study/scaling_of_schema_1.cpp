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

/// A predicted step had times in place of shares.
Json with_shares(Json step) {
  const std::optional<double> exchange = number_of(step, "communication_s");
  if (!exchange) return step;
  step["communication_share"] = json_or_null(quotient(exchange, number_of(step, "step_s")));
  step["hidden_share"] = json_or_null(quotient(number_of(step, "hidden_s"), exchange));
  return step;
}

/// The step stood in the row itself.
void move_step(Json& row, bool measured) {
  Json beside = with_shares(row.value("predicted", Json()));
  Json step = measured ? row : with_shares(row);
  const bool ran = measured && number_of(row, "step_s");
  row["measured"] = ran ? step : Json();
  row["predicted"] = measured ? std::move(beside) : std::move(step);
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
      if (row.contains("gpus") && !row.contains("measured")) move_step(row, measured);
    }
  }
  return result;
}

}  // namespace rooflab::study
