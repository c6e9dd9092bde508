#include "rooflab/describe/parameter.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "parameter_list.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab {
namespace {

/// Words of other tools for values of ours.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> value_synonyms = {
    {{"eval", "inference"},
     {"evaluation", "inference"},
     {"float", "fp32"},
     {"float32", "fp32"},
     {"half", "fp16"},
     {"float16", "fp16"},
     {"bfloat16", "bf16"},
     {"double", "fp64"},
     {"float64", "fp64"},
     {"mixed", "amp"},
     {"momentum", "sgd-momentum"}}};

std::string_view noun_of(Completion completion) {
  switch (completion) {
    case Completion::model:
      return "model";
    case Completion::device:
    case Completion::run_device:
      return "device";
    case Completion::link:
      return "link";
    case Completion::rewrite:
      return "rewrite";
    case Completion::command:
      return "command";
    case Completion::file:
      return "file";
    case Completion::folder:
      return "folder";
    case Completion::none:
      break;
  }
  return "value";
}

const void* place_of(const Parameter& parameter, const void* request) {
  void* place = const_cast<void*>(request);  // NOLINT: only read from
  for (const MemberOf step : parameter.path) place = step(place);
  return place;
}

[[noreturn]] void throw_unknown_name(std::string_view word, const std::vector<std::string>& names,
                                     const Parameter& parameter) {
  const std::string all = format("one of {}", join(names, ", "));
  std::string hint = near_hint(word, names, all, all);
  for (const auto& [theirs, ours] : value_synonyms) {
    if (lowercase(word) == theirs && std::ranges::find(names, ours) != names.end()) {
      hint = format("did you mean '{}'? ({})", ours, all);
    }
  }
  const std::string what =
      parameter.positional ? parameter.study_key() : format("{} value", parameter.flag());
  throw Error(ErrorKind::usage, format("unknown {} '{}'", what, word), std::move(hint));
}

Json json_of(const std::string& word, ValueForm::Nature nature) {
  if (nature != ValueForm::Nature::number) return word;
  if (const std::optional<std::int64_t> whole = parse_integer(word)) return *whole;
  return parse_number(word).value_or(0.0);
}

std::string word_of(const Json& json) { return json.is_string() ? json.text() : json.dump(); }

}  // namespace

