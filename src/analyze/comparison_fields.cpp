#include "base/field_table.hpp"
#include "rooflab/analyze/comparison.hpp"

namespace rooflab::analyze {
namespace {

std::string_view time_of(const Comparand& side) {
  return side.measured ? "measured" : name_of(side.time_of);
}

std::size_t step_count(const Comparand& side) { return side.steps_s.size(); }

}  // namespace

std::span<const Field> fields_of(For<Comparand>) {
  static constexpr Field fields[] = {field<&Comparand::source>("source"),
                                     field<&Comparand::measured>("measured"),
                                     field<&time_of>("time_of"),
                                     field<&Comparand::model>("model"),
                                     field<&Comparand::device>("device"),
                                     field<&Comparand::batch>("batch"),
                                     field<&Comparand::phase>("phase"),
                                     field<&Comparand::precision>("precision"),
                                     field<&Comparand::status>("status"),
                                     field<&Comparand::time_s>("time_s"),
                                     field<&Comparand::time_low_s>("time_low_s"),
                                     field<&Comparand::time_high_s>("time_high_s"),
                                     field<&step_count>("steps"),
                                     field<&Comparand::allocated_peak>("allocated_peak_bytes"),
                                     field<&Comparand::energy_j>("step_energy_j")};
  return fields;
}

std::span<const Field> fields_of(For<Comparison>) {
  static constexpr Field fields[] = {
      field<&Comparison::a>("a"),
      field<&Comparison::b>("b"),
      field<&Comparison::speedup>("speedup"),
      field<&Comparison::speedup_low>("speedup_low"),
      field<&Comparison::speedup_high>("speedup_high"),
      field<IfThere{&Comparison::test, &RankTest::p_value}>("p_value"),
      field<&Comparison::difference>("difference"),
      field<&Comparison::verdict>("verdict"),
      field<&Comparison::differences>("differences")};
  return fields;
}

std::span<const Field> fields_of(For<ComparisonList>) {
  static constexpr Field fields[] = {field<&ComparisonList::pairs>("pairs"),
                                     field<&ComparisonList::only_a>("only_first"),
                                     field<&ComparisonList::only_b>("only_second")};
  return fields;
}

}  // namespace rooflab::analyze
