// gemm.<path>.<size>: products of square matrices through cuBLASLt, 2 size^3 operations over the
// device's time of one, FLOP/s (int8: OP/s). Operands are random in [-1, 1): zeros switch fewer
// transistors, draw less power and run up to a tenth faster. Of every form (which operands are
// transposed; for fp8 how partial sums are kept) cuBLASLt names the algorithms it thinks best; they
// are timed best-first, forms in turn, until some time is used up, and the fastest is measured for
// 0.2 s and more. gemm.<path> is the best of the sizes.
//
// sustained.<path>: the best of these again, for 2 s; the rate of the last one, when the power
// limit and the temperature have their say.
//
// What a path is: the CUDA compute type. fp32 without TF32 is CUBLAS_COMPUTE_32F, whose products
// are full fp32 (cuBLAS documentation, cublasComputeType_t); TF32 is
// CUBLAS_COMPUTE_32F_FAST_TF32. fp64 products use tensor cores on compute capability 8.0, 9.0 and
// 10.0 and vector lanes on all others, and are named by that.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "cuda_bench.hpp"
#include "cuda_blas.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/precision.hpp"
#include "small_kernels.hpp"
#include "stopwatch.hpp"
#include "sustained_rate.hpp"

namespace rooflab::probe_worker {
namespace {

constexpr std::size_t workspace_bytes = std::size_t{64} << 20;

/// How cuBLASLt does the products of a path.
struct ProductPath {
  ArithmeticPath path;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cudaDataType_t input;
  cudaDataType_t output;
  Element element;  ///< type of the operands
  std::size_t input_bytes;
  std::size_t output_bytes;
  int least_capability;  ///< that has the units; 0: all
  bool every_form;       ///< else only A transposed, which is all that the library has
};

bool has_fp64_tensor_cores(int capability) {
  return capability == 80 || capability == 90 || capability == 100;
}

std::vector<ProductPath> paths_of(int capability) {
  using Path = ArithmeticPath;
  const Path fp64 = has_fp64_tensor_cores(capability) ? Path::fp64_tensor : Path::fp64_vector;
  return {
      {Path::fp32_vector, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, Element::fp32, 4,
       4, 0, true},
      {Path::tf32_tensor, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
       Element::fp32, 4, 4, 80, true},
      {Path::fp16_tensor_fp32, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F,
       Element::fp16, 2, 2, 70, true},
      {Path::fp16_tensor_fp16, CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F,
       Element::fp16, 2, 2, 70, true},
      {Path::bf16_tensor_fp32, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF,
       Element::bf16, 2, 2, 80, true},
      {fp64, CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, Element::fp64, 8, 8, 0, true},
      {Path::fp8_tensor_fp32, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF,
       Element::e4m3, 1, 2, 89, false},
      {Path::int8_tensor_int32, CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I,
       Element::int8, 1, 4, 72, false},
  };
}

std::vector<int> sizes_of(bool quick) {
  if (quick) return {4096, 8192};
  return {1024, 2048, 4096, 8192, 16384};
}

std::string figure_name(const std::string& path, int size) {
  return format("gemm.{}.{}", path, size);
}

/// Order of the forms, best first; what one size found begins the next.
using Forms = std::vector<ProductForm>;

Forms forms_of(const ProductPath& path) {
  const ProductForm form{.compute = path.compute,
                         .scale = path.scale,
                         .input = path.input,
                         .output = path.output,
                         .transpose_a = true};
  Forms forms = {form};
  if (path.every_form) {
    forms.push_back(form);
    forms.back().transpose_a = false;
    forms.push_back(forms.back());
    forms.back().transpose_b = true;
  }
  if (path.element == Element::e4m3) {
    forms.front().fast_accumulation = true;
    forms.push_back(form);
  }
  return forms;
}

/// `TN`, as BLAS writes it.
std::string name_of_form(const ProductForm& form) {
  return format("{}{}{}", form.transpose_a ? 'T' : 'N', form.transpose_b ? 'T' : 'N',
                form.fast_accumulation ? ", fast accumulation" : "");
}

double operations(int size) { return 2.0 * std::pow(size, 3); }

/// Operands of one path and size on the device.
class Matrices {
 public:
  Matrices(const ProductPath& path, int size, const DeviceMemory& workspace)
      : count_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)),
        a_(count_ * path.input_bytes),
        b_(count_ * path.input_bytes),
        d_(count_ * path.output_bytes),
        workspace_(workspace) {
    fill_random(path.element, a_.as<void>(), count_, 1);
    fill_random(path.element, b_.as<void>(), count_, 2);
    check_launch("filling matrices");
  }