std::string Parameter::study_key() const {
  std::string name = key;
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string Parameter::flag() const { return positional ? value : "--" + study_key(); }

void Parameter::read(void* request, std::span<const std::string> given) const {
  if (given.empty() && !is_switch()) {
    throw Error(ErrorKind::usage, format("{} needs a value", flag()), example_hint());
  }
  void* place = request;
  for (const MemberOf step : path) place = step(place);
  form->read(place, given, *this);
}

std::vector<std::string> Parameter::write(const void* request) const {
  return form->write(place_of(*this, request));
}

std::vector<std::string> Parameter::offered() const {
  return words.empty() ? form->names() : words;
}

void Parameter::refuse(std::string_view what, std::string_view given) const {
  throw Error(ErrorKind::usage, format("{} takes {}, not '{}'", flag(), what, given),
              example_hint());
}

std::string Parameter::example_hint() const {
  if (example.empty()) return {};
  return positional ? format("for example {}", example)
                    : format("for example {} {}", flag(), example);
}

Parameters::Parameters(std::initializer_list<Parameters> parts) {
  for (const Parameters& each : parts) insert(end(), each.begin(), each.end());
}

const Parameter* Parameters::find(std::string_view key) const {
  const auto found = std::ranges::find(*this, key, &Parameter::key);
  return found == end() ? nullptr : &*found;
}

const Parameter& Parameters::at_member(MemberOf member) const {
  const auto found = std::ranges::find_if(
      *this, [member](const Parameter& each) { return each.path.back() == member; });
  ROOFLAB_ASSERT(found != end());
  return *found;
}

void Parameters::read(void* request, const GivenWords& given, const std::string& more) const {
  for (const Parameter& each : *this) {
    const auto words = given.find(each.key);
    if (words != given.end()) {
      each.read(request, words->second);
    } else if (each.required) {
      throw Error(ErrorKind::usage, format("{} is missing", each.flag()),
                  each.example.empty() ? more : each.example_hint());
    }
  }
  check_parts(given, request);
}

std::vector<std::string> Parameters::differing_words(const void* request, const void* usual) const {
  std::vector<std::string> positionals;
  std::vector<std::string> flags;
  for (const Parameter& each : *this) {
    const std::vector<std::string> words = each.write(request);
    if (each.positional) {
      positionals.insert(positionals.end(), words.begin(), words.end());
      continue;
    }
    if (words == each.write(usual) || words.empty()) continue;
    if (each.is_switch()) {
      flags.push_back(each.flag());
    } else if (each.is_list() && !each.whole_words) {
      flags.insert(flags.end(), {each.flag(), join(words, ",")});
    } else {
      for (const std::string& word : words) flags.insert(flags.end(), {each.flag(), word});
    }
  }
  // A command with its own flags is behind ours.
  if (std::ranges::any_of(positionals, [](const auto& word) { return word.starts_with('-'); })) {
    flags.emplace_back("--");
    positionals.swap(flags);
  }
  positionals.insert(positionals.end(), flags.begin(), flags.end());
  return positionals;
}

Json Parameters::to_json(const void* request) const {
  Json json = Json::object();
  for (const Parameter& each : *this) {
    const std::vector<std::string> words = each.write(request);
    if (each.is_switch()) {
      json[each.key] = !words.empty();
    } else if (each.is_list()) {
      Json list = Json::array();
      for (const std::string& word : words) list.push_back(json_of(word, each.form->nature));
      json[each.key] = std::move(list);
    } else if (!words.empty()) {
      json[each.key] = json_of(words.front(), each.form->nature);
    }
  }
  return json;
}

GivenWords Parameters::words_of(const Json& json, const std::string& source) const {
  GivenWords given;
  for (const auto& [key, value] : json.items()) {
    const Parameter* const known = find(key);
    if (known == nullptr) {
      std::vector<std::string> keys;
      for (const Parameter& each : *this) keys.push_back(each.key);
      throw Error(ErrorKind::input, format("a request has no '{}'", key),
                  near_hint(key, keys, join(keys, ", ")),
                  {.file = source, .line = {}, .column = {}, .byte_offset = {}});
    }
    if (value.is_null() || (value.is_boolean() && !value.get<bool>())) continue;
    std::vector<std::string>& words = given[known->key];
    if (value.is_boolean()) continue;
    if (!value.is_array()) {
      words.push_back(word_of(value));
      continue;
    }
    for (const Json& each : value) words.push_back(word_of(each));
    if (words.empty()) given.erase(known->key);
  }
  return given;
}

Parameters aside(std::initializer_list<Parameters> parts) {
  Parameters all(parts);
  for (Parameter& each : all) each.changes_step = false;
  return all;
}

std::string ValueText<std::string>::read(std::string_view word, const Parameter& parameter) {
  const std::vector<std::string>& names = parameter.words;
  const bool closed = parameter.completes == Completion::none && !names.empty();
  if (closed && std::ranges::find(names, word) == names.end()) {
    throw_unknown_name(word, names, parameter);
  }
  return std::string(word);
}

std::int64_t ValueText<std::int64_t>::read(std::string_view word, const Parameter& parameter) {
  const std::int64_t least = static_cast<std::int64_t>(parameter.least.value_or(1.0));
  const std::string_view digits = trim(word);
  const std::optional<std::int64_t> number = parse_integer(digits);
  const bool within = number && *number >= least &&
                      (!parameter.most || static_cast<double>(*number) <= *parameter.most);
  if (within) return *number;
  if (!number && !digits.empty() &&
      digits.find_first_not_of("0123456789") == std::string_view::npos) {
    throw Error(ErrorKind::usage,
                format("{}: '{}' exceeds the 64-bit range", parameter.flag(), word),
                parameter.example_hint());
  }
  parameter.refuse(parameter.most
                       ? format("a whole number from {} to {:.0f}", least, *parameter.most)
                       : format("a whole number of {} or more", least),
                   word);
}

std::string ValueText<std::int64_t>::write(std::int64_t value) { return std::to_string(value); }

int ValueText<int>::read(std::string_view word, const Parameter& parameter) {
  const std::int64_t number = ValueText<std::int64_t>::read(word, parameter);
  if (number > std::numeric_limits<int>::max()) {
    throw Error(ErrorKind::usage,
                format("{}: '{}' exceeds the 32-bit range", parameter.flag(), word),
                parameter.example_hint());
  }
  return static_cast<int>(number);
}

double ValueText<double>::read(std::string_view word, const Parameter& parameter) {
  constexpr double beyond_any = 1e9;
  const std::optional<double> number = parse_number(trim(word));
  if (!parameter.least) {
    if (number && *number > 0.0 && *number < parameter.most.value_or(beyond_any)) return *number;
    parameter.refuse("a number above 0", word);
  }
  const double most = parameter.most.value_or(beyond_any);
  if (number && *number >= *parameter.least && *number <= most) return *number;
  parameter.refuse(parameter.most ? format("a number from {:g} to {:g}", *parameter.least, most)
                                  : format("a number of {:g} or more", *parameter.least),
                   word);
}

std::string ValueText<double>::write(double value) { return format("{}", value); }

std::size_t index_of_name(std::string_view word, std::span<const std::string_view> names,
                          const Parameter& parameter) {
  const std::vector<std::string> offered = parameter.offered();
  const std::string_view wanted = trim(word);
  std::string_view found;
  int beginning = 0;
  for (const std::string& name : offered) {
    const bool exact = name == wanted;
    if (!exact && (wanted.empty() || !name.starts_with(wanted))) continue;
    found = name;
    beginning = exact ? 1 : beginning + 1;
    if (exact) break;
  }
  if (beginning != 1) throw_unknown_name(wanted, offered, parameter);
  return static_cast<std::size_t>(std::ranges::find(names, found) - names.begin());
}

std::vector<std::string> list_items(std::span<const std::string> words,
                                    const Parameter& parameter) {
  if (parameter.whole_words) return {words.begin(), words.end()};
  std::vector<std::string> items;
  const bool names_things = parameter.completes != Completion::none;
  for (const std::string& word : words) {
    for (const std::string& part : split(word, ',')) {
      items.emplace_back(trim(part));
      if (!items.back().empty() || !names_things) continue;
      const std::string place = trim(word).starts_with(',') ? "before" : "after";
      throw Error(
          ErrorKind::usage,
          word.find(',') == std::string::npos
              ? format("{} '{}' names no {}", parameter.flag(), word, noun_of(parameter.completes))
              : format("{} '{}': an empty name {} the comma", parameter.flag(), word, place),
          parameter.example_hint());
    }
  }
  if (parameter.single && items.size() > 1) {
    throw Error(ErrorKind::usage,
                format("{} takes one value here, not {}", parameter.flag(), join(items, ",")),
                parameter.example_hint());
  }
  return items;
}

namespace parameter_member {

void Form<bool>::read(bool& value, std::span<const std::string> words, const Parameter& parameter) {
  if (!words.empty() && words.back() != "true" && words.back() != "false") {
    throw Error(ErrorKind::usage, format("{} takes no value", parameter.flag()));
  }
  value = words.empty() || words.back() == "true";
}

std::vector<std::string> Form<bool>::write(bool value) {
  return value ? std::vector<std::string>{"true"} : std::vector<std::string>();
}

}  // namespace parameter_member
}  // namespace rooflab
