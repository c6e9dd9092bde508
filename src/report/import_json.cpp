#include "import_json.hpp"

#include "rooflab/base/fields.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using analyze::KernelTotals;
using analyze::WorkCheck;

Json totals_json(const KernelTotals& totals) {
  Json json;
  json["kernels"] = totals.kernels;
  json["time_s"] = json_or_null(totals.time_s);
  json["dram_bytes"] = count_or_null(totals.dram_bytes);
  json["fp64_flops"] = count_or_null(totals.fp64_flops);
  json["fp32_flops"] = count_or_null(totals.fp32_flops);
  json["fp16_flops"] = count_or_null(totals.fp16_flops);
  json["fp16_move_flops"] = count_or_null(totals.fp16_move_flops);
  json["tensor_flops"] = count_or_null(totals.tensor_flops);
  json["flops"] = count_or_null(totals.flops);
  json["intensity"] = json_or_null(totals.intensity);
  json["collected_flops"] = count_json(totals.collected_flops);
  json["tensor_by_type"] = Json::object();
  for (const auto& [type, count] : totals.tensor_by_type) {
    json["tensor_by_type"][std::string(name_of(type))] = count_json(count);
  }
  json["coverage"] = Json::object();
  for (const auto& [key, share] : totals.coverage) json["coverage"][key] = share;
  return json;
}

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
  json["totals"] = totals_json(imported.totals);
  json["not_collected"] = imported.totals.not_collected;
  json["check"] = check_json(imported);
  json["panes"] = imported.trace ? to_json(*imported.trace) : Json(nullptr);
  return json;
}

}  // namespace rooflab::report
