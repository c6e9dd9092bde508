// What joins devices of one kind: times that were measured, else the datasheet's link.

#include <algorithm>
#include <memory>

#include "notes/analyze_notes.hpp"
#include "rooflab/analyze/predict_case.hpp"

namespace rooflab::analyze {
namespace {

using CalibrationPointer = std::shared_ptr<const device::Calibration>;

/// The first calibration that has what is looked for: of the device itself, else of another one
/// that `stands_in`. nullptr: nothing is known.
template <class Has, class StandsIn>
CalibrationPointer first_calibration(const device::Device& device, const KnownCalibrations& known,
                                     Has has, StandsIn stands_in) {
  for (const bool itself : {true, false}) {
    for (const device::LazyCalibration& calibration : known.all) {
      const std::string& of = calibration.entry().device;
      if ((of == device.id) != itself) continue;
      if (!itself && !stands_in(known.devices.at(of))) continue;
      if (CalibrationPointer found = has(calibration)) return found;
    }
  }
  return nullptr;
}

CalibrationPointer calibration_with_links(const device::Device& device,
                                          const KnownCalibrations& known) {
  return first_calibration(
      device, known,
      [](const device::LazyCalibration& calibration) -> CalibrationPointer {
        CalibrationPointer read = calibration.read();
        return read->links.empty() ? nullptr : read;
      },
      [&](const device::Device& other) {
        return device::have_one_link(device, other) &&
               predict::relation_of(device, other) == predict::Relation::same_chip;
      });
}

void add_overlaps(predict::LinkModel& model, const device::Device& device,
                  const KnownCalibrations& known) {
  const CalibrationPointer found = first_calibration(
      device, known,
      [](const device::LazyCalibration& calibration) -> CalibrationPointer {
        const bool has =
            std::ranges::any_of(calibration.entry().figures, [](const std::string& name) {
              return device::overlap_ranks(name, device::OverlapFigure::product).has_value();
            });
        return has ? calibration.read() : nullptr;
      },
      [&](const device::Device& other) { return device::have_one_link(device, other); });
  if (!found) return;
  model.add(device::overlaps_of(*found));
  if (found->device != device.id) {
    model.add(Note{says.overlap_of_other_device, {found->device}});
  }
}

}  // namespace

predict::LinkModel KnownCalibrations::link_of(const device::Device& device,
                                              const device::Link& named) const {
  const std::optional<device::Link> own = device::link_of(device);
  predict::LinkModel model(named);
  if (own && own->id == named.id) add_overlaps(model, device, *this);
  return model;
}

std::optional<predict::LinkModel> KnownCalibrations::link_of(const device::Device& device) const {
  const std::optional<device::Link> own = device::link_of(device);
  const CalibrationPointer calibration = calibration_with_links(device, *this);
  if (!calibration) {
    if (!own) return std::nullopt;
    return link_of(device, *own);
  }
  predict::LinkModel model(calibration->links, own ? &*own : nullptr);
  if (model.name() == "published") {
    const device::Origin& origin = calibration->origins.at(calibration->links.front().origin);
    model.add(Note{says.link_published, {origin.title, origin.environment}});
  }
  if (calibration->device != device.id) {
    model.add(Note{says.link_of_other_device, {calibration->device}});
  }
  add_overlaps(model, device, *this);
  return model;
}

}  // namespace rooflab::analyze
