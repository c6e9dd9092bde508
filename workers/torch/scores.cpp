#include "scores.hpp"

#include <c10/core/GradMode.h>

namespace rooflab::torch_worker {
namespace {

at::TensorOptions on(const at::Device& device, at::ScalarType type) {
  return at::TensorOptions().device(device).dtype(type);
}

}  // namespace

ScoreSums::ScoreSums(std::int64_t classes, const at::Device& device, bool confusion)
    : classes_(classes),
      loss_(at::zeros({}, on(device, at::kDouble))),
      correct_(at::zeros({}, on(device, at::kLong))) {
  if (confusion) confusion_ = at::zeros({classes * classes}, on(device, at::kLong));
}

void ScoreSums::add(const at::Tensor& scores, const at::Tensor& labels, std::int64_t count) {
  const c10::NoGradGuard no_grad;
  add(scores, labels, count,
      at::cross_entropy_loss(scores.narrow(0, 0, count).to(at::kFloat),
                             labels.narrow(0, 0, count)));
}

void ScoreSums::add(const at::Tensor& scores, const at::Tensor& labels, std::int64_t count,
                    const at::Tensor& mean_loss) {
  const c10::NoGradGuard no_grad;
  const at::Tensor truth = labels.narrow(0, 0, count);
  const at::Tensor guess = scores.narrow(0, 0, count).narrow(1, 0, classes_).argmax(1);
  loss_.add_(mean_loss.to(at::kDouble), static_cast<double>(count));
  correct_.add_(guess.eq(truth).sum());
  if (confusion_.defined()) {
    confusion_.add_(at::bincount(truth * classes_ + guess, {}, classes_ * classes_));
  }
  images_ += count;
}

void ScoreSums::restore(double loss, std::int64_t correct, std::int64_t images) {
  loss_.fill_(loss);
  correct_.fill_(correct);
  images_ = images;
}

double ScoreSums::loss() const { return loss_.item<double>(); }
std::int64_t ScoreSums::correct() const { return correct_.item<std::int64_t>(); }

std::vector<std::vector<std::int64_t>> ScoreSums::confusion() const {
  const at::Tensor table = confusion_.cpu();
  const auto* count = table.data_ptr<std::int64_t>();
  std::vector<std::vector<std::int64_t>> result;
  for (std::int64_t row = 0; row < classes_; ++row, count += classes_) {
    result.emplace_back(count, count + classes_);
  }
  return result;
}

double ScoreSums::mean_loss() const {
  return images_ == 0 ? 0.0 : loss() / static_cast<double>(images_);
}

double ScoreSums::accuracy() const {
  return images_ == 0 ? 0.0 : static_cast<double>(correct()) / static_cast<double>(images_);
}

}  // namespace rooflab::torch_worker
