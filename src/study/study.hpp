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

/// Studies: a TOML file with cases, expectations and published figures, which are planned, run,
/// resumed, judged and shown. docs/formats/study.md describes the format.
namespace rooflab::study {

/// Kind of a case, with the subcommand that runs it.
enum class Mode {
  summary,
  predict,
  measure,
  counters,  ///< `measure --counters`
  profile,   ///< a user's program under `profile`
  scale,
  train,
  evaluate,
  probe,
  fit,
  partition,
  import,  ///< a log recorded elsewhere
};
constexpr auto names_in_order(For<Mode>) {
  return names_through<Mode::import>("summary", "predict", "measure", "counters", "profile",
                                     "scale", "train", "evaluate", "probe", "fit", "partition",
                                     "import");
}

/// Names and values that distinguish cases: `model` is `resnet18`, `batch` is `256`.
using Attributes = std::map<std::string, std::string>;

/// Value of an attribute; empty: none.
[[nodiscard]] inline std::string_view value_in(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? std::string_view() : found->second;
}

/// A value with its place in the study's file.
struct PlacedValue {
  std::string value;
  Location place;
};

/// A factor of a product of cases: a key of the file with its values, which are `true` and `false`
/// for a flag without values.
struct Factor {
  std::string key;  ///< `model`, `device`, `batch`, `phase`, `precision`, or a flag without dashes
  std::vector<PlacedValue> values;
};

/// Whether a factor becomes a flag with its name; `model`, `file`, `device` and `gpus` do not.
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
  std::vector<GroupOption> options;    ///< equal for all cases of the group
  std::vector<std::string> arguments;  ///< words to append to the command line
  std::string of;                      ///< `evaluate`: group whose trained models it evaluates
  Location place;
};

/// One `[[hypotheses]]`.
struct Hypothesis {
  std::string name;  ///< name; default: `h1`
  std::string text;  ///< the hypothesis in words
  std::string check;
  Location check_place;  ///< begin of the check
};

/// One `[[published]]`: printed figures of the cases that `where` names.
struct PublishedRow {
  std::string source;  ///< author and publication
  Attributes where;
  std::map<std::string, double> values;  ///< one per quantity, in its unit
  /// Figures that the publisher divided by: `peak_flops` in FLOP/s, `bandwidth` in B/s.
  std::map<std::string, double> used;
  std::string remark;
  Location place;
};

/// One `[[tables]]`: a row per case, or with `beside` a row per group of cases that differ only in
/// that attribute, whose values become columns; or a row per layer of the cases.
struct TableWish {
  enum class Rows { cases, layers };
  std::string title;
  Attributes where;                ///< only cases with these
  std::vector<ShownValue> values;  ///< one or more columns each
  std::string beside;              ///< attribute: `mode`, `device`; empty: none
  Rows rows = Rows::cases;
};
constexpr auto names_in_order(For<TableWish::Rows>) {
  return names_through<TableWish::Rows::layers>("cases", "layers");
}

/// One `[[charts]]`. Rooflines of ops and layers need no entry: every page has those of its cases.
struct ChartWish {
  enum class Kind {
    bars,
    lines,
    roofline,  ///< a point per case and published row, a chart per device
  };
  Kind kind = Kind::bars;
  std::string title;
  Attributes where;
  std::optional<ShownValue> y;  ///< a roofline has none
  std::string x;                ///< lines: an attribute with numbers, or a quantity
  std::string series;           ///< lines and bars: attribute that distinguishes them
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

/// Values for the names of `[variables]`, which replace `${NAME}` in the texts of a file.
using Variables = std::map<std::string, std::string>;

/// Reads a study. Throws Error (input) with line and column for wrong TOML, unknown keys and names
/// (the hint has the nearest one), a value that a key does not take, and a check that cannot be
/// parsed. Model and device names are checked by plan_study(). `file` is used in locations; files
/// in the study are relative to its folder. `given` replaces values of the file's variables; an
/// unknown name is an Error (usage).
[[nodiscard]] Study read_study(std::string_view text, const std::filesystem::path& file,
                               const Variables& given = {});

/// A study for beginners: small, complete, with a comment for each part.
[[nodiscard]] std::string_view starter();

}  // namespace rooflab::study