  [[nodiscard]] ProductOperands operands() const {
    return {a_.as<void>(), b_.as<void>(), d_.as<void>(), &workspace_};
  }

 private:
  std::size_t count_;
  DeviceMemory a_;
  DeviceMemory b_;
  DeviceMemory d_;
  const DeviceMemory& workspace_;
};

/// A product and the algorithm that was fastest.
struct Choice {
  std::shared_ptr<const Product> product;
  std::size_t algorithm = 0;
  double time_s = std::numeric_limits<double>::max();
};

class Products {
 public:
  explicit Products(CudaBench& bench) : bench_(bench) {}

  void measure(const ProductPath& path, int size) {
    const std::string name(name_of(path.path));
    const DeviceMemory& workspace = this->workspace();
    check_memory(path, size);
    const Matrices matrices(path, size, workspace);
    const Choice choice = choose(path, size, matrices);
    const RepetitionPlan plan{
        .warm_up_s = bench_.quick ? 0.05 : 0.1, .least = 3, .measured_s = 0.22};
    const Statistics times =
        bench_.timer.repeat(launch_of(choice, matrices), train_for(choice.time_s), plan);
    bench_.results.figure(
        rate(figure_name(name, size), unit_of(path), operations(size), times, at(choice, size)));
  }

  void name_best(const ProductPath& path) {
    const std::string name(name_of(path.path));
    const device::MeasuredFigure* best = best_figure(name);
    if (best == nullptr) return;  // a note says why
    device::MeasuredFigure named = *best;
    named.name = "gemm." + name;
    bench_.results.figure(named);
  }

  void sustain(const ProductPath& path) {
    constexpr double sustained_s = 2.0;
    constexpr double piece_s = 0.02;
    const std::string name(name_of(path.path));
    const device::MeasuredFigure* best = best_figure(name);
    if (best == nullptr) return;
    int size = 0;
    for (const int candidate : sizes_of(bench_.quick)) {
      if (best->name == figure_name(name, candidate)) size = candidate;
    }
    const Matrices matrices(path, size, workspace());
    const Choice choice = choose(path, size, matrices);
    const int count = std::max(1, static_cast<int>(piece_s / choice.time_s));
    const auto launch = launch_of(choice, matrices);
    bench_.results.figure(
        sustained_rate("sustained." + name, unit_of(path), operations(size) * count,
                       pieces(launch, count, sustained_s), sustained_s / 2.0, at(choice, size)));
  }

 private:
  static std::string unit_of(const ProductPath& path) {
    return path.element == Element::int8 ? "OP/s" : "FLOP/s";
  }

  static std::string at(const Choice& choice, int size) {
    return format("{0} x {0} x {0}, {1}", size, name_of_form(choice.product->form()));
  }

  static std::function<void()> launch_of(const Choice& choice, const Matrices& matrices) {
    return [choice, operands = matrices.operands()] {
      choice.product->launch(choice.algorithm, operands);
    };
  }

  const device::MeasuredFigure* best_figure(const std::string& path) const {
    const device::MeasuredFigure* best = nullptr;
    for (const int size : sizes_of(bench_.quick)) {
      const device::MeasuredFigure* figure = bench_.results.find(figure_name(path, size));
      if (figure != nullptr && (best == nullptr || figure->value > best->value)) best = figure;
    }
    return best;
  }

  const DeviceMemory& workspace() {
    if (library_ == nullptr) {
      library_ = CublasLt::open();
      if (library_ == nullptr) throw Error(ErrorKind::capability, CublasLt::missing());
      library_->check(library_->create(&handle_), "starting cuBLASLt");
    }
    if (!workspace_) workspace_.emplace(workspace_bytes);
    return *workspace_;
  }

  static void check_memory(const ProductPath& path, int size) {
    const double needed =
        std::pow(size, 2) * static_cast<double>(2 * path.input_bytes + path.output_bytes);
    if (needed < 0.8 * static_cast<double>(free_device_memory())) return;
    throw Error(ErrorKind::capability, format("{}: too little free memory",
                                              figure_name(std::string(name_of(path.path)), size)));
  }

