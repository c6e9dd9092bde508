#include "rooflab/zoo/zoo.hpp"

#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/format.hpp"
#include "family.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::zoo {
namespace {

struct Catalogue {
  std::vector<ModelInfo> infos;
  std::vector<Model> models;  ///< order of infos
  std::unordered_map<std::string_view, std::size_t> index;
};

Catalogue make_catalogue() {
  std::array families = {
      alexnet_family(),
      convnext_family(),
      densenet_family(),
      efficientnet_family(),
      efficientnet_v2_family(),
      googlenet_family(),
      inception_family(),
      maxvit_family(),
      mnasnet_family(),
      mobilenet_v2_family(),
      mobilenet_v3_family(),
      regnet_x_family(),
      regnet_y_family(),
      resnet_family(),
      resnext_family(),
      shufflenet_v2_family(),
      squeezenet_family(),
      swin_family(),
      swin_v2_family(),
      vgg_family(),
      vit_family(),
      wide_resnet_family(),
  };
  Catalogue catalogue;
  for (Family& family : families) {
    for (Model& model : family.models) {
      ModelInfo info{model.name, family.name, model.input_size, {}};
      for (const Variant& variant : model.variants) {
        info.variants.push_back({variant.name, variant.description});
      }
      catalogue.infos.push_back(std::move(info));
      catalogue.models.push_back(std::move(model));
    }
  }
  for (std::size_t i = 0; i < catalogue.infos.size(); ++i) {
    catalogue.index.emplace(catalogue.infos[i].name, i);
  }
  return catalogue;
}

const Catalogue& catalogue() {
  static const Catalogue instance = make_catalogue();
  return instance;
}

const Model& require_model(const std::string& name) {
  const auto found = catalogue().index.find(name);
  if (found != catalogue().index.end()) return catalogue().models[found->second];
  // No built-in name has a dot: whoever writes one means a file.
  if (name.find('.') != std::string::npos) {
    throw Error(ErrorKind::usage, format("'{}' is neither a file here nor a built-in model", name),
                "a model's file is an ONNX graph or a recording: docs/from_pytorch.md says how to"
                " make one; rooflab models lists the names");
  }
  std::vector<std::string> names;
  for (const ModelInfo& info : models()) names.push_back(info.name);
  throw Error(ErrorKind::usage, format("unknown model '{}'", name),
              near_hint(name, names,
                        "not built in (rooflab models): export it to ONNX and name the file, see"
                        " docs/formats/onnx.md",
                        "rooflab models"));
}

const Variant* require_variant(const Model& model, const std::string& name) {
  if (name.empty()) return nullptr;
  for (const Variant& variant : model.variants) {
    if (variant.name == name) return &variant;
  }
  std::vector<std::string> names;
  for (const Variant& variant : model.variants) names.push_back(variant.name);
  throw Error(ErrorKind::usage, format("unknown variant '{}' of '{}'", name, model.name),
              names.empty() ? format("'{}' has no variants (rooflab models)", model.name)
                            : format("variants of '{}': {}", model.name, join(names, ", ")));
}

void require_image(const Model& model, std::int64_t smallest, std::int64_t size) {
  if (size < smallest) {
    throw Error(ErrorKind::usage, format("image size {} is too small for '{}'", size, model.name),
                format("it needs {} pixels or more", smallest));
  }
  if (size % model.image_multiple != 0) {
    const std::int64_t below = size / model.image_multiple * model.image_multiple;
    throw Error(ErrorKind::usage,
                format("image size {} does not divide into patches of {} pixels for '{}'", size,
                       model.image_multiple, model.name),
                format("nearest sizes: {} and {}", below, below + model.image_multiple));
  }
}

}  // namespace

const std::vector<ModelInfo>& models() { return catalogue().infos; }

const ModelInfo* find_model(std::string_view name) {
  const auto found = catalogue().index.find(name);
  return found == catalogue().index.end() ? nullptr : &catalogue().infos[found->second];
}

graph::Graph build(const std::string& name, const BuildOptions& options) {
  const Model& model = require_model(name);
  const Variant* variant = require_variant(model, options.variant);
  if (options.batch < 1) {
    throw Error(ErrorKind::usage, format("batch {} is not positive", options.batch),
                "a batch has 1 image or more");
  }
  if (options.classes < 1) {
    throw Error(ErrorKind::usage, format("{} classes are not enough", options.classes),
                "a classifier has 1 output or more");
  }
  std::int64_t size = model.input_size;
  std::int64_t smallest = model.smallest_image;
  if (variant != nullptr && variant->input_size > 0) size = variant->input_size;
  if (variant != nullptr && variant->smallest_image > 0) smallest = variant->smallest_image;
  size = options.image_size.value_or(size);
  require_image(model, smallest, size);

  GraphBuilder b(model.name);
  const ValueId image = b.input("input", {options.batch, 3, size, size});
  const ValueId scores = model.forward(b, image, {options.classes, options.variant});
  return std::move(b).finish({scores});
}

}  // namespace rooflab::zoo
