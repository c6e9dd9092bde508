#include "contradiction.hpp"

#include "base/format.hpp"
#include "layout_span.hpp"

namespace rooflab::recording {

// Memory is summed over storages, so that what a tensor reaches must lie in its own.
std::optional<std::string> contradiction_in(const Recording& recording) {
  for (std::size_t i = 0; i < recording.tensors.size(); ++i) {
    const Tensor& tensor = recording.tensors[i];
    Bytes reached;
    reach(reached, recording.layout_of(static_cast<TensorId>(i)), tensor.offset);
    const Bytes bytes = recording.storage_of(static_cast<TensorId>(i)).bytes;
    if (reached <= bytes) continue;
    return format("tensor {} reaches {} bytes of storage {}, which has {}", i, reached.value(),
                  tensor.storage, bytes.value());
  }
  return std::nullopt;
}

}  // namespace rooflab::recording
