#include "details_page.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr int rows_with_evidence = 4096;

}  // namespace

DetailsPage::DetailsPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
                         NumberReader& numbers)
    : kernels_(&kernels),
      launches_(&launches),
      facts_(&facts),
      numbers_(&numbers),
      taker_(numbers, facts) {}

void DetailsPage::begin(TableHeader header) {
  header_ = std::move(header);
  const auto section = std::ranges::find(header_.columns, "Section Name");
  section_ = section == header_.columns.end()
                 ? TableHeader::none
                 : static_cast<std::size_t>(section - header_.columns.begin());
  wanted_ = {header_.id,           header_.process_id,
             header_.process_name, header_.host,
             header_.kernel,       header_.stream,
             header_.block,        header_.grid,
             header_.device,       header_.capability,
             header_.metric_name,  header_.metric_unit,
             header_.metric_value, section_};
  std::erase(wanted_, TableHeader::none);
  std::ranges::sort(wanted_);
  splitter_ = FieldSplitter(wanted_);
  rows_ = 0;
  launches_->begin(Page::details);
}

std::string_view DetailsPage::field(std::size_t column) const {
  if (column == TableHeader::none) return {};
  const auto found = std::ranges::lower_bound(wanted_, column);
  return splitter_.fields()[static_cast<std::size_t>(found - wanted_.begin())];
}

DetailsPage::Open* DetailsPage::launch_of(const IdentityFields& fields, std::string_view metric,
                                          std::string_view unit) {
  const std::optional<LaunchKey> key = launches_->key_of(fields);
  if (!key) return nullptr;
  const auto known = open_.find(key->process);
  if (known != open_.end() && known->second.id == key->id) {
    const std::string_view first = known->second.first_metric;
    const bool same =
        first.starts_with(metric) && first == format("{}|{}|{}", metric, unit, field(section_));
    if (!same) return &known->second;
  }
  const std::optional<std::size_t> row = launches_->open(*key, fields);
  if (!row) return nullptr;
  Open& open = open_[key->process];
  if (known != open_.end()) open.figures.store(*kernels_, open.row, *facts_);
  open.id = key->id;
  open.row = *row;
  open.first_metric = format("{}|{}|{}", metric, unit, field(section_));
  return &open;
}

void DetailsPage::row(bool glued) {
  const std::size_t count = splitter_.field_count();
  if (count > header_.columns.size()) {
    facts_->lose("rows with more fields than the header");
    return;
  }
  if (field(header_.id).empty()) return;
  if (count <= header_.metric_value) {
    facts_->lose(glued ? "torn rows" : "rows that end early");
    return;
  }
  const std::string_view metric = field(header_.metric_name);
  if (metric.empty()) return;  // a rule
  const std::string_view unit = field(header_.metric_unit);
  const std::string_view value = field(header_.metric_value);
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
  Open* open = launch_of(fields, metric, unit);
  if (open == nullptr) {
    facts_->lose("rows without process or kernel name");
    return;
  }
  if (rows_ < rows_with_evidence) {
    ++rows_;
    numbers_->observe(value);
  }
  taker_.take_named(metric, unit, value, open->figures);
}

void DetailsPage::finish() {
  for (auto& [process, open] : open_) open.figures.store(*kernels_, open.row, *facts_);
  open_.clear();
}

}  // namespace rooflab::import::ncu
