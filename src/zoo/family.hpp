#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/zoo/zoo.hpp"

/// Interface of a family's file: its models, each with the function that builds it.
namespace rooflab::zoo {

using graph::BinaryFunction;
using graph::GraphBuilder;
using graph::PoolKind;
using graph::UnaryFunction;
using graph::ValueId;

/// Options of a network apart from its input.
struct Request {
  std::int64_t classes = 1000;
  std::string_view variant;  ///< a variant of the model, or empty
};

struct Variant {
  std::string name;
  std::string description;
  std::int64_t input_size = 0;      ///< 0: that of the model
  std::int64_t smallest_image = 0;  ///< 0: that of the model
};

struct Model {
  std::string name;
  std::int64_t input_size = 224;
  std::int64_t smallest_image = 1;  ///< pixels; below it some layer has an empty output
  std::int64_t image_multiple = 1;  ///< side of the patches that the image is cut into, in pixels
  std::vector<Variant> variants = {};
  /// Adds all nodes from the image [N, 3, H, W] to the class scores [N, classes], which it returns.
  std::function<ValueId(GraphBuilder&, ValueId image, const Request&)> forward;
};

struct Family {
  std::string name;
  std::vector<Model> models;  ///< sorted by number of parameters
};

Family alexnet_family();
Family convnext_family();
Family densenet_family();
Family efficientnet_family();
Family efficientnet_v2_family();
Family googlenet_family();
Family inception_family();
Family maxvit_family();
Family mnasnet_family();
Family mobilenet_v2_family();
Family mobilenet_v3_family();
Family regnet_x_family();
Family regnet_y_family();
Family resnet_family();
Family resnext_family();
Family shufflenet_v2_family();
Family squeezenet_family();
Family swin_family();
Family swin_v2_family();
Family vgg_family();
Family vit_family();
Family wide_resnet_family();

}  // namespace rooflab::zoo
