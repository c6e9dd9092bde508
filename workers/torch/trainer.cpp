// How a run goes. Epoch by epoch: steps over the shuffled training images, then the validation
// images with the network in evaluation mode and its running statistics.
//
// Losses and hits are summed on the device and read at the end of an epoch (and every hundred
// steps, to see whether the loss is still a number), so that the host can run ahead of a GPU.
//
// What a step computes depends on the weights, the optimizer's state and the place (seed, epoch,
// step) alone: the loader gives the batch of a place, and the framework's generators get a seed of
// the place before every step. So a run that is taken up at a checkpoint goes on as if it had never
// stopped: the same bits on a CPU with the same number of threads; on a GPU where the libraries'
// algorithms are deterministic. A checkpoint is written before run.json: what the latter says is
// never ahead of it.
//
// issue_s: at the start of an epoch, and of what is left of one after a stop, the device has
// nothing to do and its queue is empty, so that no call waits for it. The quickest of the first
// three steps stands for all: later ones may wait for room in the queue.

#include "trainer.hpp"

#include <csignal>

#include "training_course.hpp"

namespace rooflab::torch_worker {

void train(const engine::TrainingRequest& request, const std::filesystem::path& run_file,
           const ProgressListener& progress) {
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });
  TrainingCourse course(request, run_file, progress);
  course.look_back();
  course.run();
}

}  // namespace rooflab::torch_worker
