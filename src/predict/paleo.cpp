// The figures of PALEO's repository, as they stand there: scripts/exp_*.sh give the percentages
// (--ppp_comp, --ppp_comm) with device and link, paleo/device.py the figures of both. Devices whose
// percentages were fitted keep PALEO's peaks: 62 % of 5.6 TFLOP/s is not 62 % of 8.74.

#include "paleo.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::predict {
namespace {

constexpr double giga = 1e9;
constexpr double gigabit = 1e9 / 8.0;  // in bytes

constexpr std::array presets = {
    PaleoPreset{"paleo-alexnet-scaling",
                {0.62, 1.0},
                "K80",
                "ethernet20",
                "nothing measured: strong and weak scaling of AlexNet",
                1.0},
    PaleoPreset{"paleo-firecaffe",
                {0.21, 1.0},
                "K20X",
                "infiniband",
                "FireCaffe: Network in Network (Iandola et al. 2016)",
                0.56},
    PaleoPreset{"paleo-hybrid",
                {0.46, 1.0},
                "K20",
                "pcie2",
                "One weird trick: AlexNet on 1 to 8 GPUs (Krizhevsky 2014)",
                0.75},
    PaleoPreset{"paleo-inception",
                {0.62, 1.0},
                "K40",
                "ethernet",
                "TensorFlow: Inception v3 on up to 100 GPUs (Murray et al. 2016)",
                0.72},
    PaleoPreset{"paleo-mxnet",
                {0.49, 1.0},
                "K80",
                "ethernet20",
                "MXNet: Inception v3 and AlexNet on up to 128 GPUs",
                0.72},
    PaleoPreset{"paleo-layers",
                {0.62, 1.0},
                "TITAN_X",
                "",
                "cuDNN and TensorFlow, layer by layer: AlexNet and VGG-16 on one GPU",
                1.0},
};

constexpr std::array devices = {
    PaleoDevice{"TITAN_X", "titan-x-maxwell", 6144.0 * giga, 336.5 * giga},
    PaleoDevice{"K20", "", 3520.0 * giga, 208.0 * giga},
    PaleoDevice{"K20X", "", 3935.0 * giga, 250.0 * giga},
    PaleoDevice{"K40", "k40", 4290.0 * giga, 288.0 * giga},
    PaleoDevice{"K80", "k80-board", 5600.0 * giga, 480.0 * giga},
    PaleoDevice{"GEFORCE_780_TI", "", 5040.0 * giga, 336.0 * giga},
    PaleoDevice{"GEFORCE_750_M", "", 722.7 * giga, 80.0 * giga},
    PaleoDevice{"CPU_I7", "", 289.0 * giga, 68.0 * giga},
};

constexpr std::array links = {
    PaleoLink{"aws", 2.0 * gigabit},         PaleoLink{"ethernet", 10.0 * gigabit},
    PaleoLink{"ethernet20", 20.0 * gigabit}, PaleoLink{"infiniband", 70.0 * gigabit},
    PaleoLink{"pcie2", 64.0 * gigabit},      PaleoLink{"pcie3", 128.0 * gigabit},
};

}  // namespace

std::span<const PaleoPreset> paleo_presets() { return presets; }
std::span<const PaleoDevice> paleo_devices() { return devices; }
std::span<const PaleoLink> paleo_links() { return links; }

bool names_paleo_preset(std::string_view text) {
  return lowercase(trim(text)).starts_with("paleo");
}

std::optional<LinkModel> paleo_link(std::string_view percent) {
  const auto preset = std::ranges::find(presets, lowercase(trim(percent)), &PaleoPreset::name);
  if (preset == presets.end()) return std::nullopt;
  const auto link = std::ranges::find(links, preset->link, &PaleoLink::key);
  if (link == links.end()) return std::nullopt;
  device::Link own;
  own.id = format("{} at {:.0f} %", link->key, 100.0 * preset->communication);
  own.bandwidth = link->bytes_per_s * preset->communication;
  return LinkModel(own);
}

const PaleoPreset& paleo_preset(std::string_view name) {
  const std::string wanted = lowercase(trim(name));
  const auto found = std::ranges::find(presets, wanted, &PaleoPreset::name);
  if (found != presets.end()) return *found;
  std::vector<std::string> names;
  names.reserve(presets.size());
  for (const PaleoPreset& preset : presets) names.emplace_back(preset.name);
  throw Error(
      ErrorKind::usage, format("unknown percent of peak '{}'", name),
      near_hint(wanted, names,
                format("the published ones are {}; or give figures: 0.62", join(names, ", "))));
}

}  // namespace rooflab::predict
