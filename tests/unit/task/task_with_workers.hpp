#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// A task whose workers are fakes.
template <class Request>
class TaskWithWorkers : public ::testing::Test {
 protected:
  TaskWithWorkers() {
    const std::filesystem::path worker = ROOFLAB_FAKE_WORKER;
    ::setenv("ROOFLAB_WORKERS", worker.parent_path().c_str(), 1);
  }
  ~TaskWithWorkers() override { ::unsetenv("ROOFLAB_WORKERS"); }

  std::string error() {
    try {
      (void)run(request_, session_);
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  }

  Request request_;
  Session session_;
};

}  // namespace rooflab::task
