#include "raw_page.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "unit_table.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr int launches_with_evidence = 64;

}  // namespace

RawPage::RawPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
                 NumberReader& numbers)
    : kernels_(&kernels),
      launches_(&launches),
      facts_(&facts),
      numbers_(&numbers),
      taker_(numbers, facts) {}

void RawPage::begin(TableHeader header) {
  header_ = std::move(header);
  columns_.clear();
  rollups_.clear();
  rows_ = 0;
  wanted_ = {header_.id,     header_.process_id, header_.process_name, header_.host,
             header_.kernel, header_.stream,     header_.block,        header_.grid,
             header_.device, header_.capability};
  std::erase(wanted_, TableHeader::none);
  const std::vector<std::size_t> identity = wanted_;
  for (std::size_t i = 0; i < header_.columns.size(); ++i) {
    const std::string& name = header_.columns[i];
    if (std::ranges::find(identity, i) != identity.end()) continue;
    if (name.find("__") != std::string::npos && name.find('.') != std::string::npos) {
      rollups_.push_back(i);
    }
    if (const std::optional<MetricUse> use = use_of_metric(name)) {
      columns_.push_back({i, name, *use, {}, {}});
      wanted_.push_back(i);
    } else {
      facts_->pass_over(name);
    }
  }
  std::ranges::sort(wanted_);
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  splitter_ = FieldSplitter(wanted_);
  for (Column& column : columns_) {
    const auto found = std::ranges::lower_bound(wanted_, column.at);
    column.at = static_cast<std::size_t>(found - wanted_.begin());
    column.scale = unit_scale({}, column.use.counter.dimension, column.use.counter.form);
  }
  launches_->begin(Page::raw);
}

std::string_view RawPage::field(std::size_t column) const {
  if (column == TableHeader::none) return {};
  const auto found = std::ranges::lower_bound(wanted_, column);
  return splitter_.fields()[static_cast<std::size_t>(found - wanted_.begin())];
}

/// Extent in a table whose header lacks Block Size and Grid Size.
std::string RawPage::extent_of(Role x) const {
  const auto value = [&](int axis) -> std::string_view {
    const Role role = static_cast<Role>(static_cast<int>(x) + axis);
    for (const Column& column : columns_) {
      if (column.use.role == role) return splitter_.fields()[column.at];
    }
    return {};
  };
  return format("({}, {}, {})", value(0), value(1), value(2));
}

IdentityFields RawPage::identity() {
  IdentityFields fields;
  fields.id = field(header_.id);
  fields.process_id = field(header_.process_id);
  fields.process_name = field(header_.process_name);
  fields.host = field(header_.host);
  fields.kernel = field(header_.kernel);
  fields.stream = field(header_.stream);
  fields.block = field(header_.block);
  fields.grid = field(header_.grid);
  fields.device = field(header_.device);
  fields.capability = field(header_.capability);
  if (header_.block == TableHeader::none) fields.block = block_ = extent_of(Role::block_x);
  if (header_.grid == TableHeader::none) fields.grid = grid_ = extent_of(Role::grid_x);
  return fields;
}

void RawPage::set_units() {
  for (Column& column : columns_) {
    column.unit = splitter_.fields()[column.at];
    column.scale = unit_scale(column.unit, column.use.counter.dimension, column.use.counter.form);
  }
}

/// Averages and extremes of the first rows show the decimal sign, where the sums are whole.
void RawPage::look_for_evidence(std::string_view text) {
  if (rows_ >= launches_with_evidence) return;
  ++rows_;
  if (all_.split(text, true) != SplitStatus::complete) return;
  for (const std::size_t column : rollups_) {
    if (column < all_.fields().size()) numbers_->observe(all_.fields()[column]);
  }
}

void RawPage::row(std::string_view text, bool glued) {
  const std::size_t count = splitter_.field_count();
  if (count > header_.columns.size()) {
    facts_->lose("rows with more fields than the header");
    return;
  }
  const bool whole = count == header_.columns.size();
  if (glued && !whole) {
    facts_->lose("torn rows");
    return;
  }
  const IdentityFields fields = identity();
  if (fields.id.empty()) {
    if (fields.process_id.empty() && fields.kernel.empty()) set_units();
    return;
  }
  if (!whole) facts_->lose("rows that end early");
  const std::optional<LaunchKey> key = launches_->key_of(fields);
  const std::optional<std::size_t> row = key ? launches_->open(*key, fields) : std::nullopt;
  if (!row) {
    if (whole) facts_->lose("rows without process or kernel name");
    return;
  }
  look_for_evidence(text);
  for (const Column& column : columns_) {
    const Role role = column.use.role;
    if (role >= Role::grid_x && role <= Role::block_z) continue;
    taker_.take(column.use, column.scale, splitter_.fields()[column.at], column.name, column.unit,
                figures_);
  }
  figures_.store(*kernels_, *row, *facts_);
}

}  // namespace rooflab::import::ncu
