// Names are compared as lists of words: lower case, split at everything that is neither letter nor
// digit, leading makers dropped. A query fits a key when its letters are those of the key's first
// words, however either is separated, so `rtx3090`, `RTX 3090` and `rtx-3090` are one, `a100` fits
// `a100-pcie-40gb`, and `l4` does not fit `l40s`.

#include "rooflab/device/catalog.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "notes/device_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::device {

std::span<const EmbeddedFile> built_in_device_files();  // written by cmake/embed.cmake

namespace {

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::array<std::string_view, 5> makers = {"nvidia", "amd", "tesla", "geforce",
                                                      "instinct"};
  std::vector<std::string> words(1);
  for (const char c : lowercase(text)) {
    const bool part_of_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (part_of_word) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  const auto first = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(makers.begin(), makers.end(), word) == makers.end();
  });
  words.erase(words.begin(), first);
  return words;
}

/// Ordered: a closer fit wins over all looser ones.
enum class Fit { none, prefix, name, id };

Fit fit_of(std::string_view query, std::string_view key, Fit when_whole) {
  std::string letters;
  bool prefix = false;
  for (const std::string& word : words_of(key)) {
    letters += word;
    prefix = prefix || letters == query;
  }
  if (letters == query) return when_whole;
  return prefix ? Fit::prefix : Fit::none;
}

Fit fit_of(std::string_view query, const DeviceNames& names) {
  Fit best = fit_of(query, names.id, Fit::id);
  best = std::max(best, fit_of(query, names.name, Fit::name));
  for (const std::string& alias : names.aliases) {
    best = std::max(best, fit_of(query, alias, Fit::name));
  }
  return best;
}

/// `a100*sxm*`: the parts between the stars in their order, first and last at the ends.
bool has_form(std::string_view text, std::string_view pattern) {
  std::vector<std::string> parts = split(pattern, '*');
  const std::string last = parts.back();
  parts.pop_back();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t at = text.find(parts[i]);
    if (at == std::string_view::npos || (i == 0 && at != 0)) return false;
    text.remove_prefix(at + parts[i].size());
  }
  return text.ends_with(last);
}

Error unknown_device(std::string_view name, std::span<const std::string> known) {
  const std::string wanted = join(words_of(name), "-");
  return Error(
      ErrorKind::usage, format("unknown device '{}'", name),
      near_hint(wanted, known, "see the known devices with: rooflab devices", "rooflab devices"));
}

std::string file_of(const EmbeddedFile& file) { return format("built-in {}", file.name); }

Location place_of(const std::filesystem::path& path) {
  return {.file = path.string(), .line = {}, .column = {}, .byte_offset = {}};
}

