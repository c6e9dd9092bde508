#include "scale_options.hpp"

#include <algorithm>

#include "error_context.hpp"
#include "flag_value.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/shell_line.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/text_form.hpp"
#include "run_device.hpp"

namespace rooflab::cli {
namespace {

constexpr std::int64_t usual_scale_batch = 64;
constexpr double usual_timeout_s = 60.0;

}  // namespace

void ScaleOptions::add_to(Command command) {
  command.add_option("models", models_, "built-in models or ONNX files")
      .type_name("MODEL...")
      .required();
  command.add_option("--devices", devices_, "one for each rank: cuda:0,cuda:1, or cpu,cpu")
      .type_name("D,...")
      .required()
      .expected(1)
      .take_all();
  command.add_option("--gpus", gpus_, "how many of them at once: 1,2,4 (1, 2, 4, ... and all)")
      .type_name("N,...");
  command
      .add_option("--scaling", scaling_,
                  "--batch is each device's (weak, the default) or all devices' (strong); both")
      .type_name("S");
  network_.add_to(command, "batch size of a device, or of all: see --scaling (64)",
                  "exit 1 also for a run with warnings");
  network_.always_train(command);
  command.get_option("--precision").description(precisions_help).type_name("P,...");
  command.add_option("--timeout", timeout_, "abort when a rank has not reported for S seconds (60)")
      .type_name("S");
  command.add_option("--iterations", timing_.iterations, "timed steps, at least (50)")
      .type_name("N");
  command.add_option("--min-time", timing_.min_time, "seconds of timed steps, at least (1)")
      .type_name("S");
  command.add_option("--max-time", timing_.max_time, "seconds of timed steps, at most (60)")
      .type_name("S");
  command.add_flag("--steps-only", steps_only_,
                   "leave out steps without exchange, exchange alone and traced kernels");
  command.add_option("--threads", timing_.threads, "CPU threads of each rank (its share)")
      .type_name("N");
  command.add_option("--seed", timing_.seed, "of weights, data and dropout (0)").type_name("N");
  command.add_flag("--cudnn-benchmark", timing_.cudnn_benchmark,
                   "let cuDNN try its algorithms out");
  link_.add_to(command);
  command.add_option("--predict-device", predict_device_, "predict for this one (see devices)")
      .type_name("D");
  calibrations_.add_files_to(command);
  device_files_.add_folder_to(command);
}

std::vector<std::string> ScaleOptions::devices() const {
  std::vector<std::string> chosen;
  for (const std::string& names : devices_) {
    for (const std::string& name : split(names, ',')) {
      const std::string device =
          run_device(name, "--devices names one for each rank: cuda:0,cuda:1, or cpu,cpu");
      const bool twice = std::ranges::find(chosen, device) != chosen.end();
      if (twice && device != "cpu") {
        throw Error(ErrorKind::usage, format("--devices names {} twice", device),
                    "NCCL takes one rank on each GPU");
      }
      chosen.push_back(device);
    }
  }
  const bool mixed = std::ranges::any_of(chosen, [&](const std::string& device) {
    return (device == "cpu") != (chosen.front() == "cpu");
  });
  if (mixed) {
    throw Error(ErrorKind::usage, "--devices: CPUs and GPUs cannot train together",
                "NCCL joins GPUs, Gloo CPUs");
  }
  return chosen;
}

std::vector<int> ScaleOptions::numbers_of_ranks() const {
  const auto most = static_cast<int>(devices().size());
  std::vector<int> numbers;
  if (gpus_.empty()) {
    for (int number = 1; number < most; number *= 2) numbers.push_back(number);
    numbers.push_back(most);
    return numbers;
  }
  for (const std::string& text : split(gpus_, ',')) {
    const int number = positive_int(std::string(trim(text)), "--gpus", "--gpus 1,2,4");
    if (number > most) {
      throw Error(ErrorKind::usage, format("--gpus {}: --devices names only {}", number, most),
                  "name one device for each rank");
    }
    if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
  }
  return numbers;
}

std::vector<ScaleOptions::Size> ScaleOptions::sizes(std::optional<int> ranks) const {
  if (scaling_ != "weak" && scaling_ != "strong" && scaling_ != "both") {
    throw_unknown("--scaling value", scaling_, {"weak", "strong", "both"});
  }
  const std::vector<std::int64_t> given = network_.batches();
  if (given.size() > 1) {
    throw Error(ErrorKind::usage, "--batch takes one size here",
                "weak and strong scaling change it: --scaling both");
  }
  const std::int64_t batch = given.empty() ? usual_scale_batch : given.front();
  if (ranks && !gpus_.empty()) {
    throw Error(ErrorKind::usage,
                "--gpus cannot be used under a launcher, which sets the number of ranks",
                "leave --gpus out, or run without torchrun, srun or mpirun");
  }
  const std::vector<int> numbers = ranks ? std::vector<int>{*ranks} : numbers_of_ranks();
  std::vector<Size> all;
  const auto add = [&all](int number, std::int64_t each) {
    const bool there = std::ranges::any_of(
        all, [&](const Size& size) { return size.ranks == number && size.batch == each; });
    if (!there) all.push_back({number, each});
  };
  for (const int number : numbers) {
    if (scaling_ != "strong") add(number, batch);
    if (scaling_ == "weak") continue;
    if (batch % number != 0) {
      throw Error(
          ErrorKind::usage,
          format("a global batch of {} cannot be shared by {} devices evenly", batch, number),
          format("--batch {}", (batch / number + 1) * number));
    }
    add(number, batch / number);
  }
  return all;
}

engine::MeasureSettings ScaleOptions::settings() const {
  engine::MeasureSettings settings;
  settings.iterations = 50;
  timing_.apply(settings);
  return settings;
}

double ScaleOptions::rank_timeout_s() const {
  return timeout_.empty() ? usual_timeout_s
                          : positive_number(timeout_, "--timeout", "--timeout 120");
}

std::vector<engine::ScaleRequest> ScaleOptions::plan(std::optional<int> ranks,
                                                     const engine::Capabilities& here) const {
  link_.check();
  network_.check(models_);
  const std::vector<std::string> all_devices = devices();
  if (!predict_device_.empty()) (void)device_files_.catalog().find(predict_device_);
  std::vector<engine::ScaleRequest> requests;
  for (const std::string& model : models_) {
    for (const schedule::LoweringOptions& lowering : network_.lowerings()) {
      for (const Size& size : sizes(ranks)) {
        const LoadedModel loaded =
            in_case(model, size.batch, [&] { return network_.load(model, size.batch); });
        if (loaded.graph.parameter_elements() == 0) {
          throw Error(ErrorKind::usage,
                      format("{} has no parameters: there is nothing to train", model), "");
        }
        engine::ScaleRequest request;
        request.request.graph = loaded.graph;
        request.request.settings = settings();
        // Under a launcher --devices names those of one host.
        const auto count = ranks ? all_devices.size() : static_cast<std::size_t>(size.ranks);
        request.devices.assign(all_devices.begin(),
                               all_devices.begin() + static_cast<std::ptrdiff_t>(count));
        request.timeout_s = rank_timeout_s();
        request.exchange_alone = !steps_only_;
        request.kernels = !steps_only_;
        record::CaseIdentity& identity = request.request.identity;
        identity.model = loaded.name;
        identity.device = request.devices.front();
        identity.batch = size.batch;
        identity.phase = Phase::training;
        identity.precision = lowering.precision;
        for (const std::string& device : request.devices) {
          identity.precision = precision_here(here, device, identity.precision);
        }
        identity.optimizer = name_of(lowering.optimizer);
        identity.variant = network_.variant();
        identity.channels_last = lowering.channels_last;
        identity.graph = graph::to_text(loaded.graph);
        identity.command = command_line(identity, size.ranks);
        requests.push_back(std::move(request));
      }
    }
  }
  return requests;
}

std::string ScaleOptions::command_line(const record::CaseIdentity& identity, int ranks) const {
  std::vector<std::string> words = {"rooflab", "scale", identity.model};
  const auto add = [&words](const std::string& flag, const std::string& value) {
    if (value.empty()) return;
    words.push_back(flag);
    words.push_back(value);
  };
  add("--devices", join(devices(), ","));
  add("--gpus", std::to_string(ranks));
  add("--batch", std::to_string(identity.batch));
  const std::vector<std::string> network = network_.words(identity.precision);
  for (std::size_t i = 2; i < network.size(); ++i) words.push_back(network[i]);  // no --phase
  add("--iterations", timing_.iterations);
  add("--min-time", timing_.min_time);
  add("--max-time", timing_.max_time);
  add("--threads", timing_.threads);
  add("--seed", timing_.seed);
  add("--timeout", timeout_);
  if (steps_only_) words.emplace_back("--steps-only");
  if (timing_.cudnn_benchmark) words.emplace_back("--cudnn-benchmark");
  return shell_line(words);
}

std::vector<std::optional<analyze::RunPrediction>> ScaleOptions::predict(
    const std::vector<record::ScaleRun>& runs, std::vector<std::string>& notes) const {
  const device::Catalog catalog = device_files_.catalog();
  const analyze::KnownCalibrations known = calibrations_.read(catalog, true);
  const auto note = [&notes](const std::string& text) {
    if (!text.empty() && std::ranges::find(notes, text) == notes.end()) notes.push_back(text);
  };
  std::vector<std::optional<analyze::RunPrediction>> predictions;
  for (const record::ScaleRun& run : runs) {
    predictions.emplace_back();
    std::optional<device::Device> device;
    if (!predict_device_.empty()) {
      device = catalog.find(predict_device_);
    } else {
      std::string ignored;
      device = analyze::find_device(catalog, run.environment.device, ignored);
      if (!device) {
        note(format("no prediction: no device file describes '{}' (--predict-device names one)",
                    run.environment.device.name));
        continue;
      }
    }
    // The steps are issued by this program, not by PyTorch.
    const std::optional<analyze::CalibratedModel> model =
        calibrations_.model_for(*device, known, "rooflab");
    if (!model) {
      note(format("no prediction: there is no calibration for {} (rooflab probe makes one)",
                  device->name));
      continue;
    }
    try {
      predictions.back() = analyze::prediction_of(
          run, *model, link_.model_for(*device, known.of(*device)), link_.algorithm());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage || link_.any_given()) throw;
      note(format("no prediction: {} (--link names one)", error.what()));
    }
  }
  return predictions;
}

}  // namespace rooflab::cli
