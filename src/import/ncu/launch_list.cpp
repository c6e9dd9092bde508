#include "launch_list.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"

namespace rooflab::import::ncu {
namespace {

/// Digits, perhaps grouped by the user's locale.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  bool any = false;
  for (const char c : text) {
    if (c == ',' || c == '.' || c == ' ') continue;
    if (c < '0' || c > '9' || value > (std::numeric_limits<std::int64_t>::max() - 9) / 10) {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
    any = true;
  }
  if (!any) return std::nullopt;
  return value;
}

std::int32_t small_number(std::string_view text) {
  const std::optional<std::int64_t> value = whole_number(text);
  return value && *value <= std::numeric_limits<std::int32_t>::max()
             ? static_cast<std::int32_t>(*value)
             : 0;
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

record::Extent extent_from(std::string_view text) {
  record::Extent extent = {};
  text = trim(text);
  if (!text.starts_with('(') || !text.ends_with(')')) return {};
  text = text.substr(1, text.size() - 2);
  // `(1,024, 1, 1)` has its numbers grouped: then only a comma with a blank separates.
  const std::string_view separator = text.find(", ") == std::string_view::npos ? "," : ", ";
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t end = text.find(separator);
    const std::optional<std::int64_t> value = whole_number(text.substr(0, end));
    if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return {};
    if ((end == std::string_view::npos) != (i == 2)) return {};
    extent[i] = static_cast<std::uint32_t>(*value);
    if (i < 2) text.remove_prefix(end + separator.size());
  }
  return extent;
}

std::optional<LaunchKey> LaunchList::key_of(const IdentityFields& fields) {
  const std::optional<std::int64_t> id = whole_number(fields.id);
  if (!id) return std::nullopt;
  if (!last_process_ || fields.process_id != last_process_id_ ||
      fields.process_name != last_process_name_ || fields.host != last_host_) {
    if (!whole_number(fields.process_id)) return std::nullopt;
    last_process_id_ = fields.process_id;
    last_process_name_ = fields.process_name;
    last_host_ = fields.host;
    last_process_ = kernels_->processes.intern(
        format("{} ({} on {})", fields.process_name, fields.process_id, fields.host));
  }
  return LaunchKey{*last_process_, *id};
}

void LaunchList::begin(Page page) {
  if (page_ == page) return;
  other_page_.clear();
  if (page_) {
    for (std::size_t row = page_begin_; row < kernels_->size(); ++row) {
      const record::KernelLaunch launch = kernels_->launch(row);
      other_page_.emplace(LaunchKey{launch.process, launch.launch}, row);
    }
  }
  page_ = page;
  page_begin_ = kernels_->size();
}

std::optional<std::size_t> LaunchList::open(const LaunchKey& key, const IdentityFields& fields) {
  if (!has_letter(fields.kernel)) return std::nullopt;
  if (!other_page_.empty()) {
    const auto found = other_page_.find(key);
    if (found != other_page_.end() && kernels_->name(found->second) == fields.kernel) {
      const std::size_t row = found->second;
      other_page_.erase(found);
      return row;
    }
  }
  record::KernelLaunch launch;
  launch.name = kernels_->names.intern(fields.kernel);
  launch.process = key.process;
  launch.launch = key.id;
  launch.device = small_number(fields.device);
  launch.stream = small_number(fields.stream);
  launch.grid = extent_from(fields.grid);
  launch.block = extent_from(fields.block);
  note_device(fields, launch.device);
  return kernels_->add(launch);
}

void LaunchList::note_device(const IdentityFields& fields, std::int32_t device) {
  std::vector<std::int32_t>& devices = facts_->devices;
  if (devices.empty() || (devices.front() != device && devices.back() != device)) {
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
  }
  if (!facts_->capability && device == devices.front()) {
    facts_->capability = record::compute_capability_from(fields.capability);
  }
}

}  // namespace rooflab::import::ncu
