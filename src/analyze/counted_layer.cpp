#include <utility>

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "record/record_json.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {

std::optional<double> CountedLayer::model_flops() const {
  return model ? std::optional(model->flops().as_double()) : std::nullopt;
}
std::optional<double> CountedLayer::flops_ratio() const {
  return quotient(sums.at(record::KernelFigure::flops), model_flops());
}
std::optional<double> CountedLayer::compulsory_bytes() const {
  return model ? std::optional(model->compulsory_bytes.as_double()) : std::nullopt;
}
std::optional<double> CountedLayer::bytes_ratio() const {
  return quotient(sums.at(record::KernelFigure::dram_bytes), compulsory_bytes());
}

std::string CountedLayer::causes() const {
  std::vector<std::string> words;
  for (const auto& [unit, gap] : {std::pair{"FLOP", &flops_gap}, std::pair{"bytes", &bytes_gap}}) {
    if (*gap) words.push_back(format("{}: {}", unit, name_of((*gap)->cause)));
  }
  if (!breaches.empty()) words.emplace_back("above a roof");
  if (!remark.empty()) words.push_back(remark);
  return join(words, "; ");
}

std::string CountedLayer::reasons() const {
  std::vector<std::string> texts;
  if (flops_gap) texts.push_back("FLOP: " + flops_gap->text);
  if (bytes_gap) texts.push_back("bytes: " + bytes_gap->text);
  for (const RoofBreach& breach : breaches) texts.push_back(breach.text);
  return join(texts, "; ");
}

namespace {

/// A roof of FLOPs has figures in FLOP/s, the memory's in B/s.
template <double RoofBreach::*figure, bool of_memory>
std::optional<double> only_of(const RoofBreach& breach) {
  return breach.is_of_memory() == of_memory ? std::optional(breach.*figure) : std::nullopt;
}

template <double RoofBreach::*figure, bool of_memory>
void read_only_of(RoofBreach& breach, const JsonValue& from) {
  if (breach.is_of_memory() == of_memory) codec::decode(breach.*figure, from);
}

/// A figure of the whole model; null where it has none.
template <auto figure>
auto modelled_in_all(const CountedLayers& counted) {
  const std::optional<predict::Work>& model = counted.total.model;
  return model ? std::optional((*model).*figure) : std::nullopt;
}
template <auto figure>
void read_modelled_in_all(CountedLayers& counted, const JsonValue& from) {
  std::optional<predict::Work>& model = counted.total.model;
  if (!model) model.emplace();
  codec::decode((*model).*figure, from);
}

}  // namespace

std::span<const Field> fields_of(For<Gap>) { return members<&Gap::cause, &Gap::text>; }

std::span<const Field> fields_of(For<RoofBreach>) {
  static constexpr auto fields = field_table(
      members<&RoofBreach::modelled, &RoofBreach::roof>,
      field<&only_of<&RoofBreach::rate, false>, &read_only_of<&RoofBreach::rate, false>>(
          "flop_per_s"),
      field<&only_of<&RoofBreach::peak, false>, &read_only_of<&RoofBreach::peak, false>>(
          "peak_flop_per_s"),
      field<&only_of<&RoofBreach::rate, true>, &read_only_of<&RoofBreach::rate, true>>(
          "dram_bytes_per_s"),
      field<&only_of<&RoofBreach::peak, true>, &read_only_of<&RoofBreach::peak, true>>(
          "peak_bytes_per_s"),
      field<&RoofBreach::text>());
  return fields;
}

std::span<const Field> fields_of(For<CountedLayer>) {
  static constexpr auto fields = field_table(
      field<&CountedLayer::name>("node"), members<&CountedLayer::op, &CountedLayer::op_class>,
      part<&CountedLayer::sums>(), field<&CountedLayer::time_share>(),
      field<&CountedLayer::model_flops>("model_flop"),
      field<IfThere{&CountedLayer::model, &predict::Work::matrix_flops}>("model_matrix_flop"),
      field<IfThere{&CountedLayer::model, &predict::Work::vector_flops}>("model_vector_flop"),
      field<IfThere{&CountedLayer::model, &predict::Work::compulsory_bytes}>("compulsory_bytes"),
      field<&CountedLayer::flops_ratio>("flop_ratio"), field<&CountedLayer::bytes_ratio>(),
      field<&CountedLayer::flops_gap>("flop_gap"), field<&CountedLayer::bytes_gap>(),
      field<&CountedLayer::breaches>("above_roofs"),
      field<&CountedLayer::roof_place>("roof_place").sparse(),
      members<&CountedLayer::remark, &CountedLayer::causes, &CountedLayer::reasons>);
  return fields;
}

std::span<const Field> fields_of(For<CountedLayers>) {
  static constexpr auto fields = field_table(
      part<&CountedLayers::counting>(),
      field<Within{&CountedLayers::total, &CountedLayer::sums}>("totals"),
      field<&CountedLayers::step>(),
      field<&modelled_in_all<&predict::Work::matrix_flops>,
            &read_modelled_in_all<&predict::Work::matrix_flops>>("model_matrix_flop"),
      field<&modelled_in_all<&predict::Work::vector_flops>,
            &read_modelled_in_all<&predict::Work::vector_flops>>("model_vector_flop"),
      field<&modelled_in_all<&predict::Work::compulsory_bytes>,
            &read_modelled_in_all<&predict::Work::compulsory_bytes>>("compulsory_bytes"),
      field<&CountedLayers::layers>(), field<&CountedLayers::without_node>("launches_without_node"),
      field<&CountedLayers::without_kernels>("nodes_without_launch"),
      field<&CountedLayers::notes>());
  return fields;
}

}  // namespace rooflab::analyze
