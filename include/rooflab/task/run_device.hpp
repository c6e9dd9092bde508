#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/engine/worker.hpp"

namespace rooflab::task {

/// Whether a device is named by where it is: `cpu`, `cuda`, `cuda:N`, `gpu`, `here`.
[[nodiscard]] bool names_device_here(std::string_view text);

/// A device to run on: `cpu`, `cuda:0`. `cuda` and `gpu` are the first GPU; `here` is that, or the
/// CPU on a machine without a GPU. Throws Error (usage) with that hint.
[[nodiscard]] std::string run_device(std::string_view text, const std::string& hint);

/// Its name where devices to run on are named: `cpu`, `cuda:0`.
[[nodiscard]] std::string run_name(const record::DeviceIdentity& device);

/// The device of that name, `cpu` or `cuda:0`, among those that a worker can run on. Throws Error
/// (capability), which lists them.
[[nodiscard]] const record::DeviceIdentity& present_device(const engine::Capabilities& worker,
                                                           std::string_view name);

/// A GPU that is not there fails every case alike: better said once, before the first. Asks the
/// worker, where there is any GPU among them, and returns its answer. Throws Error (capability).
engine::Capabilities require_run_devices(std::span<const std::string> devices,
                                         const std::filesystem::path& worker);

/// The precision that a case runs in on a device of the worker: `amp` is amp-fp16 on a GPU that
/// does not compute bf16 (record::precision_on).
[[nodiscard]] Precision precision_here(const engine::Capabilities& worker, std::string_view device,
                                       Precision asked);

}  // namespace rooflab::task
