#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"

/// The settings that PALEO was published with: percentages of peak, devices, links.
///
/// Source: Qi, Sparks, Talwalkar, "Paleo: A Performance Model for Deep Neural Networks", ICLR 2017,
/// and its program, github.com/TalwalkarLab/paleo (scripts/exp_*.sh, paleo/device.py).
/// docs/methods/limit.md lists the differences of that program from limit_of().
namespace rooflab::predict {

/// One experiment's percentages of peak, by name: `paleo-mxnet`.
struct PaleoPreset {
  std::string_view name;
  /// `compute` as published. `memory` is 1: PALEO publishes no percentage of the memory's
  /// bandwidth.
  PercentOfPeak percent;
  std::string_view device;    ///< key in paleo_devices()
  std::string_view link;      ///< key in paleo_links(); empty: one device, no messages
  std::string_view imitates;  ///< source of the measurements that the experiment is compared with
  /// Fraction of the link's bandwidth that communication reaches: PALEO's second percentage. It
  /// does not concern the memory's bandwidth, and limits do not use it. 1 if the experiment sets
  /// none.
  double communication = 1.0;
};

/// A device with the figures that PALEO's program has for it.
struct PaleoDevice {
  std::string_view key;  ///< `K80`
  /// Id of the device file for the same hardware; empty: no file. The
  /// file's peaks are often higher: datasheets at the boost clock, PALEO mostly at the base
  /// clock.
  std::string_view catalog_id;
  double flops_per_s = 0.0;  ///< single precision
  double bytes_per_s = 0.0;  ///< memory's bandwidth
};

/// A link between devices.
struct PaleoLink {
  std::string_view key;      ///< `ethernet20`
  double bytes_per_s = 0.0;  ///< one direction
};

[[nodiscard]] std::span<const PaleoPreset> paleo_presets();
[[nodiscard]] std::span<const PaleoDevice> paleo_devices();
[[nodiscard]] std::span<const PaleoLink> paleo_links();

/// Whether a percent of peak is a name instead of figures: it begins with `paleo`.
[[nodiscard]] bool names_paleo_preset(std::string_view text);

/// Finds a preset by name, ignoring case. Throws Error (usage) for an unknown name; the hint names
/// the nearest preset, or all.
///
///     const PercentOfPeak percent = paleo_preset("paleo-mxnet").percent;  // 0.49 of compute
[[nodiscard]] const PaleoPreset& paleo_preset(std::string_view name);

/// The link of a preset at the share of its bandwidth that PALEO's second percentage says, without
/// a latency. nullopt: `percent` names no preset, or that preset has no link.
[[nodiscard]] std::optional<LinkModel> paleo_link(std::string_view percent);

}  // namespace rooflab::predict
