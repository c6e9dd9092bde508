#include "describe/field_table.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {

std::span<const Field> fields_of(For<VariantInfo>) {
  return members<&VariantInfo::name, &VariantInfo::description>;
}

std::span<const Field> fields_of(For<ModelInfo>) {
  static constexpr auto fields =
      field_table(field<&ModelInfo::name>("model"),
                  members<&ModelInfo::family, &ModelInfo::input_size, &ModelInfo::variants>);
  return fields;
}

}  // namespace rooflab::zoo
