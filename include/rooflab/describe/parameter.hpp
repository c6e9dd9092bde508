#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"

/// The members of a request, described once. Parsing and its errors, `-h`, the manual, completions,
/// the keys of a study, JSON and the command line that repeats a request all use these
/// descriptions. A request declares its table in its header and defines it in one source:
///
///     struct TrainRequest {
///       std::int64_t epochs = 30;
///     };
///     const Parameters& parameters_of(For<TrainRequest>);
///
///     const Parameters& parameters_of(For<TrainRequest>) {  // with
///     rooflab/describe/parameter_list.hpp
///       static const Parameters all = {
///           parameter<&TrainRequest::epochs>("N", "at most", {.example = "30"})};
///       return all;
///     }
namespace rooflab {

class Json;
struct Parameter;

/// Kind of name in the words of a value, for completion by shells.
enum class Completion { none, model, device, run_device, link, rewrite, command, file, folder };

/// Reads and writes values of one C++ type as words of a command line; made by parameter_list.hpp.
struct ValueForm {
  enum class Nature { flag, number, text };
  Nature nature = Nature::text;
  bool is_list = false;
  /// Sets a value from words. Throws Error (usage) that names the flag, with the parameter's
  /// example as hint.
  void (*read)(void* value, std::span<const std::string> words, const Parameter& parameter) = {};
  std::vector<std::string> (*write)(const void* value) = {};  ///< empty: not set
  std::vector<std::string> (*names)() = {};  ///< words of an enumeration, else empty
};

/// Another parameter of the table that must be given for a parameter to have an effect.
struct Need {
  std::string key = {};
  std::vector<std::string> words = {};  ///< with one of these values; empty: with any
};

/// Description of one member.
struct ParameterText {
  std::string key = {};    ///< `data_workers`: flag `--data-workers`; by default the member's name
  std::string value = {};  ///< `N`, `D,...`; empty: a switch
  std::string help = {};   ///< one line, without the default and the known words
  std::string default_text = {};  ///< for a default that depends on other things: `the data's`
  std::string example = {};       ///< for hints: `32`
  char letter = 0;                ///< `o` of -o
  bool positional = false;        ///< shown as `value`: MODEL...
  bool required = false;
  std::vector<Need> needs = {};  ///< one of these must be given, too
  /// Keys of the parameters of its request that may be given together with this one; nullopt: all.
  std::optional<std::vector<std::string>> beside = {};
  bool writes = false;               ///< names a file or folder that the command writes
  bool single = false;               ///< a list takes one value only
  bool whole_words = false;          ///< a comma does not part the values of a list
  bool takes_words = false;          ///< all words that follow a flag with a list are values
  std::optional<double> least = {};  ///< smallest number; without it 1 and more, or above 0
  std::optional<double> most = {};
  Completion completes = Completion::none;
  std::vector<std::string> suggestions = {};  ///< among other values
  std::vector<std::string> words = {};        ///< the only values of a text, or of an enumeration
  bool changes_step = true;  ///< changes the work of a step, so that a prediction must know it
  bool predictable = false;  ///< `predict` takes it into account
};

using MemberOf = void* (*)(void* object);

/// A member of a request: its description, where it is, and how it is read and written.
struct Parameter : ParameterText {
  const ValueForm* form = nullptr;
  std::vector<MemberOf> path = {};  ///< from the request through its parts to the member

  [[nodiscard]] std::string flag() const;       ///< `--data-workers`; for a positional its value
  [[nodiscard]] std::string study_key() const;  ///< `data-workers`
  [[nodiscard]] bool is_switch() const { return form->nature == ValueForm::Nature::flag; }
  [[nodiscard]] bool is_list() const { return form->is_list; }

  void read(void* request, std::span<const std::string> given) const;
  [[nodiscard]] std::vector<std::string> write(const void* request) const;
  /// The known words of its values: `words`, or the names of an enumeration; else empty.
  [[nodiscard]] std::vector<std::string> offered() const;
  /// Throws Error (usage): FLAG `takes WHAT, not 'GIVEN'`, with the example.
  [[noreturn]] void refuse(std::string_view what, std::string_view given) const;
  [[nodiscard]] std::string example_hint() const;  ///< `for example --batch 32`
};

/// Words of a command line (or of a study, or of JSON) by the keys of their parameters.
using GivenWords = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The table of a request: its own members and those of its parts.
class Parameters : public std::vector<Parameter> {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<Parameters> parts);

  [[nodiscard]] const Parameter* find(std::string_view key) const;
  [[nodiscard]] const Parameter& at_member(MemberOf member) const;
  /// Returns a copy of the table with the description of one member altered by `change`.
  template <auto member, class Change>
  [[nodiscard]] Parameters with(Change change) const;
  /// Returns a copy of the table without one member.
  template <auto member>
  [[nodiscard]] Parameters without() const;

  /// Sets the members that have words in `given`. Throws Error (usage) for a wrong value, for a
  /// missing required one (hint: `more`), and where check_parts() does.
  void read(void* request, const GivenWords& given, const std::string& more = {}) const;
  /// Throws Error (usage) for a flag without an effect on `request`: it needs another flag, or
  /// excludes one that was given.
  void check_parts(const GivenWords& given, const void* request) const;
  /// Words for the members that differ from those of `usual`: positionals, then flags.
  [[nodiscard]] std::vector<std::string> differing_words(const void* request,
                                                         const void* usual) const;
  /// An object with every member that is set.
  [[nodiscard]] Json to_json(const void* request) const;
  /// Words of an object that to_json() made. Throws Error (input) for an unknown key.
  [[nodiscard]] GivenWords words_of(const Json& json, const std::string& source) const;
};

namespace parameter_member {

template <class Class, class Member>
Class class_of(Member Class::*);

/// Finds a member in its object. The address of this function also identifies the member.
template <auto member>
void* place_in(void* object) {
  using Class = decltype(class_of(member));
  return &(static_cast<Class*>(object)->*member);
}

}  // namespace parameter_member

template <auto member>
[[nodiscard]] const Parameter& parameter_of() {
  using Class = decltype(parameter_member::class_of(member));
  return parameters_of(For<Class>{}).at_member(parameter_member::place_in<member>);
}

/// The flag of a member, as messages name it: `flag_of<&TrainRequest::epochs>()` is `--epochs`.
template <auto member>
[[nodiscard]] std::string flag_of() {
  return parameter_of<member>().flag();
}

/// The command line that repeats a request: the words after `rooflab COMMAND`.
template <class Request>
[[nodiscard]] std::vector<std::string> words_of(const Request& request) {
  const Request usual;
  return parameters_of(For<Request>{}).differing_words(&request, &usual);
}

template <auto member, class Change>
Parameters Parameters::with(Change change) const {
  Parameters changed = *this;
  for (Parameter& each : changed) {
    if (each.path.back() == parameter_member::place_in<member>) change(each);
  }
  return changed;
}

template <auto member>
Parameters Parameters::without() const {
  Parameters rest = *this;
  std::erase_if(rest, [](const Parameter& each) {
    return each.path.back() == parameter_member::place_in<member>;
  });
  return rest;
}

}  // namespace rooflab
