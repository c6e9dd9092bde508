#include "task/build_tools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/format.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::task {
namespace {
namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  write_file_atomically(file, text);
}

/// A machine with a current compiler, CMake and Ninja, a PyTorch for CUDA 13.0 from pip, and
/// whatever a test adds.
struct BuildToolsTest : ::testing::Test {
  BuildToolsTest() {
    torch.version = "2.11.0+cu130";
    torch.cuda = "13.0";
    torch.folder = folder.file("site-packages/torch");
    write(torch.folder / "include/ATen/ATen.h", "");
    sources.variable = [this](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    sources.program = [this](std::string_view name) -> std::optional<fs::path> {
      return versions.contains(std::string(name)) ? std::optional(fs::path(name)) : std::nullopt;
    };
    sources.version = [this](const fs::path& program) { return versions.at(program.string()); };
    sources.toolkit = folder.file("no-toolkit");
  }

  /// All headers that libtorch's include, of one CUDA.
  fs::path add_headers(std::string_view name, int cuda, std::string_view without = "") {
    fs::path include = folder.file(name);
    for (const char* header : {"cuda_runtime_api.h", "crt/host_defines.h", "cublas_v2.h",
                               "cublasLt.h", "cusparse.h", "cusolverDn.h"}) {
      if (header != without) {
        write(include / header, format("#define CUDART_VERSION  {}\n", cuda * 1000));
      }
    }
    return include;
  }

  /// The compiler next to a folder of headers, with what it needs.
  fs::path add_nvcc(const fs::path& include, std::string_view libraries) {
    const fs::path home = include.parent_path();
    for (const char* header : {"cuda_runtime.h", "crt/host_config.h"}) write(include / header, "");
    write(home / libraries / "libcudart_static.a", "");
    write(home / "bin/nvcc", "");
    return home / "bin/nvcc";
  }

  BuildTools find() {
    missing.clear();
    return find_build_tools(torch, missing, sources);
  }

  TemporaryFolder folder{"build-tools"};
  TorchPlace torch;
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> versions = {{"c++", "c++ (Debian 12.2.0-14) 12.2.0"},
                                                 {"cmake", "cmake version 3.25.1"},
                                                 {"ninja", "1.11.1"}};
  ToolSources sources;
  std::vector<MissingTool> missing;
};

TEST_F(BuildToolsTest, ToolkitOfThatMajorNumberComesFirst) {
  const fs::path include = add_headers("cuda/include", 13);
  torch.includes = {add_headers("nvidia/cu13/include", 13)};
  sources.toolkit = folder.file("cuda");
  (void)add_nvcc(torch.includes.front(), "lib");
  const fs::path nvcc = add_nvcc(include, "lib64");
  const BuildTools tools = find();
  EXPECT_THAT(missing, IsEmpty());
  EXPECT_THAT(tools.cuda_includes, ElementsAre(include));
  ASSERT_TRUE(tools.nvcc.has_value());
  EXPECT_EQ(tools.nvcc->program, nvcc);
  EXPECT_EQ(tools.nvcc->libraries, folder.file("cuda/lib64"));
  EXPECT_EQ(tools.generator, "Ninja");
}

TEST_F(BuildToolsTest, CompilerNextToPyTorchServesWithoutAToolkit) {
  const fs::path include = add_headers("nvidia/cu13/include", 13);
  torch.includes = {add_headers("nvidia/cudnn/include", 13), include};
  const fs::path nvcc = add_nvcc(include, "lib");
  ASSERT_TRUE(find().nvcc.has_value());
  EXPECT_EQ(find().nvcc->program, nvcc);
  EXPECT_EQ(find().nvcc->libraries, folder.file("nvidia/cu13/lib"));
  fs::remove(include / "crt/host_config.h");  // nvidia-cuda-nvcc without nvidia-cuda-crt
  EXPECT_FALSE(find().nvcc.has_value());
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(BuildToolsTest, CompilerAndHeadersMayBeInTwoPlaces) {
  torch.includes = {add_headers("nvidia/cu13/include", 13)};
  const fs::path include = add_headers("own/include", 13, "cusparse.h");
  const fs::path nvcc = add_nvcc(include, "lib64");
  variables["CUDA_HOME"] = folder.file("own");
  const BuildTools tools = find();
  EXPECT_THAT(tools.cuda_includes, ElementsAre(torch.includes.front()));
  ASSERT_TRUE(tools.nvcc.has_value());
  EXPECT_EQ(tools.nvcc->program, nvcc);
  (void)add_headers("own/include", 12, "cusparse.h");  // of another CUDA than PyTorch's
  EXPECT_FALSE(find().nvcc.has_value());
}

TEST_F(BuildToolsTest, HeadersOfPipServeWithoutAToolkitAndBesideAnother) {
  torch.includes = {add_headers("nvidia/cu13/include", 13)};
  EXPECT_THAT(find().cuda_includes, ElementsAre(torch.includes.front()));
  EXPECT_THAT(missing, IsEmpty());
  (void)add_headers("cuda/include", 12);
  variables["CUDA_HOME"] = folder.file("cuda");
  const BuildTools tools = find();
  EXPECT_THAT(tools.cuda_includes, ElementsAre(torch.includes.front()));
  EXPECT_FALSE(tools.nvcc.has_value());
}

TEST_F(BuildToolsTest, EveryPlaceIsToldWithWhatItLacks) {
  torch.includes = {add_headers("nvidia/cu13/include", 13, "crt/host_defines.h")};
  (void)add_headers("cuda/include", 12);
  variables["CUDA_HOME"] = folder.file("cuda");
  (void)find();
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].what,
            format("headers of CUDA 13.0 ({}: of CUDA 12; pip's packages next to PyTorch: no "
                   "crt/host_defines.h)",
                   folder.file("cuda").string()));
  EXPECT_THAT(missing[0].advice, HasSubstr("nvidia-cuda-crt"));
}

