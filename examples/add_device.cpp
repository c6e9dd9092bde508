// Adds a device that the library does not know and predicts a network on it:
// usage: add_device DEVICE.toml

#include <iostream>

#include "rooflab/json.hpp"
#include "rooflab/networks.hpp"
#include "rooflab/predict.hpp"
#include "rooflab/units.hpp"

using namespace rooflab;

// NOLINTNEXTLINE(bugprone-exception-escape): another kind of error ends the program
int main(int argc, char** argv) try {
  if (argc != 2) throw Error(ErrorKind::usage, "usage: add_device DEVICE.toml");
  const device::Device card = device::read_device(read_file(argv[1]), argv[1]);
  std::cout << card.name << ": " << si(card.bandwidth.value().value, "B/s") << ", "
            << si(card.peaks.at(ArithmeticPath::fp32_vector).value, "FLOP/s") << " FP32\n";

  const schedule::Schedule inference = schedule::lower(zoo::build("resnet50", {.batch = 32}), {});
  const analyze::CaseResult result = analyze::predict_case(inference, card);
  const predict::StepTime& step = result.prediction.value();
  std::cout << "limit " << si(result.limit.time.value().value, "s") << ", expected "
            << si(step.time.value, "s") << " (" << si(step.low.value, "s") << " to "
            << si(step.high.value, "s") << "), memory " << si(result.memory.total.as_double(), "B")
            << ", " << name_of(result.fit.value().verdict) << "\n";
  std::cout << "from the calibration of " << result.calibration->device << "\n";
  for (const Note& note : step.notes) std::cout << "note: " << note.text() << "\n";
} catch (const Error& error) {
  std::cerr << error.full_message() << "\n" << error.hint() << "\n";
  return 2;
}
