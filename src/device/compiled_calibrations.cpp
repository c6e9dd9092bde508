#include "compiled_calibrations.hpp"

#include <utility>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "calibration_fields.hpp"
#include "compact_archive.hpp"

namespace rooflab::device {
namespace {

constexpr std::string_view mark = "rooflcal";
constexpr std::uint64_t layout_version = 1;
constexpr std::size_t head_size = 4 * sizeof(std::uint64_t);

/// A calibration in the index.
struct IndexRow {
  CalibrationEntry entry;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
};

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<IndexRow> auto& row) {
  auto& [entry, size, checksum] = row;
  archive(entry, size, checksum);
}

std::string fixed(std::uint64_t number) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

/// The number in the first eight bytes, which it takes off.
std::uint64_t take_fixed(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned i = 0; i < sizeof(number); ++i) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  bytes.remove_prefix(sizeof(number));
  return number;
}

template <class Value>
Value read_all(std::string_view bytes, std::uint64_t checksum, std::string_view what) {
  if (fnv1a(bytes) != checksum) {
    throw damaged_calibrations(format("the checksum of {} is wrong", what));
  }
  Value value;
  CompactReader reader(bytes);
  reader(value);
  if (!reader.at_end()) throw damaged_calibrations(format("bytes follow {}", what));
  return value;
}

}  // namespace

Error damaged_calibrations(std::string_view how) {
  return {ErrorKind::capability,
          format("internal error: the calibrations in this program are damaged: {}", how),
          "install or build rooflab again"};
}

CalibrationEntry entry_of(const Calibration& calibration) {
  CalibrationEntry entry;
  entry.id = calibration.id;
  entry.device = calibration.device;
  entry.device_name = calibration.device_name;
  const auto date = calibration.environment.find("date");
  if (date != calibration.environment.end()) entry.date = date->second;
  for (const auto& [kind, table] : calibration.ops) {
    entry.kinds.push_back({kind, !table.curve.empty(), table.published.has_value()});
  }
  for (const MeasuredFigure& figure : calibration.figures) entry.figures.push_back(figure.name);
  for (const HostCosts& host : calibration.hosts) entry.issuers.push_back(host.issuer);
  return entry;
}

std::string compile(const std::vector<Calibration>& calibrations) {
  std::vector<IndexRow> rows;
  std::string sections;
  for (const Calibration& calibration : calibrations) {
    CompactWriter section;
    section(calibration);
    rows.push_back({entry_of(calibration), section.bytes().size(), fnv1a(section.bytes())});
    sections += section.bytes();
  }
  CompactWriter index;
  index(rows);
  return std::string(mark) + fixed(layout_version) + fixed(index.bytes().size()) +
         fixed(fnv1a(index.bytes())) + index.bytes() + sections;
}

CompiledCalibrations::CompiledCalibrations(std::string_view bytes) {
  if (bytes.size() < head_size) throw damaged_calibrations("they end too early");
  if (!bytes.starts_with(mark)) throw damaged_calibrations("they do not begin with their mark");
  bytes.remove_prefix(mark.size());
  if (const std::uint64_t version = take_fixed(bytes); version != layout_version) {
    throw damaged_calibrations(
        format("their layout has version {}, the program reads {}", version, layout_version));
  }
  const std::uint64_t index_size = take_fixed(bytes);
  const std::uint64_t index_checksum = take_fixed(bytes);
  if (bytes.size() < index_size) throw damaged_calibrations("they end too early");
  const std::string_view index = bytes.substr(0, index_size);
  bytes.remove_prefix(index_size);
  for (IndexRow& row : read_all<std::vector<IndexRow>>(index, index_checksum, "the index")) {
    if (bytes.size() < row.size) throw damaged_calibrations("they end too early");
    sections_.push_back({bytes.substr(0, row.size), row.checksum});
    bytes.remove_prefix(row.size);
    entries_.push_back(std::move(row.entry));
  }
  if (!bytes.empty()) throw damaged_calibrations("bytes follow the last calibration");
}

Calibration CompiledCalibrations::read(std::size_t index) const {
  const Section& section = sections_.at(index);
  return read_all<Calibration>(section.bytes, section.checksum, entries_.at(index).id);
}

}  // namespace rooflab::device
