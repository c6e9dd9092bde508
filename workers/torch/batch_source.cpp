// CIFAR-10 is trained as everybody does (He et al., "Deep Residual Learning", 2016, section 4.2):
// a crop of the image with borders of 4 pixels, an eighth of its side, and a flip; means and
// deviations are those of its training images. All else is trained as ImageNet is: the usual crop
// keeps seven eighths of the short side (256 for 224).

#include "batch_source.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/format.hpp"
#include "data/dataset.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::torch_worker {

const graph::Shape& image_shape(const graph::Graph& graph) {
  const graph::Shape& shape = graph.type(graph.inputs.front()).shape;
  if (shape.rank() != 4 || shape[1] != 3) {
    throw Unsupported{format("images for an input of shape {}", shape.to_string())};
  }
  return shape;
}

void check_classes(const graph::Graph& graph, const data::Dataset& dataset,
                   const std::string& specification) {
  const graph::Shape& scores = graph.type(graph.outputs.front()).shape;
  const auto classes = static_cast<std::int64_t>(dataset.classes().size());
  if (scores.rank() > 0 && classes <= scores.from_end(1)) return;
  throw Error(ErrorKind::input, format("{} has {} classes, more than the network tells apart",
                                       specification, classes));
}

data::ImageTransform transform_for(const std::string& specification, std::int64_t height,
                                   std::int64_t width, bool random) {
  data::ImageTransform transform;
  transform.height = height;
  transform.width = width;
  transform.random_flip = random;
  const std::int64_t side = std::max(height, width);
  if (!specification.starts_with("cifar10:")) {
    transform.resize = side * 8 / 7;
    transform.random_crop = random;
    return transform;
  }
  transform.resize = side;
  transform.crop_padding = random ? side / 8 : 0;
  transform.mean = {0.4914F, 0.4822F, 0.4465F};
  transform.deviation = {0.2470F, 0.2435F, 0.2616F};
  return transform;
}

std::unique_ptr<BatchSource> BatchSource::open(const engine::Case& request) {
  const std::string& specification = request.identity.data;
  if (specification == "dummy") return nullptr;
  const graph::Shape& shape = image_shape(request.graph);
  const bool trains = request.identity.phase == Phase::training;
  std::shared_ptr<const data::Dataset> dataset =
      data::open_dataset(specification, data::Split::train);
  if (trains) check_classes(request.graph, *dataset, specification);
  data::LoaderOptions options;
  options.batch = shape[0];
  options.workers = request.settings.data_workers;
  options.seed = request.settings.seed;
  options.transform = transform_for(specification, shape[2], shape[3], trains);
  return std::make_unique<BatchSource>(std::move(dataset), options);
}

BatchSource::BatchSource(std::shared_ptr<const data::Dataset> dataset,
                         const data::LoaderOptions& options, bool pinned)
    : loader_(std::make_unique<data::BatchLoader>(std::move(dataset), options)),
      shape_{options.batch, 3, options.transform.height, options.transform.width},
      pinned_(pinned) {}

BatchSource::Batch BatchSource::next() {
  std::optional<Batch> batch = next_of_epoch();
  if (!batch) batch = next_of_epoch();
  if (!batch) throw Error(ErrorKind::input, "the data holds no batch");
  return *batch;
}

std::optional<BatchSource::Batch> BatchSource::next_of_epoch() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  current_ = loader_->next();
  waited_s_ += std::chrono::duration<double>(Clock::now() - start).count();
  if (!current_) return std::nullopt;
  const std::int64_t count = current_->count;
  if (count < shape_[0]) {
    const auto images = static_cast<std::size_t>(shape_[0]);
    current_->images.resize(current_->images.size() / static_cast<std::size_t>(count) * images);
    current_->labels.resize(images);
  }
  if (!pinned_) {
    return Batch{at::from_blob(current_->images.data(), extents(shape_), at::kFloat),
                 at::from_blob(current_->labels.data(), {shape_[0]}, at::kLong), count};
  }
  // The framework keeps such memory until copies out of it are done.
  Batch batch{at::empty(extents(shape_), at::TensorOptions(at::kFloat).pinned_memory(true)),
              at::empty({shape_[0]}, at::TensorOptions(at::kLong).pinned_memory(true)), count};
  std::memcpy(batch.images.data_ptr(), current_->images.data(),
              current_->images.size() * sizeof(float));
  std::memcpy(batch.labels.data_ptr(), current_->labels.data(),
              current_->labels.size() * sizeof(std::int64_t));
  return batch;
}

std::vector<std::string> BatchSource::broken() const {
  std::vector<std::string> result;
  for (const data::BrokenImage& image : loader_->broken()) {
    result.push_back(format("{}: {}", image.path, image.reason));
  }
  return result;
}

}  // namespace rooflab::torch_worker
