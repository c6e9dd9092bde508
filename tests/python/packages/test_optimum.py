"""Models of transformers through Optimum's exporter to ONNX: other sizes than it exported, products by
hand."""
import importlib.util
import json
import unittest
import warnings

from surroundings import Environment, torch_or_skip

torch = torch_or_skip()

if not importlib.util.find_spec("optimum"):
    raise unittest.SkipTest("optimum is not installed")

from rooflab import _program  # noqa: E402
from test_exporters import BATCH, LENGTH, bert, gpt2, llama, turning  # noqa: E402


class Optimum(Environment):
    def exported(self, model, task):
        from optimum.exporters.onnx import onnx_export_from_model

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            onnx_export_from_model(model.eval(), self.folder / task, task=task, do_validation=False)
        return self.folder / task / "model.onnx"

    def test_products(self):
        import transformers

        for make, task in ((bert, "fill-mask"), (gpt2, "text-generation"),
                           (llama, "text-generation")):
            with self.subTest(make.__name__):
                wrapped, sizes = make(transformers)
                file = self.exported(wrapped.model, task)
                totals = json.loads(_program.run(
                    ["summary", str(file), "--batch", str(BATCH), "--dim",
                     f"sequence_length={LENGTH}", "--format", "json"]))["totals"]
                new = BATCH * LENGTH
                self.assertEqual((totals["macs"], totals["coverage_share"]),
                                 (sizes.macs(new, LENGTH, new) + turning(make, BATCH), 1.0),
                                 totals["uncounted"])


if __name__ == "__main__":
    unittest.main()
