// By what rule a published count was made.
//
// Every count of a row is held against our counts of the same network: forward pass and training
// step, of one image and of the batch, in FLOPs and in MACs. Such a window is a range from its
// matrix work to all its work, because tools differ in what else they count. A count is
//
//   right        within 10 % of the range of the case that the row states: nothing is said
//   explained    within 2 % (hardware counters 5 %) of another window; the one that contradicts the
//                least of what the row states is taken. MACs called FLOPs are half, a forward pass
//                for a training step about a third, one image for a batch one part of it
//   a multiple   n = 2 to 64 times a window of one image, within the same 2 or 5 % and off the
//                whole number by 0.05 at most, in all rows of the source alike, two networks or
//                more: n steps or images come from the study and not from a network, and among
//                ratios at random one in ten comes that near to some whole number
//   unexplained  none of these, and the ratio is told
//
// A hardware count is never explained by a window in MACs, since counters count FLOPs: half of our
// FLOPs are as likely what a fast convolution (Winograd, FFT) leaves, and both readings are told.
//
// Where a row states too little to have its own case (no batch, no phase), its counts are held
// against each other: an estimate of one window and a count of another cannot be compared.
// A count that lacks tensor cores' work (tensor_work_explanation.cpp) is left to that explanation.
//
// By pen only: a training step that is three forward passes within 0.5 %, where ours is not: the
// first layer has no data gradient, since nothing needs it. `backward_flops` are held against the
// matrix work of our step without the forward pass. Parameters that are a whole multiple of ours
// were counted once for each replica.
//
// When it is wrong: a hardware count below the direct algorithm's may be whole, since fast
// convolutions multiply less; down to a quarter of the case that is stated the evidence says so,
// also where another window fits. Windows can coincide: the MACs of two images are the FLOPs of
// one.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/format.hpp"
#include "explanation_rules.hpp"
#include "own_counts.hpp"

