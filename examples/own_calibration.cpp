// A plug-in for a card that Rooflab does not know: its own device file, its own measured ops, and a
// page with its own table and chart.
//   own_calibration DEVICE.toml PAGE.html

#include <fstream>
#include <iostream>
#include <vector>

#include "rooflab/charts.hpp"
#include "rooflab/devices.hpp"
#include "rooflab/errors.hpp"
#include "rooflab/json.hpp"
#include "rooflab/networks.hpp"
#include "rooflab/pages.hpp"
#include "rooflab/predict.hpp"
#include "rooflab/units.hpp"

using namespace rooflab;  // NOLINT(google-build-using-namespace): short, as in a program of yours

namespace {

/// Times of linear layers. A plug-in measures them; here they follow a formula, so that the example
/// gives the same everywhere: 5 us, the work at 6 TFLOP/s, and the bytes at 250 GB/s.
device::Calibration calibration_of(const device::Device& card) {
  device::Calibration mine;
  mine.id = "mine";
  mine.device = card.id;
  mine.device_name = card.name;
  mine.command = "our own benchmark";
  device::OpTable& linear = mine.ops["linear.forward.fp32"];
  linear.columns = {"rows", "in_features", "out_features"};
  for (const double rows : {1.0, 32.0, 512.0, 4096.0}) {
    for (const double in : {256.0, 1024.0, 4096.0}) {
      for (const double out : {256.0, 1024.0, 4096.0}) {
        const double flop = 2 * rows * in * out;
        const double bytes = 4 * (rows * in + in * out + rows * out);
        linear.rows.push_back({{rows, in, out}, 5e-6 + flop / 6e12 + bytes / 250e9, {}});
      }
    }
  }
  return mine;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw Error(ErrorKind::usage, "usage: own_calibration DEVICE.toml PAGE.html");
  const device::Device card = device::read_device(read_file(arguments[1]), arguments[1]);
  device::Catalog devices = device::Catalog::built_in();
  devices.add(card);
  analyze::KnownCalibrations known = analyze::KnownCalibrations::built_in();
  known.add(calibration_of(card), devices);
  const analyze::Predictor predictor(devices, known);

  page::Document document;
  document.title = "VGG-16 on " + card.name;
  document.made_by = "a plug-in";
  page::Table table{.title = "Inference in fp32",
                    .columns = {{"batch", "batch"}, {"time", "time"}}};
  chart::Chart by_batch{.title = "Time by batch size"};
  chart::Series line{.name = "expected time"};
  for (const std::int64_t batch : {1, 2, 4, 8}) {
    const auto step = predictor.predict(zoo::build("vgg16", {.batch = batch}), card);
    const double time_s = step.predicted_time().value().value;
    line.points.push_back({.x = static_cast<double>(batch), .y = time_s});
    table.rows.push_back({std::to_string(batch), si(time_s, "s")});
    std::cout << "batch " << batch << ": " << si(time_s, "s");
    for (const predict::KindShare& kind : step.prediction->kinds) {  // what each kind rests on
      if (kind.device == card.id) std::cout << ", " << kind.kind << " as measured";
    }
    std::cout << "\n";
  }
  by_batch.series.push_back(line);
  document.tables.push_back(table);
  document.sections.push_back({.heading = "By batch size", .charts = {{.chart = by_batch}}});
  std::ofstream(arguments[2]) << page::render_html(document, {});
} catch (const Error& error) {
  std::cerr << error.full_message() << "\n" << error.hint() << "\n";
  return 2;
}
