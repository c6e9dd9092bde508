// The processors as a device.
//
// Bandwidth: McCalpin's STREAM without its scale and add, plus a sum and a fill, over arrays of at
// least four times all last-level caches together and 256 MiB. Bytes are what the loop names, as
// STREAM counts: where stores fetch their lines first, the memory moves more than that.
// Source: McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers",
// IEEE TCCA Newsletter, 1995.
//
// Products: 2 size^3 operations, random operands, the machine's BLAS with its own choice of
// threads.

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "base/format.hpp"
#include "blas_library.hpp"
#include "device_probe.hpp"
#include "host_caches.hpp"
#include "host_loops.hpp"
#include "monitor/host.hpp"
#include "notes/engine_notes.hpp"
#include "operands.hpp"
#include "repetitions.hpp"
#include "rooflab/base/error.hpp"
#include "stopwatch.hpp"

namespace rooflab::probe_worker {
namespace {

struct HostArrays {
  explicit HostArrays(std::size_t count) : a(count), b(count), c(count) {
    write_on_host(a, 1.0);
    write_on_host(b, 2.0);
    write_on_host(c, 0.5);
  }

  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
};

template <class Work>
double seconds_of(const Work& work) {
  const Stopwatch watch;
  work();
  return watch.seconds();
}

class CpuProbe : public DeviceProbe {
 public:
  CpuProbe(Results& results, bool quick) : results_(results), quick_(quick) {}

  std::map<std::string, std::string> identity() override {
    std::map<std::string, std::string> strings = {{"device", "cpu"},
                                                  {"cpu", monitor::cpu_identity().name},
                                                  {"threads", format("{}", host_threads())}};
    if (const auto blas = BlasLibrary::open()) strings["blas"] = blas->version();
    if (const auto bytes = last_level_caches()) {
      strings["last_level_caches"] = format("{} MiB", *bytes / mebibyte);
    }
    return strings;
  }

  std::vector<Step> steps_of(const std::string& part) override {
    std::vector<Step> steps;
    if (part == "bandwidth") add_streams(steps);
    if (part == "peaks") {
      add_products<float>(steps, "gemm.fp32_vector");
      add_products<double>(steps, "gemm.fp64_vector");
    }
    if (part == "vector_addition") {
      for (const std::int64_t elements : vector_addition_sizes(quick_)) {
        if (results_.has({.launch = "cpu", .memory = "host", .elements = elements})) continue;
        steps.push_back(cpu_addition(elements, operands_, results_));
      }
    }
    return steps;
  }

  std::map<std::string, std::string> state() override { return {}; }

 private:
  HostArrays& arrays() {
    if (!arrays_) {
      const std::int64_t caches = last_level_caches().value_or(32 * mebibyte);
      std::int64_t bytes = std::max(4 * caches, 256 * mebibyte);
      if (const auto memory = monitor::cpu_identity().memory) {
        if (bytes > memory->value() / 8) {
          bytes = memory->value() / 8;
          results_.note({engine::says.arrays_below_caches});
        }
      }
      arrays_.emplace(static_cast<std::size_t>(bytes) / sizeof(double));
    }
    return *arrays_;
  }

  /// One figure of the bandwidth: `work` moves `moved` times the bytes of an array, and `correct`
  /// looks at what it left.
  template <class Work, class Correct>
  Step stream(const std::string& name, int moved, Work work, Correct correct) {
    return {.expected_s = 0.8, .run = [this, name, moved, work, correct] {
              HostArrays& given = arrays();
              const RepetitionPlan plan{.least = 10, .measured_s = quick_ ? 0.1 : 0.3};
              const Statistics times =
                  repeat([&] { return seconds_of([&] { work(given); }); }, plan);
              const auto bytes = static_cast<double>(given.a.size() * sizeof(double));
              if (!correct(given)) {
                throw Error(ErrorKind::capability, name + ": the result is wrong; no figure");
              }
              results_.figure(rate(name, "B/s", moved * bytes, times,
                                   format("{:.0f} MiB arrays, {} threads",
                                          bytes / static_cast<double>(mebibyte), host_threads())));
            }};
  }

