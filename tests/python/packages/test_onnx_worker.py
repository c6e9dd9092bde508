"""An ONNX file measured by ONNX Runtime, through the worker in examples/workers."""
import json
import os
import subprocess
import sys
import time
import unittest

from surroundings import CHECKOUT, Environment

from rooflab import _program

WORKERS = CHECKOUT / "examples/workers"

try:
    import onnxruntime
    from onnx import TensorProto, checker, helper, numpy_helper, save
except ImportError as error:
    raise unittest.SkipTest(f"{sys.executable}: {error}")

import numpy  # noqa: E402


def network(batch):
    """Two products and a ReLU; `batch` is a number or a name."""
    generator = numpy.random.default_rng(1)
    weights = [numpy_helper.from_array(generator.standard_normal(shape).astype("float32"), name)
               for name, shape in (("first", (64, 256)), ("second", (256, 8)))]  # fmt: skip
    nodes = [helper.make_node("MatMul", ["x", "first"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("MatMul", ["b", "second"], ["y"])]  # fmt: skip
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, size])
              for name, size in (("x", 64), ("y", 8))}  # fmt: skip
    graph = helper.make_graph(nodes, "net", [values["x"]], [values["y"]], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    return model


class OnnxWorker(Environment):
    def setUp(self):
        super().setUp()
        # `env python3` of the worker's first line: this one, which has ONNX Runtime.
        (self.folder / "bin").mkdir()
        self.executable("bin/python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        os.environ["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        os.environ.pop("ROOFLAB_WORKERS", None)
        save(network("batch"), self.folder / "open.onnx")
        save(network(4), self.folder / "fixed.onnx")

    def measure(self, *words, worker="rooflab-ort"):
        command = [_program.find(), "measure", *words, "--device", "cpu", "--worker", str(WORKERS / worker),
                   "--iterations", "5", *([] if "--min-time" in words else ["--min-time", "0.01"]), "--max-time", "5"]  # fmt: skip
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.said = " ".join((done.stdout + done.stderr).split())  # lines are as wide as the terminal
        return done

    def test_a_record_says_who_measured_and_what(self):
        done = self.measure("open.onnx", "--batch", "2,16", "-o", "results")
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted(path.name for path in (self.folder / "results").glob("*.json"))
        self.assertEqual(files, [f"open-cpu-b{batch}-inference-fp32-rooflab-ort.json" for batch in (16, 2)])
        for file, batch in zip(files, (16, 2)):
            record = json.loads((self.folder / "results" / file).read_text())
            self.assertEqual(record["identity"]["worker"], "rooflab-ort")
            self.assertEqual(record["identity"]["batch"], batch)
            self.assertEqual(record["environment"]["libraries"]["onnxruntime"], onnxruntime.__version__)
            self.assertEqual(record["environment"]["libraries"]["rooflab-ort"], "1.0")
            self.assertGreaterEqual(len(record["timing"]["steps_s"]), 5)
            self.assertTrue(all(0 < step < 1 for step in record["timing"]["steps_s"]))
        self.assertIn("rooflab-ort", done.stdout)

    def test_what_it_cannot_run_is_unsupported(self):
        for words, why in (
            (("fixed.onnx", "--batch", "3"), "the file fixes the input 'x' to [4, 64], the case has [3, 64]"),
            (("open.onnx", "--precision", "bf16"), "the file's types are fp32"),
            (("resnet18",), "ONNX Runtime runs ONNX files"),
            (("open.onnx", "--phase", "training"), "ONNX Runtime runs inference, not training"),
        ):
            done = self.measure(*words)
            self.assertEqual(done.returncode, 1, (words, done.stderr))
            self.assertIn(why, self.said)
            self.assertIn("unsupported", done.stdout)

    def test_fast_steps_take_no_longer_than_they_are(self):
        began = time.monotonic()
        done = self.measure("open.onnx", "--min-time", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - began, 6)  # 12 s with work for each step that grew with their number

    def test_the_least_worker_runs_its_network_alone(self):
        done = self.measure("--layer", "relu", "--input", "4x100", worker="minimal_worker.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("minimal-worker", done.stdout)
        self.measure("open.onnx", worker="minimal_worker.py")
        self.assertIn("this worker runs one ReLU of fp32", self.said)


if __name__ == "__main__":
    unittest.main()
