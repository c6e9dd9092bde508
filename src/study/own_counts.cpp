#include "own_counts.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"

namespace rooflab::study {

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

OwnCounts::OwnCounts(const FindingContext& context, const CaseKey& row) {
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

}  // namespace rooflab::study
