// What a user of the library writes first: a prediction, and an Error that is caught.

#include <iostream>

#include "rooflab/analyze/predictor.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/zoo/zoo.hpp"

extern "C" int predict_resnet18() {
  const rooflab::analyze::Predictor predictor;
  const auto step = predictor.predict(rooflab::zoo::build("resnet18", {.batch = 8}), "t4");
  try {
    (void)predictor.predict(rooflab::zoo::build("resnet18"), "t40000");
  } catch (const rooflab::Error& error) {
    std::cout << "caught: " << error.what() << "\n";
  }
  std::cout << step.count.parameters << " parameters, version " << rooflab::library_version() << "\n";
  return step.predicted_time() ? 0 : 1;
}

#ifndef WITHOUT_MAIN
int main() { return predict_resnet18(); }
#endif
