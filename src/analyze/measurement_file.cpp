#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/schema.hpp"

namespace rooflab::analyze {
namespace {

constexpr FigureKey cases_key = "cases";

}  // namespace

std::vector<record::Record> measurements_from_json(const Json& json, const std::string& file) {
  const std::optional<Json> newer = renewed_result(json, file);
  std::vector<record::Record> records;
  for (const JsonFields& each : JsonFields(newer ? *newer : json, file).objects(cases_key.key())) {
    records.push_back(from_json<MeasuredCase>(each).record);
  }
  return records;
}

}  // namespace rooflab::analyze
