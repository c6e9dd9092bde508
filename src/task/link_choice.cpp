#include "rooflab/task/link_choice.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<LinkChoice>) {
  static const Parameters all = {
      parameter<&LinkChoice::link>("L", "link between the devices: nvlink4, pcie4, 10gbe, ...",
                                   {.default_text = "measured, else the datasheet's",
                                    .example = "10gbe",
                                    .completes = Completion::link,
                                    .predictable = true}),
      parameter<&LinkChoice::all_reduce>(
          "A", "how gradients are summed; automatic is the faster one", {.example = "ring"}),
  };
  return all;
}

void LinkChoice::check() const {
  if (!link.empty()) (void)device::link_from_name(link);
}

predict::LinkModel LinkChoice::model_for(const device::Device& device,
                                         const device::Calibration* calibration) const {
  if (!link.empty()) return predict::LinkModel(device::link_from_name(link));
  const device::Link* const own = device::link_of(device);
  if (calibration != nullptr && !calibration->links.empty()) {
    return predict::LinkModel(calibration->links, own);
  }
  if (own != nullptr) return predict::LinkModel(*own);
  throw Error(ErrorKind::usage, format("the interconnect of {} is not known", device.name),
              format("{} 10gbe, or a calibration with `rooflab probe --links` (devices --links)",
                     flag_of<&LinkChoice::link>()));
}

}  // namespace rooflab::task
