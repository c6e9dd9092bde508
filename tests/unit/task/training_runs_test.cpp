#include "task/training_runs.hpp"

#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::task {
namespace {

// The error that ended the run is what the user needs, not that the file of its state is damaged.
TEST(TrainingRuns, ADamagedFileOfARunDoesNotHideItsError) {
  const TemporaryFolder folder("training-runs-test");
  engine::TrainingRequest request;
  request.folder = folder.file("run-1");
  std::filesystem::create_directory(request.folder);
  write_file_atomically(request.folder / "run.json", "{\"schema\": ");
  const std::string message = thrown_message(ErrorKind::capability, [&] {
    (void)run_trainings({request}, folder.file("no-worker"), Session{});
  });
  EXPECT_EQ(message,
            "cannot start " + folder.file("no-worker").string() + ": No such file or directory");
}

}  // namespace
}  // namespace rooflab::task
