#include "nccl_kernel.hpp"

#include <utility>

#include "rooflab/base/text.hpp"

namespace rooflab::record {

bool is_nccl_kernel(std::string_view name) {
  return name.starts_with("nccl") &&
         (name.starts_with("ncclDevKernel") || name.starts_with("ncclKernel"));
}

std::string collective_of_kernel(std::string_view name) {
  const std::size_t begin = name.find('_');
  if (begin == std::string_view::npos) return {};
  const std::size_t end = name.find_first_of("_(", begin + 1);
  return lowercase(name.substr(begin + 1, end == std::string_view::npos ? end : end - begin - 1));
}

bool add_collective(std::vector<CommunicationEvent>& messages, std::string_view kernel,
                    std::int64_t start_ns, std::int64_t duration_ns) {
  if (!is_nccl_kernel(kernel)) return false;
  CommunicationEvent message;
  message.collective = collective_of_kernel(kernel);
  message.start_ns = start_ns;
  message.duration_ns = duration_ns;
  message.on_device = true;
  messages.push_back(std::move(message));
  return true;
}

}  // namespace rooflab::record
