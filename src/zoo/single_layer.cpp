#include "base/format.hpp"
#include "known_layers.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {

graph::Graph single_layer(std::string_view text, const graph::Shape& input) {
  const WrittenLayer layer(text);
  graph::GraphBuilder builder{layer.text()};
  const graph::ValueId result = layer.add_to(builder, "layer", input);
  return std::move(builder).finish({result});
}

std::vector<std::string> single_layer_forms() {
  std::vector<std::string> forms;
  for (const Layer& layer : layers()) forms.push_back(layer.form.to_string());
  return forms;
}

graph::Shape shape_from_text(std::string_view text) {
  std::vector<std::int64_t> dims;
  for (const std::string& part : split(lowercase(trim(text)), 'x')) {
    const std::optional<std::int64_t> extent = parse_integer(trim(part));
    if (!extent || *extent < 1) {
      throw Error(ErrorKind::usage, format("'{}' is not the shape of an input", text),
                  "extents of 1 or more, batch first: --input 256x3x224x224");
    }
    dims.push_back(*extent);
  }
  (void)graph::Shape(dims).elements();  // throws beyond 64 bits
  return graph::Shape(std::move(dims));
}

}  // namespace rooflab::zoo
