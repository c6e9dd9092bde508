# UNTESTED: written from Spack's packaging guide, never built. See packaging/README.md.
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Rooflab(CMakePackage):
    """Counts a neural network, predicts its time and memory on GPUs, measures it, and compares."""

    homepage = "URL"
    url = "URL/rooflab-0.2.0.tar.gz"
    license("Apache-2.0")

    version("0.2.0", sha256="CHECKSUM")

    variant("torch", default=False, description="rooflab-torch, the worker that runs networks")
    variant("cuda", default=False, description="the GPU part of rooflab-probe, hardware counters")
    variant("gnuplot", default=True, description="charts as SVG, PNG and PDF")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tomlplusplus@3:", type="build")
    depends_on("protozero@1.7:", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("libjpeg-turbo")
    depends_on("libpng")
    depends_on("simdjson@3:")
    depends_on("sqlite@3.40:")
    depends_on("zlib-api")
    depends_on("md4c")
    depends_on("gnuplot", type="run", when="+gnuplot")
    depends_on("py-torch@2.7:", when="+torch")
    depends_on("cuda@11.8:", when="+cuda")

    conflicts("%gcc@:11")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("ROOFLAB_TORCH", "ON" if "+torch" in self.spec else "OFF"),
            self.define("ROOFLAB_CUDA", "ON" if "+cuda" in self.spec else "OFF"),
        ]
