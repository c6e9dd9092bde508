#include <algorithm>
#include <tuple>

#include "describe/field_table.hpp"
#include "rooflab/base/collective.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {
namespace {

template <auto member>
auto calibrated(const ProbedDevice& probed) {
  return probed.calibration.*member;
}

std::optional<std::string> known_id(const ProbedDevice& probed) {
  return probed.known ? std::optional(probed.known->id) : std::nullopt;
}

std::optional<double> time_of(const OpTable& table, auto extreme) {
  const auto found = extreme(table.rows, {}, &OpRow::time_s);
  return found == table.rows.end() ? std::nullopt : std::optional(found->time_s);
}

}  // namespace

std::optional<double> ProbedFigure::datasheet_share() const {
  return quotient(measured.value, datasheet);
}

double ProbedLink::bus_bytes_per_s() const {
  const auto collective = from_name<Collective>(measured.collective);
  const double sent = collective ? sent_share(*collective, measured.ranks) : 1.0;
  return sent * measured.bytes / measured.time_s;
}

std::optional<double> ProbedLink::datasheet_share() const {
  return quotient(bus_bytes_per_s(), datasheet);
}

std::optional<double> ProbedOps::shortest_s() const {
  return time_of(table, std::ranges::min_element);
}

std::optional<double> ProbedOps::longest_s() const {
  return time_of(table, std::ranges::max_element);
}

std::vector<ProbedFigure> ProbedDevice::figures() const {
  std::vector<ProbedFigure> figures;
  for (const MeasuredFigure& figure : calibration.figures) {
    figures.push_back({figure, datasheet_figure(figure.name, known ? &*known : nullptr)});
  }
  return figures;
}

std::vector<ProbedLink> ProbedDevice::links() const {
  const std::optional<Link> link = known ? link_of(*known) : std::nullopt;
  std::vector<ProbedLink> links;
  for (const LinkRow& row : calibration.links) {
    links.push_back({row, link ? std::optional(link->bandwidth) : std::nullopt});
  }
  std::ranges::stable_sort(links, {}, [](const ProbedLink& each) {
    return std::tuple(each.measured.collective, each.measured.ranks, each.measured.bytes);
  });
  return links;
}

std::vector<ProbedOps> ProbedDevice::ops() const {
  std::vector<ProbedOps> ops;
  for (const auto& [kind, table] : calibration.ops) ops.push_back({kind, table});
  return ops;
}

std::span<const Field> fields_of(For<ProbedFigure>) {
  static constexpr auto fields =
      field_table(part<&ProbedFigure::measured>(),
                  members<&ProbedFigure::datasheet, &ProbedFigure::datasheet_share>);
  return fields;
}

std::span<const Field> fields_of(For<ProbedLink>) {
  static constexpr auto fields =
      field_table(part<&ProbedLink::measured>(),
                  members<&ProbedLink::bus_bytes_per_s, &ProbedLink::datasheet_share>);
  return fields;
}

std::span<const Field> fields_of(For<ProbedOps>) {
  static constexpr auto fields = field_table(
      field<&ProbedOps::kind>(), field<&ProbedOps::count>("row_count"),
      members<&ProbedOps::shortest_s, &ProbedOps::longest_s>, part<&ProbedOps::table>());
  return fields;
}

std::span<const Field> fields_of(For<ProbedDevice>) {
  static constexpr auto fields = field_table(
      field<&calibrated<&Calibration::id>>("id"), field<&known_id>("device"),
      field<&calibrated<&Calibration::device_name>>("device_name"),
      field<&calibrated<&Calibration::command>>("command_line"),
      field<&calibrated<&Calibration::environment>>("environment"), field<&ProbedDevice::figures>(),
      field<&calibrated<&Calibration::vector_additions>>("vector_additions"),
      field<&ProbedDevice::links>(), field<&calibrated<&Calibration::origins>>("origins"),
      field<&ProbedDevice::ops>(), field<&calibrated<&Calibration::hosts>>("hosts"),
      field<&calibrated<&Calibration::notes>>("notes"));
  return fields;
}

}  // namespace rooflab::device
