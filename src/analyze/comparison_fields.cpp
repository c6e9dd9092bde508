#include "describe/field_table.hpp"
#include "rooflab/analyze/comparison.hpp"

namespace rooflab::analyze {
namespace {

std::string_view time_of(const Comparand& side) {
  return side.measured ? "measured" : name_of(side.time_of);
}

std::size_t step_count(const Comparand& side) { return side.steps_s.size(); }

}  // namespace

std::span<const Field> fields_of(For<Comparand>) {
  static constexpr auto fields = field_table(
      members<&Comparand::source, &Comparand::measured>, field<&time_of>("time_of"),
      members<&Comparand::model, &Comparand::device, &Comparand::batch, &Comparand::phase,
              &Comparand::precision, &Comparand::status, &Comparand::time_s, &Comparand::time_low_s,
              &Comparand::time_high_s>,
      field<&step_count>("steps"), field<&Comparand::allocated_peak>("allocated_peak_bytes"),
      field<&Comparand::energy_j>("step_energy_j"));
  return fields;
}

std::span<const Field> fields_of(For<Comparison>) {
  static constexpr auto fields = field_table(
      members<&Comparison::a, &Comparison::b, &Comparison::speedup, &Comparison::speedup_low,
              &Comparison::speedup_high>,
      field<IfThere{&Comparison::test, &RankTest::p_value}>("p_value"),
      field<&Comparison::difference>(), field<&Comparison::verdict>("judgement"),
      field<&Comparison::differences>().says("A's value first."), field<&Comparison::notes>());
  return fields;
}

std::span<const Field> fields_of(For<ComparisonList>) {
  static constexpr Field fields[] = {field<&ComparisonList::pairs>("pairs"),
                                     field<&ComparisonList::only_a>("only_first"),
                                     field<&ComparisonList::only_b>("only_second")};
  return fields;
}

}  // namespace rooflab::analyze
