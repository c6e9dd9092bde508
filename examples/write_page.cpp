// Predicts a network on two devices and writes one page that needs nothing else: what
// `rooflab predict resnet50 --device h200,t4 --batch 32 -o page.html` writes, with pictures in
// place of interactive charts.
//   write_page FILE.html

#include <fstream>
#include <iostream>

#include "rooflab/pages.hpp"
#include "rooflab/tasks.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_page FILE.html\n";
    return 2;
  }
  rooflab::task::PredictRequest request;
  request.grid.models = {"resnet50"};
  request.grid.device = {"h200", "t4"};
  request.grid.network.batch = {32};
  rooflab::task::Session session;
  const auto result = rooflab::task::run(request, session);
  const auto page = rooflab::report::predict_view(
      result.cases, {.command = command_line_of(request), .findings = result.findings});
  std::ofstream(argv[1]) << rooflab::page::render_html(page, {});
}
