// A service that answers "how fast, and will it fit" for an ONNX file on several GPUs, from many
// threads:
//   service MODEL.onnx [THREADS [CALLS [BATCHES]]]
// Then it asks CALLS times in each thread, for BATCHES different batch sizes, and tells what a call
// costs.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include "rooflab/errors.hpp"
#include "rooflab/onnx.hpp"
#include "rooflab/predict.hpp"

namespace {

constexpr const char* gpus[] = {"h200", "a100-sxm4-80gb", "rtx3090", "t4"};
constexpr rooflab::schedule::LoweringOptions training{.phase = rooflab::Phase::training};

std::string bytes_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream buffer;
  buffer << stream.rdbuf();
  return buffer.str();
}

double mebibytes_in_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

/// `calls` questions of one thread about networks in several batch sizes.
void ask(const rooflab::analyze::Predictor& predictor,
         const std::vector<rooflab::graph::Graph>& networks, int calls) {
  for (int call = 0; call < calls; ++call) {
    const std::size_t which = static_cast<std::size_t>(call) % networks.size();
    (void)predictor.predict(networks[which], "a100-sxm4-80gb", training);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const std::string bytes = bytes_of(count > 1 ? arguments[1] : "");
  const int threads = count > 2 ? std::stoi(arguments[2]) : 2;
  const int calls = count > 3 ? std::stoi(arguments[3]) : 50;
  const int batches = count > 4 ? std::stoi(arguments[4]) : 1;

  const rooflab::analyze::Predictor predictor;  // one for all threads
  const auto net = rooflab::onnx::read_onnx_bytes(bytes, "the request", {.batch = 8});
  for (const char* const gpu : gpus) {
    const auto step = predictor.predict(net.graph, gpu, training);
    const auto fit = predictor.fit(net.graph, gpu, training);
    std::printf("%-15s %6.2f ms (%.2f to %.2f), %.2f GB, %s; fits up to batch %lld\n",
                step.device.id.c_str(), 1e3 * step.predicted_time()->value,
                1e3 * step.prediction->low.value, 1e3 * step.prediction->high.value,
                1e-9 * step.memory.total.as_double(),
                std::string(rooflab::name_of(step.fit->verdict)).c_str(),
                static_cast<long long>(fit.fits.value_or(0)));
  }

  std::vector<rooflab::graph::Graph> networks;
  for (int i = 0; i < batches; ++i) networks.push_back(rooflab::graph::rebatch(net.graph, 8 + i));
  ask(predictor, networks, batches);
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back([&] { ask(predictor, networks, calls); });
  for (std::thread& each : pool) each.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%d threads, %d calls each, %d batch sizes: %.2f ms a call, %.0f calls/s, %.0f MiB\n",
              threads, calls, batches, 1e3 * took.count() / calls, threads * calls / took.count(),
              mebibytes_in_use());
} catch (const rooflab::Error& error) {
  std::cerr << error.full_message() << "\n" << error.hint() << "\n";
  return 2;
}
