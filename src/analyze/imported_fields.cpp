#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/record/kernel_json.hpp"

namespace rooflab::analyze {
namespace {

std::vector<std::string> not_collected(const ImportedCase& imported) {
  return imported.totals.not_collected();
}

}  // namespace

std::span<const Field> fields_of(For<WorkCheck>) {
  static constexpr Field fields[] = {field<&WorkCheck::network>("checked_network"),
                                     field<&WorkCheck::model_flops>("model_flop"),
                                     field<&WorkCheck::model_matrix_flops>("model_matrix_flop"),
                                     field<&WorkCheck::model_vector_flops>("model_vector_flop"),
                                     field<&WorkCheck::collected_flops>("collected_flop"),
                                     field<&WorkCheck::cuda_core_flops>("cuda_core_flop"),
                                     field<&WorkCheck::tensor_flops>("tensor_flop"),
                                     field<&WorkCheck::missing_share>("missing_share"),
                                     field<&WorkCheck::passes>("passes_check")};
  return fields;
}

std::span<const Field> fields_of(For<KernelGroup>) {
  static constexpr Field fields[] = {
      field<&KernelGroup::name>("name"),
      part<&KernelGroup::sums>(),
      field<&KernelGroup::time_share>("time_share"),
      field<&KernelGroup::mean_s>("mean_s"),
      field<Within{&KernelGroup::sums, &record::KernelSums::shortest_s}>("shortest_s"),
      field<Within{&KernelGroup::sums, &record::KernelSums::longest_s}>("longest_s")};
  return fields;
}

std::span<const Field> fields_of(For<ImportedCase>) {
  static constexpr Field fields[] = {
      field<&ImportedCase::source>("source"), field<&ImportedCase::totals>("totals"),
      field<&not_collected>("not_collected"), field<&ImportedCase::check>("check")};
  return fields;
}

}  // namespace rooflab::analyze
