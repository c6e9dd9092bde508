// A model is run as it was trained: its precision (TF32 becomes FP32 on a CPU), its image size and
// normalisation. Images of any size are resized by their short side and cut to the middle, as those
// it was validated on were.
//
// Labels of the data are matched to the model's by name. Predictions are among all classes of the
// model, whether the data has them or not.

#include "evaluation.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "batch_source.hpp"
#include "checkpoint.hpp"
#include "data/dataset.hpp"
#include "framework.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "scores.hpp"
#include "step.hpp"

namespace rooflab::torch_worker {
namespace {

/// The model's labels by the data's.
std::vector<std::int64_t> matched_labels(const std::vector<std::string>& data,
                                         const std::vector<std::string>& model,
                                         const engine::EvaluationRequest& request,
                                         const std::string& checkpoint) {
  std::vector<std::int64_t> labels;
  for (const std::string& name : data) {
    const auto found = std::ranges::find_if(
        model, [&](const std::string& known) { return lowercase(known) == lowercase(name); });
    if (found == model.end()) {
      throw Error(ErrorKind::input,
                  format("{} has the class '{}', which the model {} does not know", request.data,
                         name, checkpoint),
                  "it knows " + join(model, ", "));
    }
    labels.push_back(found - model.begin());
  }
  return labels;
}

engine::Case case_of(const Checkpoint& checkpoint, const engine::EvaluationRequest& request,
                     const at::Device& device) {
  engine::Case result;
  result.identity = checkpoint.run.identity;
  result.identity.phase = Phase::inference;
  result.identity.device = request.device;
  result.identity.batch = request.batch;
  if (device.is_cpu() && result.identity.precision == Precision::tf32) {
    result.identity.precision = Precision::fp32;
  }
  result.graph =
      graph::rebatch(graph::parse_text(result.identity.graph, "checkpoint (graph)"), request.batch);
  return result;
}

}  // namespace

std::vector<record::Evaluation> evaluate(const engine::EvaluationRequest& request,
                                         const ProgressListener& progress) {
  const at::Device device = device_named(request.device);
  const std::shared_ptr<const data::Dataset> dataset =
      data::open_dataset(request.data, data::Split::test);
  const auto backend = make_backend(device);
  std::vector<record::Evaluation> results;
  for (const std::filesystem::path& file : request.checkpoints) {
    const Checkpoint checkpoint = read_checkpoint(file);
    const std::vector<std::string>& classes = checkpoint.run.classes;
    const std::vector<std::int64_t> labels =
        matched_labels(dataset->classes(), classes, request, file.string());
    const at::Tensor label_map = at::tensor(at::ArrayRef<std::int64_t>(labels), at::kLong);
    const engine::Case one = case_of(checkpoint, request, device);
    configure({.precision = one.identity.precision}, device);
    Step step(one, *backend);
    load_model(step.graph(), step.values(), checkpoint.model, file.string());

    data::LoaderOptions options;
    options.batch = request.batch;
    options.workers = request.data_workers;
    options.shuffle = false;
    options.drop_last = false;
    options.transform = checkpoint.images;
    BatchSource source(dataset, options, device.is_cuda());
    ScoreSums sums(static_cast<std::int64_t>(classes.size()), device, true);
    const std::string stage = format("model {}/{}", results.size() + 1, request.checkpoints.size());
    for (std::int64_t batches = 0; const auto batch = source.next_of_epoch(); ++batches) {
      if (progress) {
        progress(stage,
                 static_cast<double>(batches) / static_cast<double>(source.batches_per_epoch()), 0);
      }
      step.set_batch(batch->images, label_map.index_select(0, batch->labels));
      sums.add(step.evaluate().front(), step.labels(), batch->count);
    }
    results.push_back({.checkpoint = file.string(),
                       .model = checkpoint.run.identity.model,
                       .data = request.data,
                       .classes = classes,
                       .confusion = sums.confusion(),
                       .loss = sums.mean_loss(),
                       .broken_data = source.broken()});
  }
  return results;
}

}  // namespace rooflab::torch_worker
