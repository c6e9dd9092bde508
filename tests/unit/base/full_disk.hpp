#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

namespace rooflab {

/// Lets regular files take only their first `size` bytes while this lives: EFBIG, `File too large`,
/// stands for ENOSPC, which would need a separate disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t size = 0) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {size, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace rooflab