namespace rooflab::study {
namespace {

constexpr double most_multiple = 64.0;
constexpr double most_off_whole = 0.05;
constexpr double backward_agreement = 0.10;
constexpr double parameter_tolerance = 0.001;
constexpr double least_fast_convolution = 0.25;

/// A row with its readings.
struct ReadRow {
  const PublishedCase* published = nullptr;
  OwnCounts own;
  std::vector<CountReading> readings;
};

/// The whole number that all unexplained counts of a quantity in a source are times a window of one
/// image.
struct Multiple {
  CountWindow window;
  double times = 1.0;
};

/// Whether a multiple may explain it: MACs of a batch are also the FLOPs of half as many images.
bool is_open(const CountReading& reading) { return !reading.window && !reading.as_macs; }

std::optional<double> whole_multiple(const CountReading& reading, const OwnCounts& own,
                                     const CountWindow& window) {
  const auto range = own.range(window);
  if (!range) return std::nullopt;
  const double times = std::round(reading.value / ((range->low + range->high) / 2.0));
  if (times < 2.0 || times > most_multiple) return std::nullopt;
  const CountRange scaled{range->low * times, range->high * times};
  const double off = std::abs(scaled.ratio(reading.value) - 1.0);
  if (off > tolerance_of(reading.quantity) || off * times > most_off_whole) return std::nullopt;
  return times;
}

/// An unexplained count.
using OpenCount = std::pair<const ReadRow*, CountReading*>;

std::optional<Multiple> common_multiple(const std::vector<OpenCount>& counts) {
  for (const bool training : {true, false}) {
    const CountWindow window{training, 1.0, false};
    std::set<double> multiples;
    std::set<std::string> networks;
    bool all = true;
    for (const auto& [row, reading] : counts) {
      const auto times = whole_multiple(*reading, row->own, window);
      all = all && times;
      if (times) multiples.insert(*times);
      networks.insert(row->published->key.model);
    }
    if (all && multiples.size() == 1 && networks.size() > 1) {
      return Multiple{window, *multiples.begin()};
    }
  }
  return std::nullopt;
}

void find_multiples(std::vector<ReadRow>& rows) {
  std::map<std::pair<std::string, std::string>, std::vector<OpenCount>> open;
  for (ReadRow& row : rows) {
    for (CountReading& reading : row.readings) {
      if (!is_open(reading)) continue;
      open[{row.published->row->source, reading.quantity}].emplace_back(&row, &reading);
    }
  }
  for (const auto& [source_and_quantity, counts] : open) {
    const auto multiple = common_multiple(counts);
    if (!multiple) continue;
    for (const auto& [row, reading] : counts) {
      reading->window = multiple->window;
      reading->multiple = multiple->times;
      reading->departures = row->published->key.batch ? 1 : 0;
    }
  }
}

std::string window_text(const CountReading& reading) {
  if (reading.multiple == 1.0) return reading.window->text();
  return format("{:.0f} times {}", reading.multiple, reading.window->text());
}

bool is_fast_convolution(const CountReading& reading) {
  return reading.quantity == "counted_flops" && reading.ratio < 1.0 &&
         reading.ratio >= least_fast_convolution;
}

std::string clause_of(const CountReading& reading) {
  if (reading.is_first_layer) {
    return format("{} counts a data gradient for the first layer, which nothing needs",
                  reading.quantity);
  }
  if (reading.window) return format("{} is {}", reading.quantity, window_text(reading));
  if (reading.as_macs && is_fast_convolution(reading)) {
    return format(
        "{} is {:.3g} times our count of {}: fast convolutions (Winograd, FFT) may have done it, "
        "or multiply-accumulates were counted as one",
        reading.quantity, reading.ratio, reading.nearest.text());
  }
  return format("{} is {:.3g} times our count of {}, which no rule that was tried gives",
                reading.quantity, reading.ratio, reading.nearest.text());
}

std::string evidence_of(const CountReading& reading, const OwnCounts& own) {
  const CountWindow& window = reading.window ? *reading.window : reading.nearest;
  const std::string_view unit = window.macs ? "MAC" : "FLOP";
  const CountRange range = own.range(window).value_or(CountRange{});
  const double ratio =
      CountRange{range.low * reading.multiple, range.high * reading.multiple}.ratio(reading.value);
  std::string text = format("{} = {}; our count of {}: {}", reading.quantity,
                            si(reading.value, unit), window.text(), si(range.low, unit));
  if (!window.macs) text += format(" of matrix work, {} in all", si(range.high, unit));
  if (std::abs(ratio - 1.0) >= 0.0005 || reading.multiple != 1.0)
    text += format("; ratio {:.3f}", ratio * reading.multiple);
  return text;
}

/// Whether two counts of a row are of different windows, so that they cannot be compared.
bool windows_differ(const std::vector<CountReading>& readings) {
  std::set<std::pair<bool, double>> windows;
  bool is_unknown = false;
  for (const CountReading& reading : readings) {
    // These are of the forward pass by their names.
    if (reading.quantity == "macs" || reading.quantity == "forward_flops") continue;
    if (reading.window) {
      windows.emplace(reading.window->training, reading.window->images * reading.multiple);
    } else if (is_fast_convolution(reading)) {
      windows.emplace(reading.nearest.training, reading.nearest.images);
    } else {
      is_unknown = true;
    }
  }
  return windows.size() > 1 || (is_unknown && !windows.empty());
}

bool is_wrong(const CountReading& reading) {
  return !reading.window || reading.departures > 0 || reading.is_first_layer;
}

std::optional<Explanation> counts_explanation(const ReadRow& row) {
  const bool differ = windows_differ(row.readings);
  const bool any = std::ranges::any_of(row.readings, is_wrong);
  if (!any && !differ) return std::nullopt;
  Explanation explanation{.kind = Explanation::Kind::counting_rule, .subject = row.published->name};
  std::vector<std::string> clauses;
  for (const CountReading& reading : row.readings) {
    if (!is_wrong(reading) && !differ) continue;
    clauses.push_back(clause_of(reading));
    if (is_wrong(reading) && (reading.window || reading.is_first_layer)) {
      add_figures(explanation, *row.published, {reading.quantity});
    }
    explanation.evidence.push_back(evidence_of(reading, row.own));
    if (reading.is_first_layer) {
      const double batch = row.published->key.batch.value_or(1.0);
      add_evidence(explanation,
                   "three forward passes are {}, ours has {} less: the first layer's data gradient",
                   si(3.0 * row.own.forward_matrix().value_or(0.0) * batch, "FLOP"),
                   si(reading.value - row.own.range({true, batch, false})->low, "FLOP"));
    }
    if (is_wrong(reading) && is_fast_convolution(reading)) {
      explanation.evidence.emplace_back(
          "a hardware count may be that low where convolutions multiply less than the direct "
          "algorithm (Winograd, FFT); these figures cannot tell");
    }
    if (reading.as_macs) {
      add_evidence(explanation, "it is near {}; but counters count FLOPs", reading.as_macs->text());
    }
  }
  explanation.sentence = join(clauses, "; ");
  if (differ)
    explanation.sentence += ": these windows differ, so that the counts cannot be compared";
  return explanation;
}

std::optional<Explanation> backward_explanation(const ReadRow& row) {
  const auto value = row.published->value("backward_flops");
  const auto& batch = row.published->key.batch;
  if (!value || !batch) return std::nullopt;
  const auto ours = row.own.backward_matrix(*batch);
  if (!ours) return std::nullopt;
  const double forward = row.own.forward_matrix().value_or(0.0) * *batch;
  const bool has_first =
      near(*value, 2.0 * forward, exact_tolerance) && !near(*value, *ours, exact_tolerance);
  if (!has_first && near(*value, *ours, backward_agreement)) return std::nullopt;
  const bool is_forward = near(*value, forward, exact_tolerance);
  std::string sentence = format(
      "backward_flops is {:.3g} times the matrix work of our backward pass, which no rule that was "
      "tried gives",
      *value / *ours);
  if (has_first) {
    sentence = "backward_flops counts a data gradient for the first layer, which nothing needs";
  } else if (is_forward) {
    sentence = "backward_flops is the forward pass: one gradient a layer instead of two";
  }
  Explanation explanation{
      Explanation::Kind::counting_rule,
      row.published->name,
      std::move(sentence),
      {format("backward_flops = {}; ours: {} of matrix work, {:.3g} times the forward pass of {}",
              si(*value, "FLOP"), si(*ours, "FLOP"), *ours / forward, si(forward, "FLOP"))}};
  if (has_first || is_forward) add_figures(explanation, *row.published, {"backward_flops"});
  return explanation;
}

std::optional<Explanation> parameters_explanation(const ReadRow& row) {
  const auto value = row.published->value("parameters");
  const auto ours = row.own.parameters();
  if (!value || !ours) return std::nullopt;
  const double times = std::round(*value / *ours);
  if (times < 2.0 || !near(*value, times * *ours, parameter_tolerance)) return std::nullopt;
  const bool is_replica = row.published->key.gpus == times;
  Explanation explanation{Explanation::Kind::counting_rule,
                          row.published->name,
                          format("parameters are {:.0f} times those of the network{}", times,
                                 is_replica ? ": counted once for each GPU's copy" : ""),
                          {format("{} = {:.0f} times {}", with_thousands(std::llround(*value)),
                                  times, with_thousands(std::llround(*ours)))}};
  add_figures(explanation, *row.published, {"parameters"});
  return explanation;
}

}  // namespace

void add_counting_rules(const ComparedRows& context, std::vector<Explanation>& found) {
  std::vector<ReadRow> rows;
  for (const PublishedCase& published : context.published) {
    ReadRow row{&published, OwnCounts(context, published.key), {}};
    row.readings = readings_of_counts(published, row.own);
    if (tensor_gap_of(context, published)) {
      std::erase_if(row.readings, [](const CountReading& reading) {
        return reading.quantity == "counted_flops";
      });
    }
    rows.push_back(std::move(row));
  }
  find_multiples(rows);
  for (const ReadRow& row : rows) {
    add(found, counts_explanation(row));
    add(found, backward_explanation(row));
    add(found, parameters_explanation(row));
  }
}

}  // namespace rooflab::study
