#include "rooflab/base/field_table.hpp"
#include "rooflab/record/counting.hpp"
#include "rooflab/record/loss.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<LaunchScope>) {
  return members<&LaunchScope::node, &LaunchScope::op, &LaunchScope::pass>;
}

std::span<const Field> fields_of(For<CounterSet>) {
  return members<&CounterSet::metrics, &CounterSet::per_kernel, &CounterSet::passes,
                 &CounterSet::arming_s, &CounterSet::wall_s, &CounterSet::launches,
                 &CounterSet::dropped>;
}

std::span<const Field> fields_of(For<Counting>) {
  return members<&Counting::chip, &Counting::launches_per_step, &Counting::steps_s,
                 &Counting::arming_s, &Counting::wall_s, &Counting::sets, &Counting::peaks,
                 &Counting::scopes>;
}

std::span<const Field> fields_of(For<Loss>) {
  return members<&Loss::what, &Loss::count, &Loss::first>;
}

}  // namespace rooflab::record
