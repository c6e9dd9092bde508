#include "tensor_work.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "ncu_command.hpp"
#include "notes/import_notes.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::import {
namespace {

/// `tf32`, `fp16 into fp32`: the input and accumulate types in a metric's name.
std::string types_of(std::string_view metric) {
  constexpr std::string_view before = "_src_";
  const std::size_t source = metric.find(before);
  if (source == std::string_view::npos) return std::string(metric);
  std::string types(metric.substr(source + before.size()));
  const std::size_t target = types.find("_dst_");
  if (target == std::string::npos) return types;
  return format("{} into {}", types.substr(0, target), types.substr(target + 5));
}

bool is_of_tensor_work(const Note& note) {
  return note.code == says.tensor_work_unknown || note.code == says.tensor_metrics_unknown ||
         note.code == says.tensor_work_missing || note.code == says.tensor_types_missing;
}

}  // namespace

std::optional<Note> tensor_note(const std::optional<record::ComputeCapability>& capability,
                                const std::set<std::string_view>& collected) {
  const bool any = !collected.empty();
  if (!capability) return any ? std::nullopt : std::optional(Note{says.tensor_work_unknown});
  if (!record::has_tensor_cores(*capability)) return std::nullopt;
  const std::string chip = format("{}.{}", capability->major, capability->minor);
  std::vector<std::string> missing;
  std::vector<std::string> types;
  for (const std::string_view metric : record::tensor_metrics_of(*capability)) {
    if (collected.contains(metric.substr(metric.find("__") + 2))) continue;
    missing.push_back(format("{}.sum", metric));
    types.push_back(types_of(metric));
  }
  if (!any && missing.empty()) return Note{says.tensor_metrics_unknown, {chip}};
  if (!any)
    return Note{says.tensor_work_missing, {chip, join(missing, ","), ncu_command(*capability)}};
  if (!missing.empty()) return Note{says.tensor_types_missing, {types, join(missing, ",")}};
  return std::nullopt;
}

void settle_tensor_work(record::Record& record, const std::optional<Precision>& precision) {
  const auto& device = record.environment.device;
  const auto capability = device.compute_capability
                              ? record::compute_capability_from(*device.compute_capability)
                              : std::nullopt;
  const auto found = std::ranges::find_if(record.warnings, is_of_tensor_work);
  if (!capability || found == record.warnings.end()) return;
  const bool none_collected = found->code != says.tensor_types_missing;
  if (!record::has_tensor_cores(*capability)) {
    record.warnings.erase(found);
  } else if (none_collected && precision && !record::serves_tensor_cores(*capability, *precision)) {
    record.tensor_work_ruled_out = true;
    *found = Note{says.tensor_work_ruled_out,
                  {name_of(*precision),
                   device.name.empty() ? format("compute capability {}", *device.compute_capability)
                                       : device.name}};
    // The precision alone does not say that the program switched it off.
    if (record::serves_tensor_cores(*capability, Precision::tf32)) {
      record.warnings.push_back({says.tf32_by_default});
    }
  } else if (found->code == says.tensor_work_unknown) {
    if (const std::optional<Note> note = tensor_note(capability, {})) *found = *note;
  }
}

}  // namespace rooflab::import