TEST_F(BuildToolsTest, PyTorchWithoutCudaNeedsNoHeaders) {
  torch.cuda.reset();
  EXPECT_THAT(find().cuda_includes, IsEmpty());
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(BuildToolsTest, EverythingThatIsMissingIsToldAtOnce) {
  torch.cuda.reset();
  fs::remove_all(torch.folder);
  versions = {{"c++", "g++ (Ubuntu 9.4.0-1ubuntu1) 9.4.0"}, {"cmake", "cmake version 3.22.1"}};
  (void)find();
  ASSERT_EQ(missing.size(), 4U);
  EXPECT_EQ(missing[0].what, "a compiler for C++20 (c++: g++ (Ubuntu 9.4.0-1ubuntu1) 9.4.0)");
  EXPECT_EQ(missing[1].what, "CMake 3.25 or later (cmake: cmake version 3.22.1)");
  EXPECT_EQ(missing[2].what, "Ninja or make");
  EXPECT_EQ(missing[3].what, "the C++ headers of PyTorch 2.11.0+cu130");
  versions = {{"x86_64-conda-linux-gnu-c++", "x86_64-conda-linux-gnu-c++ (conda-forge) 12.3.0"},
              {"cmake", "cmake version 4.0.0"},
              {"make", "GNU Make 4.3"}};
  variables["CXX"] = "x86_64-conda-linux-gnu-c++";
  write(torch.folder / "include/ATen/ATen.h", "");
  EXPECT_EQ(find().generator, "Unix Makefiles");
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(BuildToolsTest, ALineOfTheScriptIsANameAndAValue) {
  const TorchPlace place = torch_place_from(
      "version 2.6.0+cu124\ncuda 12.4\nabi old\nfolder /venv/torch\ncmake /venv/torch/share/cmake\n"
      "prefix /venv\ninclude /venv/nvidia/cublas/include\ninclude "
      "/venv/nvidia/cuda_runtime/include\n");
  EXPECT_EQ(place.version, "2.6.0+cu124");
  EXPECT_EQ(place.cuda, "12.4");
  EXPECT_TRUE(place.old_abi);
  EXPECT_EQ(place.folder, "/venv/torch");
  EXPECT_THAT(place.cmake_folders,
              ElementsAre("/venv/torch/share/cmake", "/venv/share/cmake", "/venv/lib/cmake"));
  EXPECT_THAT(place.includes,
              ElementsAre("/venv/nvidia/cublas/include", "/venv/nvidia/cuda_runtime/include"));
  EXPECT_FALSE(place.has_own_headers());
  EXPECT_FALSE(torch_place_from("version 2.6.0+cpu\ncuda none\nabi new\n").cuda);
}

}  // namespace
}  // namespace rooflab::task
