#include "own_counts.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::study {
namespace {

// The same as a check of counters against a network has (analyze/work_check.hpp): algorithms and
// conventions make that much.
constexpr double agreement = 0.10;
// Rules of counting by pen differ in biases, pooling and normalisation: in 1 % of a convolutional
// network's work. Twice that.
constexpr double pen_tolerance = 0.02;
// A counter also sees what the library adds: padding, transformations, index arithmetic.
constexpr double counter_tolerance = 0.05;

struct Candidate {
  CountWindow window;
  int departures = 0;
};

/// Simplest first: by how much of what is stated would have to be otherwise.
std::vector<Candidate> candidates_of(const CaseKey& key, const OwnCounts& own,
                                     std::string_view quantity) {
  std::vector<double> sizes;
  if (key.batch) {
    sizes.push_back(*key.batch);
  } else {
    for (const auto& [batch, cases] : own.batches()) sizes.push_back(batch);
  }
  if (!std::ranges::count(sizes, 1.0)) sizes.push_back(1.0);
  const bool named_forward = quantity == "forward_flops" || quantity == "macs";
  std::vector<Candidate> candidates;
  for (const bool is_other_unit : {false, true}) {
    for (const bool training : {key.is_training(), !key.is_training()}) {
      for (const double images : sizes) {
        Candidate candidate{{training, images, (quantity == "macs") != is_other_unit}, 0};
        if (is_other_unit) ++candidate.departures;
        if (named_forward ? training : key.phase && training != key.is_training()) {
          ++candidate.departures;
        }
        if (key.batch && images != *key.batch) ++candidate.departures;
        candidates.push_back(candidate);
      }
    }
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::departures);
  return candidates;
}

/// A step counted as three forward passes, where ours has no data gradient of the first layer.
bool has_first_data_gradient(double value, const PublishedCase& published, const OwnCounts& own) {
  if (!published.key.is_training() || !published.key.batch || !own.forward_matrix()) return false;
  const auto step = own.range({true, *published.key.batch, false});
  if (!step) return false;
  const double three = 3.0 * *own.forward_matrix() * *published.key.batch;
  return near(value, three, exact_tolerance) && !near(value, step->low, exact_tolerance) &&
         !near(value, step->high, exact_tolerance);
}

}  // namespace

std::string CountWindow::text() const {
  return format("one {} of {}{}", training ? "training step" : "forward pass", images_text(images),
                macs ? ", in MACs" : "");
}

bool CountRange::holds(double value, double tolerance) const {
  return value >= low * (1.0 - tolerance) && value <= high * (1.0 + tolerance);
}

double CountRange::ratio(double value) const {
  if (value < low) return value / low;
  return value > high ? value / high : 1.0;
}

OwnCounts::OwnCounts(const ComparedRows& context, const CaseKey& row) {
  for (const OwnCase* own : own_cases_of(context, row)) {
    // How many replicas there are is the publisher's affair: ours are of one.
    if (own->key.gpus == 1.0) add(*own);
  }
}

void OwnCounts::add(const OwnCase& own) {
  if (!parameters_) parameters_ = own.figure("parameters");
  if (!own.key.batch || *own.key.batch <= 0.0) return;
  const double batch = *own.key.batch;
  ++batches_[batch];
  if (const auto macs = own.figure("macs")) forward_matrix_ = 2.0 * *macs / batch;
  const auto flops = own.figure("flops");
  const auto matrix = own.figure("matrix_flops");
  if (!flops || !matrix || !own.key.phase) return;
  const double vector = *flops - *matrix;
  if (own.key.is_training()) {
    training_matrix_ = *matrix / batch;
    double& known = training_vector_[batch];
    known = std::max(known, vector);
  } else {
    forward_matrix_ = *matrix / batch;
    forward_vector_ = std::max(forward_vector_.value_or(0.0), vector / batch);
  }
}

std::optional<CountRange> OwnCounts::range(const CountWindow& window) const {
  const std::optional<double>& matrix = window.training ? training_matrix_ : forward_matrix_;
  if (!matrix) return std::nullopt;
  double vector = 0.0;
  if (!window.training) {
    vector = forward_vector_.value_or(0.0) * window.images;
  } else if (const auto same = training_vector_.find(window.images);
             same != training_vector_.end()) {
    vector = same->second;
  } else {
    const auto& [batch, most] = *training_vector_.rbegin();
    vector = most / batch * window.images;
  }
  CountRange range{*matrix * window.images, *matrix * window.images + vector};
  if (window.macs) {
    range.low /= 2.0;
    range.high /= 2.0;
  }
  return range;
}

std::optional<double> OwnCounts::backward_matrix(double images) const {
  if (!training_matrix_ || !forward_matrix_) return std::nullopt;
  return (*training_matrix_ - *forward_matrix_) * images;
}

double tolerance_of(std::string_view quantity) {
  return quantity == "counted_flops" ? counter_tolerance : pen_tolerance;
}

std::vector<CountReading> readings_of_counts(const PublishedCase& published, const OwnCounts& own) {
  std::vector<CountReading> readings;
  for (const std::string_view quantity :
       {"macs", "flops", "estimated_flops", "forward_flops", "counted_flops"}) {
    const auto value = published.value(quantity);
    if (!value) continue;
    CountReading reading{.quantity = std::string(quantity), .value = *value};
    const bool is_stated = published.key.batch && (published.key.phase || quantity == "macs" ||
                                                   quantity == "forward_flops");
    bool is_first = true;
    for (const Candidate& candidate : candidates_of(published.key, own, quantity)) {
      const auto range = own.range(candidate.window);
      if (!range) continue;
      if (is_first) {
        reading.nearest = candidate.window;
        reading.ratio = range->ratio(*value);
      }
      const bool is_own_case = is_stated && candidate.departures == 0;
      const double tolerance = is_own_case ? agreement : tolerance_of(quantity);
      is_first = false;
      if (!range->holds(*value, tolerance)) continue;
      if (quantity == "counted_flops" && candidate.window.macs) {
        reading.as_macs = candidate.window;
        break;
      }
      reading.window = candidate.window;
      reading.departures = candidate.departures;
      reading.agrees = is_own_case;
      break;
    }
    if (is_first) continue;  // our cases cannot tell
    reading.is_first_layer = reading.agrees && quantity != "counted_flops" &&
                             has_first_data_gradient(*value, published, own);
    readings.push_back(reading);
  }
  return readings;
}

}  // namespace rooflab::study
