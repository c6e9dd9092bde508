#include "import_json.hpp"

#include "rooflab/base/fields.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/kernel_json.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using analyze::WorkCheck;

Json check_json(const ImportedCase& imported) {
  if (!imported.check) return nullptr;
  const WorkCheck& check = *imported.check;
  return {{"network", imported.checked_network},
          {"model_flops", count_json(check.model_flops)},
          {"model_matrix_flops", count_json(check.model_matrix_flops)},
          {"model_vector_flops", count_json(check.model_vector_flops)},
          {"collected_flops", count_json(check.collected_flops)},
          {"cuda_core_flops", count_json(check.cuda_core_flops)},
          {"tensor_flops", count_or_null(check.tensor_flops)},
          {"missing_share", check.missing_share},
          {"passes", check.passes()}};
}

}  // namespace

Json import_head_json(const ImportedCase& imported) {
  Json json;
  json["schema_version"] = schema_version;
  json["kind"] = "record";
  json["command"] = "import";
  json["source"] = imported.source;
  Json& totals = json["totals"];
  record::put_sums(totals, imported.totals);
  Json& coverage = totals["coverage"] = Json::object();
  for (const auto& [key, share] : imported.totals.coverage()) coverage[key] = share;
  json["not_collected"] = imported.totals.not_collected();
  json["check"] = check_json(imported);
  json["panes"] = imported.trace ? to_json(*imported.trace) : Json(nullptr);
  return json;
}

}  // namespace rooflab::report
