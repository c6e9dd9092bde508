#include "rooflab/record/kernel_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace rooflab::record {

std::size_t KernelTable::add(const KernelLaunch& launch) {
  launches_.push_back(launch);
  return size() - 1;
}

void KernelTable::set(KernelFigure figure, std::size_t row, double value) {
  ROOFLAB_ASSERT(row < size());
  std::vector<double>& values = figures_[static_cast<std::size_t>(figure)];
  if (values.size() <= row) values.resize(row + 1, absent);
  values[row] = value;
}

void KernelTable::set_external_id(std::size_t row, std::int64_t external_id) {
  launches_.at(row).external_id = external_id;
}

void KernelTable::reserve(std::size_t rows) {
  launches_.reserve(rows);
  for (std::vector<double>& column : figures_) {
    if (!column.empty()) column.reserve(rows);
  }
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

std::size_t KernelTable::forget_zeros(KernelFigure figure) {
  std::vector<double>& values = figures_[static_cast<std::size_t>(figure)];
  std::size_t zeros = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] != 0.0 || at(KernelFigure::time_s, row) == 0.0) continue;
    values[row] = absent;
    ++zeros;
  }
  if (zeros > 0 && count(figure) == 0) values.clear();
  return zeros;
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
    if (const auto launches = other.summed(i)) set_summed(row, *launches);
  }
}

// The keys of ids_ point into names_: a copy needs its own.
NameTable::NameTable(const NameTable& other) {
  for (const std::string& name : other.names_) intern(name);
}

NameTable& NameTable::operator=(const NameTable& other) {
  if (this != &other) *this = NameTable(other);
  return *this;
}

NameTable::Id NameTable::intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const Id id = static_cast<Id>(names_.size());
  ids_.emplace(names_.emplace_back(name), id);
  return id;
}

}  // namespace rooflab::record
