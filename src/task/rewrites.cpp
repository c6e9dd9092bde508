#include "rooflab/task/rewrites.hpp"

#include <array>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/swap_relu_pool.hpp"

namespace rooflab::task {
namespace {

graph::Graph swap_relu_maxpool(const graph::Graph& graph, int& places) {
  graph::SwapReluPoolResult result = graph::swap_relu_pool(graph);
  places = result.swapped;
  return std::move(result.graph);
}

constexpr std::array all = {
    Rewrite{"swap-relu-maxpool",
            "a ReLU that feeds nothing but a max pooling runs after it, on fewer elements",
            swap_relu_maxpool}};

std::string_view name(const Rewrite& rewrite) { return rewrite.name; }
std::string_view description(const Rewrite& rewrite) { return rewrite.description; }

}  // namespace

std::span<const Field> fields_of(For<Rewrite>) {
  static constexpr auto fields = field_table(field<&name>("rewrite"), field<&description>());
  return fields;
}

std::span<const Rewrite> rewrites() { return all; }

const Rewrite& find_rewrite(const std::string& name) {
  std::vector<std::string> known;
  for (const Rewrite& rewrite : all) {
    if (rewrite.name == name) return rewrite;
    known.emplace_back(rewrite.name);
  }
  const std::string all_of_them = format("one of {}", join(known, ", "));
  throw Error(ErrorKind::usage, format("unknown rewrite '{}'", name),
              near_hint(name, known, all_of_them, all_of_them));
}

}  // namespace rooflab::task