std::vector<std::filesystem::path> device_files_of(const std::filesystem::path& folder) {
  std::error_code status;
  std::vector<std::filesystem::path> paths;
  namespace fs = std::filesystem;
  for (fs::directory_iterator entry(folder, status), end; !status && entry != end;
       entry.increment(status)) {
    std::error_code ignored;
    const fs::file_status kind = entry->status(ignored);
    // A link to nowhere is an error when it is read. Pipes and devices do not hold device files.
    const bool is_file = fs::is_regular_file(kind) || !fs::exists(kind);
    if (is_file && entry->path().extension() == ".toml") paths.push_back(entry->path());
  }
  if (status) {
    throw Error(ErrorKind::input, format("cannot read the folder: {}", status.message()),
                "name a folder of device files", place_of(folder));
  }
  if (paths.empty()) {
    throw Error(ErrorKind::input, "no device files (*.toml) in this folder",
                "name a folder of device files", place_of(folder));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Device Catalog::Entry::device() const {
  if (const auto* device = std::get_if<Device>(&content)) return *device;
  const auto& file = std::get<EmbeddedFile>(content);
  return read_device(file.text, file_of(file));
}

Catalog::Entry Catalog::entry_of(Device device) {
  DeviceNames names{
      .id = device.id, .name = device.name, .aliases = device.aliases, .common = device.common};
  return Entry{.names = std::move(names), .content = std::move(device)};
}

Catalog::Catalog(std::vector<Device> devices) {
  for (Device& device : devices) {
    const auto [entry, is_new] = entries_.try_emplace(device.id);
    if (!is_new) {
      throw Error(ErrorKind::input, format("two devices have the id '{}'", device.id));
    }
    entry->second = entry_of(std::move(device));
  }
}

Catalog Catalog::built_in() {
  Catalog catalog;
  for (const EmbeddedFile& file : built_in_device_files()) {
    DeviceNames names = read_device_names(file.text, file_of(file));
    const std::string id = names.id;
    catalog.entries_.insert_or_assign(id, Entry{.names = std::move(names), .content = file});
  }
  return catalog;
}

void Catalog::add_folder(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::path> file_of_id;
  std::map<std::string, Entry> merged = entries_;
  for (const std::filesystem::path& path : device_files_of(folder)) {
    Device device = read_device(read_file(path), path.string());
    const auto [first, is_new] = file_of_id.emplace(device.id, path);
    if (!is_new) {
      throw Error(ErrorKind::input, format("a second device with the id '{}'", device.id),
                  format("the first is in {}", first->second.string()), place_of(path));
    }
    merged.insert_or_assign(first->first, entry_of(std::move(device)));
  }
  entries_ = std::move(merged);
}

void Catalog::add(Device device) {
  const std::string id = device.id;
  entries_.insert_or_assign(id, entry_of(std::move(device)));
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const auto& [id, entry] : entries_) {
    names.push_back(id);
    names.insert(names.end(), entry.names.aliases.begin(), entry.names.aliases.end());
  }
  return names;
}

std::vector<std::string> Catalog::fitting(std::string_view name) const {
  // Comparing words with every name there is takes as long as reading the device.
  if (entries_.contains(std::string(name))) return {std::string(name)};
  const std::string query = join(words_of(name), "");
  Fit best = Fit::prefix;
  std::vector<std::string> candidates;
  for (const auto& [id, entry] : entries_) {
    const Fit fit = query.empty() ? Fit::none : fit_of(query, entry.names);
    if (fit > best) {
      best = fit;
      candidates.clear();
    }
    if (fit == best) candidates.push_back(id);
  }
  if (!candidates.empty()) return candidates;
  // A name that fits several devices would be refused, too: those that it fits are named.
  const auto near = nearest(join(words_of(name), "-"), names());
  const std::vector<std::string> meant = near ? fitting(*near) : std::vector<std::string>();
  const bool has_common = std::ranges::any_of(
      meant, [this](const std::string& id) { return !entries_.at(id).names.common.empty(); });
  if (meant.size() < 2 || has_common) throw unknown_device(name, names());
  throw Error(ErrorKind::usage, format("unknown device '{}'", name),
              format("did you mean one of {}? (rooflab devices)", join(meant, ", ")));
}

std::vector<std::string> Catalog::like(std::string_view pattern) const {
  std::vector<std::string> found;
  for (const auto& [id, entry] : entries_) {
    if (has_form(id, lowercase(pattern))) found.push_back(id);
  }
  if (found.empty()) throw unknown_device(pattern, names());
  return found;
}

Device Catalog::find(std::string_view name) const {
  const std::vector<std::string> candidates = fitting(name);
  if (candidates.size() > 1) {
    throw Error(ErrorKind::usage, format("'{}' fits several devices", name),
                format("say which: {}", join(candidates, ", ")));
  }
  return entries_.at(candidates.front()).device();
}

std::vector<ChosenDevice> Catalog::choose(std::span<const std::string> names) const {
  std::vector<ChosenDevice> chosen;
  std::vector<std::string> unclear;
  std::vector<std::string> choices;
  const auto take = [&](const std::string& id, std::optional<Note> note = std::nullopt) {
    const auto known =
        std::ranges::find(chosen, id, [](const ChosenDevice& each) { return each.device.id; });
    if (known == chosen.end()) chosen.push_back({entries_.at(id).device(), std::move(note)});
  };
  for (const std::string& name : names) {
    if (name == "all") {
      for (const std::string& id : ids()) take(id);
      continue;
    }
    if (name.find('*') != std::string::npos) {
      for (const std::string& id : like(name)) take(id);
      continue;
    }
    std::vector<std::string> candidates = fitting(name);
    if (candidates.size() == 1) {
      take(candidates.front());
      continue;
    }
    std::vector<std::string> common;
    for (const std::string& id : candidates) {
      if (!entries_.at(id).names.common.empty()) common.push_back(id);
    }
    if (common.size() != 1) {
      unclear.push_back(format("'{}'", name));
      choices.push_back(format("{}: {}", name, join(candidates, ", ")));
      continue;
    }
    std::erase(candidates, common.front());
    take(common.front(), Note{says.device_taken, {name, common.front(), candidates}});
  }
  if (unclear.size() == 1) {
    throw Error(ErrorKind::usage, format("{} fits several devices", unclear.front()),
                format("say which: {}", choices.front().substr(choices.front().find(": ") + 2)));
  }
  if (!unclear.empty()) {
    throw Error(ErrorKind::usage, format("{} each fit several devices", join(unclear, ", ")),
                format("say which of each: {}", join(choices, "; ")));
  }
  return chosen;
}

std::vector<Device> Catalog::devices() const {
  std::vector<Device> devices;
  for (const auto& [id, entry] : entries_) devices.push_back(entry.device());
  return devices;
}

std::vector<std::string> Catalog::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries_) ids.push_back(id);
  return ids;
}

}  // namespace rooflab::device
