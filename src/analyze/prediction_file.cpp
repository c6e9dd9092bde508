#include <algorithm>

#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/schema.hpp"

namespace rooflab::analyze {
namespace {

/// What the catalog says of the device; one that it does not have keeps its id and no figures.
void find_device(CaseResult& result, const device::Catalog& catalog) {
  const std::vector<std::string> known = catalog.ids();
  const std::string id = result.device.id;
  if (std::ranges::find(known, id) != known.end()) {
    result.device = catalog.find(id);
  } else {
    result.notes.push_back({"roofs_unknown", {id}});
  }
}

}  // namespace

std::vector<CaseResult> predictions_from_json(const Json& json, const std::string& file) {
  const std::optional<Json> newer = renewed_result(json, file);
  std::vector<CaseResult> cases;
  codec::decode(cases, JsonFields(newer ? *newer : json, file).at(FigureKey("cases").key()));
  for (CaseResult& result : cases) {  // earlier files do not have all
    result.memory.most_total = std::max(result.memory.most_total, result.memory.total);
    add_limit_shares(result.layers, result.limit.time);
  }
  return cases;
}

std::vector<CaseResult> predictions_from_json(const Json& json, const std::string& file,
                                              const device::Catalog& catalog) {
  std::vector<CaseResult> cases = predictions_from_json(json, file);
  for (CaseResult& result : cases) find_device(result, catalog);
  return cases;
}

}  // namespace rooflab::analyze