  void add_streams(std::vector<Step>& steps) {
    const auto add = [&](const std::string& name, int moved, auto work, auto correct) {
      if (results_.find(name) == nullptr) steps.push_back(stream(name, moved, work, correct));
    };
    // The values are powers of two: their sums are exact.
    add(
        "dram.read", 1, [this](HostArrays& s) { sum_ = read_on_host(s.b); },
        [this](HostArrays& s) { return sum_ == 2.0 * static_cast<double>(s.b.size()); });
    add(
        "dram.write", 1, [](HostArrays& s) { write_on_host(s.a, 4.0); },
        [](HostArrays& s) { return s.a.front() == 4.0 && s.a.back() == 4.0; });
    add(
        "dram.copy", 2, [](HostArrays& s) { copy_on_host(s.b, s.a); },
        [](HostArrays& s) { return s.a.front() == 2.0 && s.a.back() == 2.0; });
    add(
        "dram.triad", 3, [](HostArrays& s) { triad_on_host(s.a, s.b, s.c, 3.0); },
        [](HostArrays& s) { return s.a.front() == 3.5 && s.a.back() == 3.5; });
  }

  [[nodiscard]] std::vector<int> product_sizes() const {
    if (quick_) return {1024, 2048};
    return {1024, 2048, 4096};
  }

  template <class Real>
  void add_products(std::vector<Step>& steps, const std::string& path) {
    if (results_.find(path) != nullptr) return;
    for (const int size : product_sizes()) {
      if (results_.find(format("{}.{}", path, size)) != nullptr) continue;
      steps.push_back({.expected_s = 0.5 + std::pow(size, 3) * 4e-11,
                       .run = [this, path, size] { multiply<Real>(path, size); }});
    }
    steps.push_back({.expected_s = 0.001, .run = [this, path] { name_best(path); }});
  }

  template <class Real>
  void multiply(const std::string& path, int size) {
    constexpr double longest_s = 5.0;
    const auto blas = BlasLibrary::open();
    if (!blas) throw Error(ErrorKind::capability, BlasLibrary::missing());
    if (!blas->tuned()) {
      results_.note({engine::says.products_of_reference_blas, {blas->version()}});
    }
    const double operations = 2.0 * std::pow(size, 3);
    const device::MeasuredFigure* smaller = results_.find(format("{}.{}", path, size / 2));
    if (smaller != nullptr && operations / smaller->value > longest_s) {
      throw Error(
          ErrorKind::capability,
          format("{}.{} would take over {:.0f} s a product: left out", path, size, longest_s));
    }

    const auto count = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    std::vector<Real> a(count);
    std::vector<Real> b(count);
    std::vector<Real> c(count);
    std::mt19937 random(1);
    std::uniform_real_distribution<Real> uniform(Real(-1), Real(1));
    for (std::size_t i = 0; i < count; ++i) {
      a[i] = uniform(random);
      b[i] = uniform(random);
    }
    const RepetitionPlan plan{.warm_up_s = 0.2, .least = 3, .measured_s = quick_ ? 0.1 : 0.3};
    const Statistics times = repeat(
        [&] { return seconds_of([&] { blas->multiply(size, a.data(), b.data(), c.data()); }); },
        plan);
    results_.figure(rate(format("{}.{}", path, size), "FLOP/s", operations, times,
                         format("{0} x {0} x {0}", size)));
  }

  void name_best(const std::string& path) {
    const device::MeasuredFigure* best = nullptr;
    for (const int size : product_sizes()) {
      const device::MeasuredFigure* figure = results_.find(format("{}.{}", path, size));
      if (figure != nullptr && (best == nullptr || figure->value > best->value)) best = figure;
    }
    if (best == nullptr) return;  // a note says why
    device::MeasuredFigure named = *best;
    named.name = path;
    results_.figure(named);
  }

  Results& results_;
  bool quick_;
  std::optional<HostArrays> arrays_;
  double sum_ = 0.0;
  OperandStore operands_;
};

}  // namespace

std::unique_ptr<DeviceProbe> make_cpu_probe(Results& results, bool quick) {
  return std::make_unique<CpuProbe>(results, quick);
}

}  // namespace rooflab::probe_worker
