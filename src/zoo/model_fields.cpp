#include "base/field_table.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {

std::span<const Field> fields_of(For<VariantInfo>) {
  static constexpr Field fields[] = {
      field<&VariantInfo::name>("name"),
      field<&VariantInfo::description>("description"),
  };
  return fields;
}

std::span<const Field> fields_of(For<ModelInfo>) {
  static constexpr Field fields[] = {
      field<&ModelInfo::name>("model"),
      field<&ModelInfo::family>("family"),
      field<&ModelInfo::input_size>("input_size"),
      field<&ModelInfo::variants>("variants"),
  };
  return fields;
}

}  // namespace rooflab::zoo
