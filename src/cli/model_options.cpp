#include "model_options.hpp"

#include <algorithm>
#include <filesystem>

#include "error_context.hpp"
#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/rebatch.hpp"
#include "rooflab/import/onnx/onnx_reader.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::cli {
namespace {

bool is_file_name(const std::string& model) {
  std::error_code status;
  return model.find('/') != std::string::npos || model.ends_with(".onnx") ||
         (zoo::find(model) == nullptr && std::filesystem::exists(model, status));
}

}  // namespace

void ModelOptions::add_to(CLI::App& command, const std::string& batch_help) {
  command.add_option("--batch", batch_, batch_help)->type_name("N");
  command.add_option("--phase", phase_, "inference (the default), forward or training")
      ->type_name("P");
  command
      .add_option("--precision", precision_, "fp64, fp32 (the default), tf32, fp16, bf16 or amp")
      ->type_name("P");
  command.add_option("--optimizer", optimizer_, "sgd, sgd-momentum (the default) or adam")
      ->type_name("O");
  command.add_option("--variant", variant_, "another build of a built-in model (see models)")
      ->type_name("V");
  command.add_option("--image-size", image_size_, "input height and width of a built-in model")
      ->type_name("PIXELS");
  command.add_option("--dim", dims_, "extent of a symbolic dimension of an ONNX file")
      ->type_name("NAME=N")
      ->expected(1)
      ->take_all();
  command.add_flag("--channels-last", channels_last_, "images and kernels in channels-last order");
  command.add_flag("--strict", strict_, "exit 1 when an op was not counted");
}

std::vector<std::int64_t> ModelOptions::batches() const {
  std::vector<std::int64_t> sizes;
  if (!batch_) return sizes;
  for (const std::string& part : split(*batch_, ',')) {
    sizes.push_back(positive(part, "--batch", "--batch 32"));
  }
  return sizes;
}

LoadedModel ModelOptions::load(const std::string& model, std::optional<std::int64_t> batch) const {
  if (!is_file_name(model)) {
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
  LoadedModel loaded{model, std::move(result.graph), std::move(result.notes)};
  if (batch && loaded.graph.batch() != *batch) {
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
  schedule::LoweringOptions options;
  options.channels_last = channels_last_;
  const std::optional<Phase> phase = phase_from_name(phase_);
  if (!phase) throw_unknown("phase", phase_, {"inference", "forward", "training"});
  options.phase = *phase;
  const std::optional<Precision> precision = precision_from_name(precision_);
  if (!precision) {
    throw_unknown("precision", precision_, {"fp64", "fp32", "tf32", "fp16", "bf16", "amp"});
  }
  options.precision = *precision;
  const std::optional<schedule::Optimizer> optimizer = schedule::optimizer_from_name(optimizer_);
  if (!optimizer) throw_unknown("optimizer", optimizer_, {"sgd", "sgd-momentum", "adam"});
  options.optimizer = *optimizer;
  return options;
}

std::vector<std::string> ModelOptions::words() const {
  std::vector<std::string> words = {"--phase", phase_, "--precision", precision_};
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
