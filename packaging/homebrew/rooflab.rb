# UNTESTED: written from Homebrew's Formula Cookbook, never built. See packaging/README.md.
class Rooflab < Formula
  desc "Predicts and measures how fast a neural network runs on a GPU"
  homepage "URL"
  url "URL/rooflab-0.2.0.tar.gz"
  sha256 "CHECKSUM"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "protozero" => :build
  depends_on "tomlplusplus" => :build
  depends_on "fmt"
  depends_on "gnuplot"
  depends_on "jpeg-turbo"
  depends_on "libpng"
  depends_on :linux # it reads /proc, and starts its workers with Linux's calls
  depends_on "md4c"
  depends_on "simdjson"
  depends_on "sqlite"
  depends_on "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *std_cmake_args,
           "-DBUILD_TESTING=OFF", "-DROOFLAB_TORCH=OFF", "-DROOFLAB_CUDA=OFF"
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "resnet18", shell_output("#{bin}/rooflab predict resnet18 --device t4 --batch 64")
  end
end
