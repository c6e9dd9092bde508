#pragma once

#include <optional>
#include <string>

namespace rooflab::probe_worker {

/// The machine's BLAS through its C interface, opened at run time: OpenBLAS, else MKL, else what
/// the system's alternatives give. It stays open: its threads cannot be called back.
/// Source of the interface: BLAS Technical Forum Standard, 2001, appendix B.
class BlasLibrary {
 public:
  /// nullopt without a library that has a C interface.
  [[nodiscard]] static std::optional<BlasLibrary> open();
  /// Why open() gives nothing, a sentence.
  [[nodiscard]] static std::string missing();

  /// What it calls itself, or its file.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// Whether it is one that is made to be fast; another may be the reference implementation.
  [[nodiscard]] bool tuned() const { return tuned_; }

  /// c = a b; all are size x size.
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
