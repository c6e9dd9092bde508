#include <mutex>
#include <string_view>
#include <utility>

#include "compiled_calibrations.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

std::string_view compiled_calibration_bytes();  // written by tools/compile_calibrations.cpp

struct LazyCalibration::State {
  CalibrationEntry entry;
  std::function<Calibration()> reader;
  std::mutex reading;
  std::shared_ptr<const Calibration> calibration;
};

LazyCalibration::LazyCalibration(CalibrationEntry entry, std::function<Calibration()> reader)
    : state_(std::make_shared<State>()) {
  state_->entry = std::move(entry);
  state_->reader = std::move(reader);
}

LazyCalibration::LazyCalibration(Calibration calibration) : state_(std::make_shared<State>()) {
  state_->entry = entry_of(calibration);
  state_->calibration = std::make_shared<const Calibration>(std::move(calibration));
}

const CalibrationEntry& LazyCalibration::entry() const { return state_->entry; }

std::shared_ptr<const Calibration> LazyCalibration::read() const {
  const std::scoped_lock lock(state_->reading);
  if (!state_->calibration) {
    state_->calibration = std::make_shared<const Calibration>(state_->reader());
  }
  return state_->calibration;
}

bool LazyCalibration::is_read() const {
  const std::scoped_lock lock(state_->reading);
  return state_->calibration != nullptr;
}

const std::vector<LazyCalibration>& built_in_calibrations() {
  static const std::vector<LazyCalibration> calibrations = [] {
    const auto compiled =
        std::make_shared<const CompiledCalibrations>(compiled_calibration_bytes());
    std::vector<LazyCalibration> all;
    for (std::size_t i = 0; i < compiled->entries().size(); ++i) {
      all.emplace_back(compiled->entries()[i], [compiled, i] { return compiled->read(i); });
    }
    return all;
  }();
  return calibrations;
}

}  // namespace rooflab::device
