#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/toml.hpp"
#include "rooflab/base/enum_names.hpp"
#include "shown_value.hpp"
#include "study_text.hpp"

/// Studies: a TOML file that names cases, what is expected of them and what others published; they
/// are planned, run, resumed, judged and shown. docs/formats/study.md is the format.
namespace rooflab::study {

/// What is done with a case, and the subcommand that does it.
enum class Mode {
  summary,
  predict,
  measure,
  counters,  ///< `measure --counters`
  profile,   ///< a program of the user's under `profile`
  scale,
  train,
  evaluate,
  probe,
  fit,
  partition,
  import,  ///< a log that somebody else recorded
};
constexpr auto names_in_order(For<Mode>) {
  return names_through<Mode::import>("summary", "predict", "measure", "counters", "profile",
                                     "scale", "train", "evaluate", "probe", "fit", "partition",
                                     "import");
}

/// Name and value of what tells cases apart: `model` is `resnet18`, `batch` is `256`.
using Attributes = std::map<std::string, std::string>;

/// The value of an attribute; empty: there is none.
[[nodiscard]] inline std::string_view value_in(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? std::string_view() : found->second;
}

/// A value with its place in the study's file.
struct PlacedValue {
  std::string value;
  Location place;
};

/// A factor of a product of cases: a key of the file with the values that it takes. Of a flag
/// without values these are `true` and `false`.
struct Factor {
  std::string key;  ///< `model`, `device`, `batch`, `phase`, `precision`, or a flag without dashes
  std::vector<PlacedValue> values;
};

/// Whether a factor becomes a flag of its own name; `model`, `file`, `device` and `gpus` do not.
[[nodiscard]] bool becomes_flag(std::string_view factor_key);

/// An entry of `options`: a flag without dashes. An empty value is a flag without one.
struct GroupOption {
  std::string key;
  std::string value;
  Location place;
};

/// One `[[cases]]`: the product of its modes and factors, in the order of the file.
struct CaseGroup {
  std::string name;
  std::vector<Mode> modes;
  std::vector<Factor> factors;
  std::vector<GroupOption> options;    ///< the same for all cases of the group
  std::vector<std::string> arguments;  ///< words at the end of the command line, as they are
  std::string of;                      ///< `evaluate`: the group whose trained models it evaluates
  Location place;
};

/// One `[[hypotheses]]`.
struct Hypothesis {
  std::string name;  ///< `h1` where none is given
  std::string text;  ///< in words
  std::string check;
  Location check_place;  ///< where the check begins
};

/// One `[[published]]`: figures that somebody printed, of the cases that `where` names.
struct PublishedRow {
  std::string source;  ///< who and where
  Attributes where;
  std::map<std::string, double> values;  ///< one for each quantity, in its unit
  /// What the publisher divided by: `peak_flops` in FLOP/s, `bandwidth` in B/s.
  std::map<std::string, double> used;
  std::string remark;
  Location place;
};

/// One `[[tables]]`: a row per case, or with `beside` a row for all cases that are alike but for
/// that attribute, whose values become columns; or a row for every layer of the cases.
struct TableWish {
  enum class Rows { cases, layers };
  std::string title;
  Attributes where;                ///< only cases with these
  std::vector<ShownValue> values;  ///< one or more columns each
  std::string beside;              ///< an attribute: `mode`, `device`; empty: none
  Rows rows = Rows::cases;
};
constexpr auto names_in_order(For<TableWish::Rows>) {
  return names_through<TableWish::Rows::layers>("cases", "layers");
}

/// One `[[charts]]`. Rooflines of ops and layers need none: every page has those of its cases.
struct ChartWish {
  enum class Kind {
    bars,
    lines,
    roofline,  ///< a point for each case and published row, a chart for each device
  };
  Kind kind = Kind::bars;
  std::string title;
  Attributes where;
  std::optional<ShownValue> y;  ///< a roofline has none
  std::string x;                ///< lines: an attribute with numbers, or a quantity
  std::string series;           ///< lines and bars: the attribute that tells them apart
  bool log_x = false;
  bool log_y = false;
};
constexpr auto names_in_order(For<ChartWish::Kind>) {
  return names_through<ChartWish::Kind::roofline>("bars", "lines", "roofline");
}

struct Study {
  std::filesystem::path file;
  std::string title;
  std::string question;
  std::string about;
  std::vector<CaseGroup> groups;
  std::vector<Hypothesis> hypotheses;
  std::vector<PublishedRow> published;
  std::vector<TableWish> tables;
  std::vector<ChartWish> charts;
  std::vector<StudyText> texts;  ///< in the order of the page
};

/// Values for the names of `[variables]`, which stand as `${NAME}` in the texts of a file.
using Variables = std::map<std::string, std::string>;

/// Throws Error (input) with line and column: wrong TOML, unknown keys and names (the nearest is
/// in the hint), a value that a key does not take, a check that cannot be read. Model and device
/// names are checked by plan_study(). `file` is used in locations; files that the study names are
/// relative to its folder. `given` replaces the file's own values of its variables; an unknown name
/// among them is an Error (usage).
[[nodiscard]] Study read_study(std::string_view text, const std::filesystem::path& file,
                               const Variables& given = {});

/// A study to begin with: small, complete, with a comment for each part.
[[nodiscard]] std::string_view starter();

}  // namespace rooflab::study
