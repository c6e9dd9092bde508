"""The README's first example, those of the documents, the scripts and the notebook, run as they stand."""
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from surroundings import CHECKOUT, Environment, torch_or_skip

torch = torch_or_skip()


class Documents(Environment):
    def output_of(self, *command):
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python"),
                       "COLUMNS": "100"}
        done = subprocess.run([sys.executable, *map(str, command)], cwd=self.folder, check=False,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_readme_s_first_example(self):
        text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
        code = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
        self.assertLessEqual(len([line for line in code.splitlines() if line.strip()]), 3)
        output = self.output_of("-c", code)
        self.assertRegex(output, r"verdict(.|\n)* t4 +.* (fits|likely|risky|oom)\b")
        if torch.__version__.startswith("1.13"):  # others run other operations
            shown = re.search(r"^```\n(What costs time\n.*?)^```", text, re.MULTILINE | re.DOTALL)
            self.assertEqual(output.strip(), shown.group(1).strip())

    @unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
    def test_example_of_a_configuration(self):
        text = (CHECKOUT / "docs/from_pytorch.md").read_text(encoding="utf-8")
        code = re.search(r"^```python\n(llama = .*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
        (self.folder / "Llama-3.1-8B").mkdir()
        shutil.copy(CHECKOUT / "tests/python/programs/configs/llama-3.1-8b.json",
                    self.folder / "Llama-3.1-8B" / "config.json")
        output = self.output_of("-c", "import rooflab\n" + code)
        shown = re.search(r"^```\n(batch 1, context.*?)^```", text, re.MULTILINE | re.DOTALL).group(1)
        rows = [line.split() for line in shown.splitlines()[3:]]
        self.assertEqual(len(rows), 3)
        for row in rows:  # the times follow the calibrations
            self.assertRegex(output, rf"(?m)^{re.escape(row[0])} decode +{row[2]} .* {row[-1]}$")

    def test_exports_to_onnx(self):
        """Both exporters, the new one where this PyTorch has it: the batch is open, the norm stays."""
        text = (CHECKOUT / "docs/from_pytorch.md").read_text(encoding="utf-8")
        section = text[text.index("## Export to ONNX"):text.index("## Trace with the profiler")]
        new, old = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
        model = ("from torch import nn\n"
                 "model = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(),\n"
                 "                      nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))\n")
        images = "".join(new.partition("torch.onnx.export")[:1])
        has_new = "dynamo" in inspect.signature(torch.onnx.export).parameters
        if has_new:
            old = old.replace('"net.onnx",', '"net.onnx", dynamo=False,')
        programs = [images + model + old]
        if has_new and importlib.util.find_spec("onnxscript"):
            programs.append(model + new)
        for program in programs:
            with self.subTest(program=program):
                self.output_of("-c", program)
                summary = json.loads(self.output_of(
                    "-m", "rooflab", "summary", "net.onnx", "--batch", "64", "--format", "json"))
                # A convolution of 222 x 222 x 8 outputs of 27 products, and a linear layer.
                self.assertEqual(summary["totals"]["macs"], 64 * (222 * 222 * 8 * 27 + 80))
                self.assertEqual(summary["totals"]["parameters"], 216 + 16 + 90)

    def test_getting_started_with_a_model(self):
        """The Python blocks of the page in their order, and what each of them prints."""
        text = (CHECKOUT / "docs/getting_started/pytorch_model.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), text.count("```python\n"))
        output = self.output_of("-c", "".join(code for code, _ in blocks))
        self.assertTrue((self.folder / "b2.rec.jsonl.gz").is_file())
        if torch.__version__.startswith("1.13"):  # others run other operations
            shown = "".join(shown for _, shown in blocks)
            self.assertEqual(*([line for line in text.splitlines() if line] for text in (output, shown)))

    def test_which_gpu(self):
        output = self.output_of(CHECKOUT / "examples/python/which_gpu.py")
        self.assertEqual(len(re.findall(r"^\S+: [0-9]+ samples/s$", output, re.MULTILINE)), 3)

    def test_two_optimizers(self):
        """Products of the step: generator (64 x 256 + 256 x 784) forward and its two gradients,
        less that of the noise; critic (784 x 256 + 256 x 1) three times forward, two whole backward
        passes less the gradient of their input, and one that also reaches the generator."""
        output = self.output_of(CHECKOUT / "examples/python/two_optimizers.py")
        flops = int(re.search(r"([0-9,]+) FLOP a step, 100% of", output).group(1).replace(",", ""))
        generator, critic = 64 * 256 + 256 * 784, 784 * 256 + 256
        macs = 128 * (3 * generator - 64 * 256
                      + 3 * critic + 2 * (2 * critic - 784 * 256) + 2 * critic)
        self.assertGreater(flops, 2 * macs)
        self.assertLess(flops, 2 * macs * 1.1)

    def test_checkpointing(self):
        output = self.output_of(CHECKOUT / "examples/python/checkpointing.py")
        memory = [int(figure) for figure in re.findall(r"([0-9]+) MB", output)]
        work = [int(figure) for figure in re.findall(r"([0-9]+) GFLOP", output)]
        self.assertLess(memory[1], memory[0])
        # Forward once more, of three parts.
        self.assertAlmostEqual(work[1] / work[0], 4 / 3, delta=0.03)

    def test_notebook(self):
        output = self.output_of(CHECKOUT / "tools/gpu/notebook.py",
                                CHECKOUT / "docs/notebooks/python.ipynb")
        self.assertIn("8 cells ran", output)


if __name__ == "__main__":
    unittest.main()