  /// The fastest of what cuBLASLt proposes, as far as time allows.
  Choice choose(const ProductPath& path, int size, const Matrices& matrices) {
    const double budget_s = bench_.quick ? 0.1 : 0.3;
    Forms& forms = forms_[path.path];
    if (forms.empty()) forms = forms_of(path);
    std::vector<std::shared_ptr<const Product>> products;
    std::string why = "no algorithm";
    for (ProductForm form : forms) {
      form.size = size;
      try {
        products.push_back(std::make_shared<const Product>(*library_, handle_, form,
                                                           workspace_bytes, most_algorithms));
      } catch (const Error& error) {
        why = error.what();
      }
    }
    const Stopwatch watch;
    Choice best;
    for (std::size_t algorithm = 0; algorithm < most_algorithms; ++algorithm) {
      for (const auto& product : products) {
        if (algorithm >= product->algorithms()) continue;
        if (best.product != nullptr && watch.seconds() > budget_s) break;
        Choice tried{product, algorithm};
        const auto launch = launch_of(tried, matrices);
        try {
          tried.time_s = bench_.timer.time(launch, {.count = 1, .led = false});
          // The first launch may have loaded the kernel: another, or a few short ones.
          const bool is_long = tried.time_s > 0.05;
          const Train again{.count = is_long ? 1 : 3, .led = !is_long};
          tried.time_s = std::min(tried.time_s, bench_.timer.time(launch, again));
        } catch (const Error& error) {
          why = error.what();
          continue;
        }
        if (tried.time_s < best.time_s) best = tried;
      }
    }
    if (best.product == nullptr) {
      throw Error(ErrorKind::capability,
                  format("{}: {}", figure_name(std::string(name_of(path.path)), size), why));
    }
    const auto same = [&](const ProductForm& form) {
      return name_of_form(form) == name_of_form(best.product->form());
    };
    std::stable_partition(forms.begin(), forms.end(), same);
    return best;
  }

  /// Seconds of pieces of `count` launches each that follow each other for `total_s`. Two pieces
  /// are always queued, so that the device never waits for the host.
  std::vector<double> pieces(const std::function<void()>& launch, int count, double total_s) const {
    struct Event {
      Event() { check(cudaEventCreate(&event), "making an event"); }
      ~Event() { static_cast<void>(cudaEventDestroy(event)); }
      Event(const Event&) = delete;
      Event& operator=(const Event&) = delete;
      cudaEvent_t event = nullptr;
    };
    std::vector<std::unique_ptr<Event>> marks;
    const auto mark = [&] {
      marks.push_back(std::make_unique<Event>());
      check(cudaEventRecord(marks.back()->event), "recording an event");
    };
    std::vector<double> seconds;
    double spent_s = 0.0;
    launch();
    mark();
    while (spent_s < total_s) {
      for (int i = 0; i < count; ++i) launch();
      mark();
      if (marks.size() < 4) continue;
      const std::size_t done = seconds.size();
      check(cudaEventSynchronize(marks[done + 1]->event), "waiting for the device");
      float milliseconds = 0.0F;
      check(cudaEventElapsedTime(&milliseconds, marks[done]->event, marks[done + 1]->event),
            "reading an event");
      seconds.push_back(static_cast<double>(milliseconds) * 1e-3);
      spent_s += seconds.back();
    }
    check(cudaDeviceSynchronize(), "waiting for the device");
    return seconds;
  }

  static constexpr int most_algorithms = 8;

  CudaBench& bench_;
  const CublasLt* library_ = nullptr;
  cublasLtHandle_t handle_ = nullptr;  // lives as long as the process
  std::optional<DeviceMemory> workspace_;
  std::map<ArithmeticPath, Forms> forms_;
};

}  // namespace

std::vector<Step> cuda_products(CudaBench& bench) {
  const auto products = std::make_shared<Products>(bench);
  std::vector<Step> steps;
  const auto lacks = [&](const std::string& name) { return bench.results.find(name) == nullptr; };
  for (const ProductPath& path : paths_of(bench.capability())) {
    const std::string name(name_of(path.path));
    if (bench.capability() < path.least_capability) continue;
    if (!lacks("gemm." + name)) continue;
    for (const int size : sizes_of(bench.quick)) {
      if (!lacks(figure_name(name, size))) continue;
      // The slow paths of a large GPU do some 50 TFLOP/s.
      const double slow_s = path.least_capability == 0 ? 4.0 * operations(size) / 50e12 : 0.0;
      steps.push_back({.expected_s = (bench.quick ? 0.4 : 0.7) + slow_s,
                       .run = [=] { products->measure(path, size); }});
    }
    steps.push_back({.expected_s = 0.001, .run = [=] { products->name_best(path); }});
  }
  if (bench.quick) return steps;
  for (const ProductPath& path : paths_of(bench.capability())) {
    const bool asked = path.path == ArithmeticPath::fp32_vector ||
                       path.path == ArithmeticPath::tf32_tensor ||
                       path.path == ArithmeticPath::bf16_tensor_fp32;
    if (!asked || bench.capability() < path.least_capability) continue;
    if (!lacks("sustained." + std::string(name_of(path.path)))) continue;
    steps.push_back({.expected_s = 3.0, .run = [=] { products->sustain(path); }});
  }
  return steps;
}

}  // namespace rooflab::probe_worker
