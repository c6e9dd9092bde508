// A call of an item as text: its kind and its sizes, with blanks between.

#include "base/format.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::engine {

std::string text_of(const ProbeCall& call) {
  std::string text = call.kind;
  for (const double size : call.sizes) text += format(" {}", size);
  return text;
}

ProbeCall call_of(const ProbeItem& item) {
  const std::vector<std::string> words = split(item.graph, ' ');
  ProbeCall call{words.front(), {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::optional<double> size = parse_number(words[i]);
    if (!size) {
      throw Error(ErrorKind::input, format("'{}' is not a size of {}", words[i], call.kind),
                  "a call is its kind and its sizes, with blanks between");
    }
    call.sizes.push_back(*size);
  }
  return call;
}

}  // namespace rooflab::engine
