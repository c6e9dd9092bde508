#pragma once

#include <optional>
#include <string>

namespace rooflab::probe_worker {

/// The machine's BLAS through its C interface, opened at run time: OpenBLAS, else MKL, else the
/// choice of the system's alternatives. It is never closed, because its threads cannot be stopped.
/// Source of the interface: BLAS Technical Forum Standard, 2001, appendix B.
class BlasLibrary {
 public:
  /// Opens the library; nullopt without one that has a C interface.
  [[nodiscard]] static std::optional<BlasLibrary> open();
  /// A sentence on why open() returns nullopt.
  [[nodiscard]] static std::string missing();

  /// The library's description of itself, or its file.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// Whether the library is known to be optimised; another may be the reference implementation.
  [[nodiscard]] bool tuned() const { return tuned_; }

  /// Computes c = a b; all matrices are size x size.
  void multiply(int size, const float* a, const float* b, float* c) const;
  void multiply(int size, const double* a, const double* b, double* c) const;

 private:
  template <class Real>
  using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                        Real alpha, const Real* a, int lda, const Real* b, int ldb, Real beta,
                        Real* c, int ldc);

  BlasLibrary() = default;
  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
  std::string version_;
  bool tuned_ = false;
};

}  // namespace rooflab::probe_worker
