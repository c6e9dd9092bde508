#include "link_options.hpp"

#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"

namespace rooflab::cli {

void LinkOptions::add_to(Command command) {
  command
      .add_option("--link", link_,
                  "what joins the devices: nvlink4, pcie4, 10gbe, ... (devices --links)")
      .type_name("L");
  command
      .add_option("--all-reduce", all_reduce_, "automatic (the faster; the default), ring or tree")
      .type_name("A");
}

void LinkOptions::check() const {
  if (!link_.empty()) (void)device::link_from_name(link_);
  (void)algorithm();
}

predict::AllReduce LinkOptions::algorithm() const {
  return value_named<predict::AllReduce>("--all-reduce value", algorithm_name());
}

predict::LinkModel LinkOptions::model_for(const device::Device& device,
                                          const device::Calibration* calibration) const {
  if (!link_.empty()) return predict::LinkModel(device::link_from_name(link_));
  const device::Link* const own = device::link_of(device);
  if (calibration != nullptr && !calibration->links.empty()) {
    return predict::LinkModel(calibration->links, own);
  }
  if (own != nullptr) return predict::LinkModel(*own);
  throw Error(ErrorKind::usage, format("nobody says what joins {}", device.name),
              "--link 10gbe, or a calibration with `rooflab probe --links` (devices --links)");
}

std::vector<std::string> LinkOptions::words() const {
  std::vector<std::string> words;
  if (!link_.empty()) words.insert(words.end(), {"--link", link_});
  if (!all_reduce_.empty()) words.insert(words.end(), {"--all-reduce", all_reduce_});
  return words;
}

}  // namespace rooflab::cli
