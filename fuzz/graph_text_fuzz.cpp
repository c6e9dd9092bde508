// The text form of graphs from arbitrary bytes: an Error or a sound graph that reads back equal.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  try {
    const graph::Graph network =
        graph::parse_text({reinterpret_cast<const char*>(data), size}, "fuzz.graph");
    const std::string text = graph::to_text(network);
    ROOFLAB_ASSERT(graph::to_text(graph::parse_text(text, "again.graph")) == text);
  } catch (const Error&) {
  }
  return 0;
}
