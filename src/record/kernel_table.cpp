#include "rooflab/record/kernel_table.hpp"

#include <algorithm>
#include <cmath>

#include "rooflab/base/assert.hpp"

namespace rooflab::record {
namespace {

/// A column that only some rows have: the others get `filler`.
template <class T>
void put(std::vector<T>& column, std::size_t row, T value, T filler) {
  if (column.size() <= row) column.resize(row + 1, filler);
  column[row] = value;
}

}  // namespace

std::size_t KernelTable::add(const KernelLaunch& launch) {
  const std::size_t row = size();
  name_.push_back(launch.name);
  process_.push_back(launch.process);
  launch_.push_back(launch.launch);
  device_.push_back(launch.device);
  stream_.push_back(launch.stream);
  grid_.push_back(launch.grid);
  block_.push_back(launch.block);
  if (launch.start_ns) put(start_ns_, row, *launch.start_ns, no_start);
  if (launch.external_id != 0) put(external_id_, row, launch.external_id, std::int64_t{0});
  return row;
}

void KernelTable::set(KernelFigure figure, std::size_t row, double value) {
  ROOFLAB_ASSERT(row < size());
  put(figures_[static_cast<std::size_t>(figure)], row, value, absent);
}

void KernelTable::set_external_id(std::size_t row, std::int64_t external_id) {
  ROOFLAB_ASSERT(row < size());
  put(external_id_, row, external_id, std::int64_t{0});
}

void KernelTable::reserve(std::size_t rows) {
  name_.reserve(rows);
  process_.reserve(rows);
  launch_.reserve(rows);
  device_.reserve(rows);
  stream_.reserve(rows);
  grid_.reserve(rows);
  block_.reserve(rows);
  if (!start_ns_.empty()) start_ns_.reserve(rows);
  if (!external_id_.empty()) external_id_.reserve(rows);
  for (std::vector<double>& column : figures_) {
    if (!column.empty()) column.reserve(rows);
  }
}

KernelLaunch KernelTable::launch(std::size_t row) const {
  KernelLaunch launch{name_[row],   process_[row], launch_[row], device_[row],
                      stream_[row], grid_[row],    block_[row]};
  if (row < start_ns_.size() && start_ns_[row] != no_start) launch.start_ns = start_ns_[row];
  if (row < external_id_.size()) launch.external_id = external_id_[row];
  return launch;
}

std::optional<double> KernelTable::at(KernelFigure figure, std::size_t row) const {
  const std::vector<double>& values = column(figure);
  if (row >= values.size() || std::isnan(values[row])) return std::nullopt;
  return values[row];
}

std::size_t KernelTable::count(KernelFigure figure) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(column(figure), [](double value) { return !std::isnan(value); }));
}

std::optional<double> KernelTable::sum(KernelFigure figure) const {
  // Extended precision: a sum of whole nanoseconds in seconds prints as such.
  std::optional<long double> sum;
  for (const double value : column(figure)) {
    if (!std::isnan(value)) sum = sum.value_or(0.0L) + static_cast<long double>(value);
  }
  return sum ? std::optional(static_cast<double>(*sum)) : std::nullopt;
}

void KernelTable::append(const KernelTable& other) {
  for (std::size_t i = 0; i < other.size(); ++i) {
    KernelLaunch launch = other.launch(i);
    launch.name = names.intern(other.names[launch.name]);
    launch.process = processes.intern(other.process(i));
    const std::size_t row = add(launch);
    for (const KernelFigure figure : values_of<KernelFigure>) {
      if (const auto value = other.at(figure, i)) set(figure, row, *value);
    }
  }
}

bool operator==(const KernelTable& a, const KernelTable& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t row = 0; row < a.size(); ++row) {
    KernelLaunch left = a.launch(row);
    KernelLaunch right = b.launch(row);
    if (a.names[left.name] != b.names[right.name]) return false;
    if (a.process(row) != b.process(row)) return false;
    left.name = right.name;
    left.process = right.process;
    if (left != right) return false;
    for (const KernelFigure figure : values_of<KernelFigure>) {
      if (a.at(figure, row) != b.at(figure, row)) return false;
    }
  }
  return true;
}

}  // namespace rooflab::record
