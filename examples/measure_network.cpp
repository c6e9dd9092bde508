// Measures a training step in a process of a worker, with its limit and its expected time: what
// `rooflab measure resnet18 --device cpu --batch 8 --phase training --no-layers` prints.

#include <iostream>

#include "rooflab/measure.hpp"
#include "rooflab/pages.hpp"

int main() {
  rooflab::task::MeasureRequest request;
  request.models = {"resnet18"};
  request.device = {"cpu"};
  request.network.batch = {8};
  request.network.phase = {rooflab::Phase::training};
  request.no_layers = true;
  rooflab::task::Session session;
  try {
    const auto result = rooflab::task::run(request, session);
    const auto document = rooflab::report::measure_view(result.cases, command_line_of(request),
                                                        false, result.findings);
    std::cout << render(document, rooflab::page::Format::table);
    return result.all_ok() ? 0 : 1;
  } catch (const rooflab::Error& error) {  // without the worker, for example
    std::cerr << error.full_message() << '\n' << error.hint() << '\n';
    return 2;
  }
}
