#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device_backend.hpp"
#include "engine/stages.hpp"
#include "executor.hpp"
#include "grad_scaler.hpp"
#include "optimizer.hpp"

namespace rooflab::torch_worker {

/// Times of a stage in a step that waits after every part.
struct StageParts {
  double time_s = 0.0;
  double transfer_s = 0.0;
};

/// A network in stages, each on its device, that runs steps of micro-batches: all forward through
/// all stages, then (training) all backward, then every stage's optimizer.
///
/// A value that crosses a border is detached and moved; its gradient from the next stage is moved
/// back and starts this stage's backward, so that stages are independent. Gradients accumulate over
/// micro-batches in the parameters; each loss is weighted by its share of the batch.
class StagePipeline {
 public:
  /// Takes one backend per distinct device name. Throws Unsupported.
  StagePipeline(const engine::StageRequest& request,
                const std::map<std::string, std::unique_ptr<DeviceBackend>>& backends);
  ~StagePipeline();

  /// Runs a step and returns the network's detached outputs for the whole batch. With `parts` (by
  /// stage) it waits for every part and adds its time.
  std::vector<at::Tensor> step(std::vector<StageParts>* parts = nullptr);

  [[nodiscard]] std::size_t size() const { return stages_.size(); }
  [[nodiscard]] const graph::Graph& graph(std::size_t stage) const;
  [[nodiscard]] DeviceBackend& backend(std::size_t stage) const;
  /// Bytes moved to the stage in the last step.
  [[nodiscard]] Bytes received(std::size_t stage) const;
  /// Loss of the last training step for the whole batch; waits for the device.
  [[nodiscard]] double loss() const { return loss_.item<double>(); }
  /// Waits for all devices.
  void synchronize();

 private:
  struct Stage;
  struct Flight;

  void make_stage(const graph::Graph& part, DeviceBackend& backend);
  void make_input(const graph::Graph& whole);
  void forward(std::size_t index, std::size_t micro_batch, Flight& flight);
  void backward(std::size_t index, Flight& flight);
  void receive(Stage& stage, std::size_t index, std::size_t micro_batch, Flight& flight);
  void optimize(Stage& stage);
  void send_gradients_back(std::size_t index, Flight& flight);
  void add_loss(const at::Tensor& logits, std::size_t micro_batch, Flight& flight);
  template <class Work>
  void timed(std::size_t index, double StageParts::*part, Work work);

  const engine::StageRequest& request_;
  bool trains_;  ///< phase forward or training: autograd records
  std::optional<DType> autocast_;
  bool scales_loss_;
  GradScaler scaler_;  ///< one for all stages, on the last one's device
  std::vector<std::unique_ptr<Stage>> stages_;
  std::map<std::string, at::Tensor>
      inputs_;  ///< inputs of the network for the whole batch, by name
  std::map<std::string, std::size_t> produced_by_;  ///< stage, by name of a value that crosses
  std::map<std::string, std::size_t> read_last_by_;
  std::vector<std::string> outputs_;  ///< outputs of the network
  at::Tensor labels_;                 ///< for the whole batch, on the last stage's device
  at::Tensor loss_;
  std::vector<StageParts>* parts_ = nullptr;  ///< parts of the current step
};

}  // namespace rooflab::torch_worker
