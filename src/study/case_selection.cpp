#include "case_selection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "case_request.hpp"
#include "rooflab/task/measure.hpp"
#include "rooflab/task/scale.hpp"

namespace rooflab::study {
namespace {

constexpr std::array<std::string_view, 7> known = {"model",     "device", "batch", "phase",
                                                   "precision", "gpus",   "mode"};
/// What tells nothing that the known ones do not, and how was measured.
bool is_silent(std::string_view key) {
  constexpr std::array<std::string_view, 4> silent = {"group", "machine", "named", "source"};
  return std::ranges::find(silent, key) != silent.end() || is_of_measuring(key);
}

template <class List>
bool contains(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

std::string stem_of(std::string_view file) { return std::filesystem::path(file).stem().string(); }

/// The name of a built-in network, the stem of a file.
std::string network_of(std::string_view model) { return bare_name(model_of_file(model)); }

/// `256` and `256.0` are one number.
bool same_value(std::string_view key, std::string_view a, std::string_view b) {
  if (lowercase(a) == lowercase(b)) return true;
  if (a.empty() || b.empty()) return false;
  if (key == "model") return network_of(a) == network_of(b);
  const std::optional<double> number = parse_number(a);
  return number && number == parse_number(b);
}

bool is_one_forward_pass(std::string_view a, std::string_view b) {
  constexpr std::array<std::string_view, 2> passes = {"inference", "forward"};
  return contains(passes, lowercase(a)) && contains(passes, lowercase(b));
}

bool same_device(const StudyCase& study_case, const Attributes& where, std::string_view wanted) {
  const std::string_view named = value_in(where, "named");
  const std::string_view own = study_case.attribute("named");
  return same_value("device", study_case.attribute("device"), wanted) ||
         same_value("device", own, wanted) || (!named.empty() && same_value("device", own, named));
}

bool is_recording(const StudyCase& study_case) {
  const std::string_view mode = study_case.attribute("mode");
  return mode == "import" || mode == "profile";
}

/// Whether the stem of the case's file is that network.
bool is_file_of(const StudyCase& study_case, std::string_view model) {
  const std::string_view file = study_case.attribute("file");
  return !file.empty() && bare_name(stem_of(file)) == network_of(model);
}

/// Whether a published row means the very case, by its group or the name of what was recorded.
bool is_meant(const StudyCase& study_case, const Attributes& where) {
  if (where.contains("group")) return true;  // which is compared
  const std::string_view model = value_in(where, "model");
  return !model.empty() && is_recording(study_case) && is_file_of(study_case, model);
}

/// What a case is that does not say it.
bool may_be(const StudyCase& study_case, const std::string& key, std::string_view wanted) {
  if (key == "model") return is_file_of(study_case, wanted);
  if (key == "device") return study_case.attribute("mode") == "summary";
  if (key == "precision") return !is_recording(study_case) && lowercase(wanted) == "fp32";
  return key == "gpus" && same_value(key, wanted, "1");
}

/// How a value is shown to people.
std::string text_of(std::string_view key, std::string_view value) {
  if (key == "batch") return format("batch {}", value);
  if (key == "optimizer" && value == "none") return "no optimizer";
  if (key == "gpus") return format("{} GPU{}", value, value == "1" ? "" : "s");
  return std::string(value);
}

/// Attributes in which the cases differ, those that everybody knows first, then others by name.
std::vector<std::string> differing_attributes(std::span<const StudyCase* const> cases) {
  std::set<std::string> keys;
  for (const StudyCase* each : cases) {
    for (const auto& [key, value] : each->attributes) keys.insert(key);
  }
  const auto differs = [cases](std::string_view key) {
    return std::ranges::any_of(cases, [&](const StudyCase* each) {
      return each->attribute(key) != cases.front()->attribute(key);
    });
  };
  std::vector<std::string> differing;
  for (const std::string_view key : known) {
    if (differs(key)) differing.emplace_back(key);
  }
  std::ranges::copy_if(keys, std::back_inserter(differing), [&](const std::string& key) {
    return !contains(known, key) && !is_silent(key) && differs(key);
  });
  return differing;
}

}  // namespace

bool is_of_measuring(std::string_view key) {
  using task::MeasureRequest;
  using task::TimingChoice;
  static const std::array<std::string, 7> flags = {
      parameter_of<&TimingChoice::iterations>().study_key(),
      parameter_of<&TimingChoice::min_time>().study_key(),
      parameter_of<&TimingChoice::max_time>().study_key(),
      parameter_of<&MeasureRequest::no_layers>().study_key(),
      parameter_of<&MeasureRequest::timeout>().study_key(),
      parameter_of<&MeasureRequest::data_workers>().study_key(),
      parameter_of<&task::ScaleRequest::steps_only>().study_key(),
  };
  return std::ranges::find(flags, key) != flags.end();
}

bool has_all(const StudyCase& study_case, const Attributes& where) {
  return std::ranges::all_of(where, [&](const auto& wanted) {
    const std::string& key = wanted.first;
    const std::string& value = wanted.second;
    if (key == "named") return true;
    const auto has = [&](std::string_view one) {
      if (one == "none") one = {};
      return same_value(key, study_case.attribute(key), one) ||
             (key == "device" && same_value(key, study_case.attribute("named"), one));
    };
    return has(value) || std::ranges::any_of(split(value, ','), has);
  });
}

bool agrees(const StudyCase& study_case, const Attributes& where, SamePass pass) {
  const bool meant = is_meant(study_case, where);
  return std::ranges::all_of(where, [&](const auto& wanted) {
    const auto& [key, value] = wanted;
    const std::string_view own = study_case.attribute(key);
    if (key == "named") return true;
    if (own.empty()) return meant || may_be(study_case, key, value);
    if (key == "device") return same_device(study_case, where, value);
    if (key == "phase" && pass == SamePass::arithmetic && is_one_forward_pass(own, value)) {
      return true;
    }
    return same_value(key, own, value);
  });
}

std::vector<std::string> telling_attributes(std::span<const StudyCase* const> cases) {
  std::vector<std::string> keys = differing_attributes(cases);
  for (const std::string key : {"machine", "source", "group"}) {
    std::map<std::vector<std::string_view>, std::string_view> values;
    const bool tells = std::ranges::any_of(cases, [&](const StudyCase* each) {
      std::vector<std::string_view> others;
      for (const std::string& other : keys) others.push_back(each->attribute(other));
      const auto [alike, is_new] = values.emplace(std::move(others), each->attribute(key));
      return !is_new && alike->second != each->attribute(key);
    });
    if (tells) keys.push_back(key);
  }
  return keys;
}

std::string label_of(const StudyCase& study_case, std::span<const std::string> attributes) {
  std::vector<std::string> parts;
  for (const std::string& key : attributes) {
    const std::string_view value = study_case.attribute(key);
    // A GPU tells its machine.
    if (key == "machine" && study_case.attribute("device") != "cpu") continue;
    if (!value.empty()) parts.push_back(text_of(key, value));
  }
  return join(parts, ", ");
}

std::string title_of(const StudyCase& study_case) {
  std::vector<std::string> keys(known.begin(), known.end());
  std::erase(keys, "mode");
  const std::string label = label_of(study_case, keys);
  return label.empty() ? study_case.id : label;
}

std::string bare_name(std::string_view text) {
  std::string letters;
  for (const char c : lowercase(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) letters += c;
  }
  return letters;
}

}  // namespace rooflab::study
