#include "batch_source.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/data/dataset.hpp"

namespace rooflab::torch_worker {

std::unique_ptr<BatchSource> BatchSource::open(const engine::Case& request) {
  if (request.identity.data == "dummy") return nullptr;
  const graph::Shape& shape = request.graph.type(request.graph.inputs.front()).shape;
  if (shape.rank() != 4 || shape[1] != 3) {
    throw Unsupported{format("images for an input of shape {}", shape.to_string())};
  }
  const graph::Shape& scores = request.graph.type(request.graph.outputs.front()).shape;
  const bool trains = request.identity.phase == Phase::training;
  std::shared_ptr<const data::Dataset> dataset =
      data::open_dataset(request.identity.data, data::Split::train);
  const auto classes = static_cast<std::int64_t>(dataset->classes().size());
  if (trains && (scores.rank() == 0 || classes > scores.from_end(1))) {
    throw Error(ErrorKind::input, format("{} has {} classes, more than the network tells apart",
                                         request.identity.data, classes));
  }
  data::LoaderOptions options;
  options.batch = shape[0];
  options.workers = request.settings.data_workers;
  options.seed = request.settings.seed;
  options.transform.height = shape[2];
  options.transform.width = shape[3];
  // The usual crop keeps seven eighths of the short side (256 for 224); CIFAR is not cropped.
  options.transform.resize = std::max(shape[2], shape[3]) * 8 / 7;
  if (request.identity.data.starts_with("cifar10:")) options.transform.resize = 0;
  options.transform.random_crop = trains && options.transform.resize > 0;
  options.transform.random_flip = trains;
  auto loader = std::make_unique<data::BatchLoader>(std::move(dataset), options);
  return std::unique_ptr<BatchSource>(new BatchSource(std::move(loader), shape.dims()));
}

BatchSource::BatchSource(std::unique_ptr<data::BatchLoader> loader, std::vector<std::int64_t> shape)
    : loader_(std::move(loader)), shape_(std::move(shape)) {}

BatchSource::Batch BatchSource::next() {
  current_ = loader_->next();
  if (!current_) current_ = loader_->next();  // the next epoch
  if (!current_) throw Error(ErrorKind::input, "the data holds no batch");
  return {at::from_blob(current_->images.data(), extents(shape_), at::kFloat),
          at::from_blob(current_->labels.data(), {current_->count}, at::kLong)};
}

std::vector<std::string> BatchSource::broken() const {
  std::vector<std::string> result;
  for (const data::BrokenImage& image : loader_->broken()) {
    result.push_back(format("{}: {}", image.path, image.reason));
  }
  return result;
}

}  // namespace rooflab::torch_worker
