#include "rooflab/base/field_table.hpp"
#include "rooflab/record/counting.hpp"
#include "rooflab/record/loss.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<LaunchScope>) {
  static constexpr Field fields[] = {
      field<&LaunchScope::node>("node"),
      field<&LaunchScope::op>("op"),
      field<&LaunchScope::pass>("pass"),
  };
  return fields;
}

std::span<const Field> fields_of(For<CounterSet>) {
  static constexpr Field fields[] = {
      field<&CounterSet::metrics>("metrics"), field<&CounterSet::per_kernel>("per_kernel"),
      field<&CounterSet::passes>("passes"),   field<&CounterSet::arming_s>("arming_s"),
      field<&CounterSet::wall_s>("wall_s"),   field<&CounterSet::launches>("launches"),
      field<&CounterSet::dropped>("dropped"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Counting>) {
  static constexpr Field fields[] = {
      field<&Counting::chip>("chip"),
      field<&Counting::launches_per_step>("launches_per_step"),
      field<&Counting::steps_s>("steps_s"),
      field<&Counting::arming_s>("arming_s"),
      field<&Counting::wall_s>("wall_s"),
      field<&Counting::sets>("sets"),
      field<&Counting::peaks>("peaks"),
      field<&Counting::scopes>("scopes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Loss>) {
  static constexpr Field fields[] = {
      field<&Loss::what>("what"),
      field<&Loss::count>("count"),
      field<&Loss::first>("first"),
  };
  return fields;
}

}  // namespace rooflab::record
