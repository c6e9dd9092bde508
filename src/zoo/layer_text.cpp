#include "layer_text.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::zoo {
namespace {

/// Splits at commas outside parentheses, so that `(3,1)` stays one value.
std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trim(text).empty()) return parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
      continue;
    }
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
  }
  return parts;
}

}  // namespace

std::string LayerForm::to_string() const {
  std::vector<std::string> words;
  for (const LayerArgument& argument : arguments) {
    std::string word(argument.name);
    if (!argument.short_name.empty()) word += format(" ({})", argument.short_name);
    if (!argument.fallback.empty()) word += format("={}", argument.fallback);
    words.push_back(std::move(word));
  }
  return format("{}({})", name, join(words, ", "));
}

LayerArguments::LayerArguments(const LayerForm& form, std::string_view text) : form_(form) {
  std::size_t position = 0;
  bool named = false;
  for (const std::string_view part : split_arguments(text)) {
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      const std::string_view name = trim(part.substr(0, equals));
      const LayerArgument* const argument = find(name);
      if (argument == nullptr) {
        throw Error(ErrorKind::usage, format("{} has no argument '{}'", form_.name, name),
                    form_.to_string());
      }
      put(*argument, trim(part.substr(equals + 1)));
      named = true;
      continue;
    }
    // A bare word that names a switch turns it on: relu(inplace).
    if (const LayerArgument* const word = find(part);
        word != nullptr && (word->fallback == "false" || word->fallback == "true")) {
      put(*word, "true");
      named = true;
      continue;
    }
    if (named) {
      throw Error(ErrorKind::usage,
                  format("{}: '{}' has no name, but comes after one that has", form_.name, part),
                  form_.to_string());
    }
    if (position >= form_.arguments.size()) {
      throw Error(ErrorKind::usage,
                  format("{} takes {} arguments, '{}' is one too many", form_.name,
                         form_.arguments.size(), part),
                  form_.to_string());
    }
    put(form_.arguments[position++], part);
  }
  for (const LayerArgument& argument : form_.arguments) {
    if (argument.fallback.empty() && !values_.contains(argument.name)) {
      throw Error(ErrorKind::usage, format("{} needs {}", form_.name, argument.name),
                  form_.to_string());
    }
  }
}

const LayerArgument* LayerArguments::find(std::string_view name) const {
  const auto found = std::ranges::find_if(form_.arguments, [&](const LayerArgument& argument) {
    return argument.name == name || (!argument.short_name.empty() && argument.short_name == name);
  });
  return found == form_.arguments.end() ? nullptr : &*found;
}

void LayerArguments::put(const LayerArgument& argument, std::string_view value) {
  if (!values_.emplace(argument.name, value).second) {
    throw Error(ErrorKind::usage, format("{}: {} is given twice", form_.name, argument.name),
                form_.to_string());
  }
}

bool LayerArguments::given(std::string_view name) const { return values_.contains(name); }

std::string LayerArguments::text(std::string_view name) const {
  const auto value = values_.find(name);
  if (value != values_.end()) return value->second;
  return std::string(find(name)->fallback);
}

void LayerArguments::fail(std::string_view name, std::string_view wanted) const {
  throw Error(ErrorKind::usage,
              format("{}: {} takes {}, not '{}'", form_.name, name, wanted, text(name)),
              form_.to_string());
}

std::int64_t LayerArguments::integer(std::string_view name, std::int64_t least) const {
  const std::optional<std::int64_t> value = parse_integer(text(name));
  if (!value || *value < least) fail(name, format("a whole number of {} or more", least));
  return *value;
}

double LayerArguments::number(std::string_view name) const {
  const std::optional<double> value = parse_number(text(name));
  if (!value) fail(name, "a number");
  return *value;
}

bool LayerArguments::flag(std::string_view name) const {
  const std::string value = lowercase(text(name));
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  fail(name, "true or false");
}

std::vector<std::int64_t> LayerArguments::extents(std::string_view name, std::size_t rank,
                                                  std::int64_t least) const {
  std::string value = text(name);
  char separator = 'x';
  if (value.starts_with('(') && value.ends_with(')')) {
    value = value.substr(1, value.size() - 2);
    separator = ',';
  }
  std::vector<std::int64_t> result;
  for (const std::string& part : split(value, separator)) {
    const std::optional<std::int64_t> extent = parse_integer(trim(part));
    if (!extent || *extent < least) {
      fail(name, format("whole numbers of {} or more, {} or one for all", least, rank));
    }
    result.push_back(*extent);
  }
  if (result.size() == 1) result.assign(rank, result.front());
  if (result.size() != rank) fail(name, format("{} extents, or one for all", rank));
  return result;
}

}  // namespace rooflab::zoo
