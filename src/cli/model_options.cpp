#include "model_options.hpp"

#include <algorithm>
#include <filesystem>

#include "error_context.hpp"
#include "flag_value.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/rebatch.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::cli {
namespace {

bool is_file_name(const std::string& model) {
  std::error_code status;
  return model.find('/') != std::string::npos || model.ends_with(".onnx") ||
         (zoo::find(model) == nullptr && std::filesystem::exists(model, status));
}

}  // namespace

void ModelOptions::add_to(Command command, const std::string& batch_help,
                          const std::string& strict_help) {
  command.add_option("--batch", batch_, batch_help).type_name("N");
  command.add_option("--phase", phase_, "inference (the default), forward or training")
      .type_name("P");
  command.add_option("--precision", precision_, precision_help).type_name("P");
  command.add_option("--optimizer", optimizer_, "sgd, sgd-momentum (the default) or adam")
      .type_name("O");
  command.add_option("--variant", variant_, "another build of a built-in model (see models)")
      .type_name("V");
  command.add_option("--image-size", image_size_, "input height and width of a built-in model")
      .type_name("PIXELS");
  command.add_option("--dim", dims_, "extent of a symbolic dimension of an ONNX file")
      .type_name("NAME=N")
      .expected(1)
      .take_all();
  command.add_flag("--channels-last", channels_last_, "images and kernels in channels-last order");
  command.add_flag("--strict", strict_, strict_help);
}

void ModelOptions::always_train(Command command) {
  phase_ = "training";
  command.remove_option("--phase");
}

std::vector<std::int64_t> ModelOptions::batches() const {
  std::vector<std::int64_t> sizes;
  if (!batch_) return sizes;
  for (const std::string& part : split(*batch_, ',')) {
    sizes.push_back(positive(part, "--batch", "--batch 32"));
  }
  return sizes;
}

LoadedModel ModelOptions::load(const std::string& model, std::optional<std::int64_t> batch,
                               bool with_values) const {
  if (!is_file_name(model)) {
    if (with_values) {
      throw Error(ErrorKind::usage, format("--weights file: '{}' is no file", model),
                  "a built-in network has random weights");
    }
    zoo::BuildOptions options;
    options.batch = batch.value_or(1);
    options.variant = variant_;
    if (image_size_)
      options.image_size = positive(*image_size_, "--image-size", "--image-size 224");
    return {model, zoo::build(model, options), {}};
  }
  if (!variant_.empty() || image_size_) {
    throw Error(ErrorKind::usage, format("{} is a file: it has no variants or image sizes", model),
                "--dim NAME=N sets a symbolic dimension of an ONNX file");
  }
  onnx::ImportOptions options;
  options.batch = batch;
  options.with_places = with_values;
  for (const std::string& entry : dims_) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::usage, format("--dim takes NAME=N, not '{}'", entry),
                  "for example --dim sequence=128");
    }
    options.dims[entry.substr(0, equals)] =
        positive(entry.substr(equals + 1), "--dim", "--dim sequence=128");
  }
  onnx::ImportResult result = with_hint(
      "MODEL is an ONNX file, as torch.onnx.export writes it, or a name of rooflab models",
      [&] { return onnx::read_onnx(model, options); });
  if (!result.without_values.empty()) {
    throw Error(ErrorKind::input,
                format("{}: the data of {} value{} cannot be had, the first: '{}'", model,
                       result.without_values.size(), result.without_values.size() == 1 ? "" : "s",
                       result.without_values.front()),
                "--weights random runs the same network with other values");
  }
  LoadedModel loaded{model, std::move(result.graph), std::move(result.notes)};
  loaded.places = std::move(result.places);
  loaded.bytes = std::move(result.bytes);
  loaded.value_notes = std::move(result.value_notes);
  if (batch && loaded.graph.batch() != *batch) {
    if (with_values) {
      throw Error(
          ErrorKind::usage,
          format("{}: the file fixes batch {}, and so its values", model, loaded.graph.batch()),
          "--weights random allows any batch");
    }
    loaded.graph = graph::rebatch(loaded.graph, *batch);
  }
  loaded.graph.name = std::filesystem::path(model).stem().string();
  return loaded;
}

void ModelOptions::check(const std::vector<std::string>& models) const {
  if (dims_.empty() || std::ranges::any_of(models, is_file_name)) return;
  throw Error(ErrorKind::usage,
              format("--dim {}: '{}' is a built-in network without symbolic dimensions",
                     dims_.front(), models.front()),
              "--batch N and --image-size N change its input");
}

schedule::LoweringOptions ModelOptions::lowering() const {
  const std::vector<schedule::LoweringOptions> all = lowerings();
  if (all.size() == 1) return all.front();
  throw Error(ErrorKind::usage, format("--precision takes one here, not '{}'", precision_),
              "measure runs several");
}

std::optional<std::string> ModelOptions::settle_precision(const device::Device& device) {
  const Precision asked = lowering().precision;
  precision_ = std::string(name_of(device::precision_on(device, asked)));
  return analyze::autocast_note(device, asked);
}

std::vector<schedule::LoweringOptions> ModelOptions::lowerings() const {
  schedule::LoweringOptions options;
  options.channels_last = channels_last_;
  options.phase = value_named<Phase>("phase", phase_);
  options.optimizer = value_named<schedule::Optimizer>("optimizer", optimizer_);
  std::vector<schedule::LoweringOptions> all;
  for (const std::string& name : split(precision_, ',')) {
    options.precision = precision_value(name);
    all.push_back(options);
  }
  return all;
}

std::vector<std::string> ModelOptions::words_with(const std::string& precision) const {
  std::vector<std::string> words = {"--phase", phase_, "--precision", precision};
  const auto add = [&words](const std::string& flag, const std::string& value) {
    words.push_back(flag);
    words.push_back(value);
  };
  if (phase_ == "training") add("--optimizer", optimizer_);
  if (!variant_.empty()) add("--variant", variant_);
  if (image_size_) add("--image-size", *image_size_);
  for (const std::string& entry : dims_) add("--dim", entry);
  if (channels_last_) words.push_back("--channels-last");
  return words;
}

}  // namespace rooflab::cli
