"""Results of built-in networks: figures, tables, notebooks, data, errors."""
import html
import json
import sys
import types
import unittest
from unittest import mock

import rooflab
from rooflab import _program
from rooflab._fields import Fields, wrap
from surroundings import StandIn

RESNET18_MACS = 1_814_073_344  # torchvision publishes 1.81 GMACs
RESNET18_PARAMETERS = 11_689_512  # torchvision's page of the network


class Summaries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.summary = rooflab.summary("resnet18", batch=8)

    def test_figures(self):
        summary = self.summary
        self.assertEqual(summary.macs, 8 * RESNET18_MACS)
        self.assertEqual(summary.matrix_flops, 2 * 8 * RESNET18_MACS)
        self.assertGreater(summary.flops, summary.matrix_flops)
        self.assertEqual(summary.parameters, RESNET18_PARAMETERS)
        self.assertEqual(summary.coverage, 1.0)
        self.assertEqual(summary.uncounted, [])
        # Weights, the image, and at the first pool its operand and its result.
        first = 8 * 64 * 4 * (112 * 112 + 56 * 56)
        self.assertGreater(summary.peak_memory_bytes, 4 * RESNET18_PARAMETERS + first)
        self.assertGreater(summary.bytes, 4 * RESNET18_PARAMETERS)
        self.assertEqual((summary.batch, summary.phase), (8, "inference"))
        self.assertEqual(summary.precision, "fp32")

    def test_it_prints_as_the_program_does(self):
        self.assertEqual(str(self.summary), _program.run(["summary", "resnet18", "--batch", "8"]))
        self.assertIn("resnet18", repr(self.summary))
        printer = mock.Mock()
        self.summary._repr_pretty_(printer, False)
        printer.text.assert_called_once_with(str(self.summary))

    def test_html_is_the_escaped_table(self):
        summary = rooflab.summary("resnet18")
        summary._text = "<b> & total"
        page = summary._repr_html_()
        self.assertIn("&lt;b&gt; &amp; total", page)
        self.assertTrue(page.startswith("<pre"))
        self.assertIn(html.escape("total"), self.summary._repr_html_())

    def test_layers(self):
        first = self.summary.layers[0]
        self.assertEqual((first.node, first.op), ("conv1", "conv2d"))
        self.assertEqual(first.output_shape, [8, 64, 112, 112])
        self.assertEqual(first.parameters, 64 * 3 * 7 * 7)
        self.assertEqual(sum(layer.macs for layer in self.summary.layers), self.summary.macs)

    def test_depth_folds(self):
        folded = rooflab.summary("resnet18", depth=1)
        self.assertIn("layer1", [layer.node for layer in folded.layers])

    def test_flags_reach_the_program(self):
        training = rooflab.summary("resnet18", phase="training", optimizer="adam", precision="bf16",
                                   batch=2)
        self.assertEqual((training.phase, training.precision), ("training", "bf16"))
        self.assertEqual(training.batch, 2)
        self.assertIn("(optimizer)", [layer.node for layer in training.layers])

    def test_to_dict_is_a_copy(self):
        data = self.summary.to_dict()
        data["totals"]["macs"] = 0
        self.assertEqual(self.summary.macs, 8 * RESNET18_MACS)
        self.assertEqual(json.loads(json.dumps(data))["command"], "summary")

    def test_data_frame(self):
        with mock.patch.dict(sys.modules, pandas=None), \
                self.assertRaisesRegex(rooflab.Error, "needs pandas"):
            self.summary.to_dataframe()
        pandas = types.SimpleNamespace(DataFrame=lambda rows: rows)
        with mock.patch.dict(sys.modules, pandas=pandas):
            rows = self.summary.to_dataframe()
        self.assertEqual(len(rows), len(self.summary.layers))
        self.assertEqual(rows[0]["node"], "conv1")


class Predictions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prediction = rooflab.predict("resnet18", device="t4", batch=8, phase="training")
        cls.several = rooflab.predict("resnet18", device=["t4", "h200"], batch=8, phase="training")

    def test_figures(self):
        prediction = self.prediction
        self.assertTrue(0 < prediction.low < prediction.time < prediction.high)
        # A T4's FP32 peak is 8.1 TFLOP/s. Three products a MAC, two for the first layer, whose
        # 64 x 3 x 7 x 7 kernel runs at 112 x 112 places.
        first = 8 * 112 * 112 * 64 * 3 * 7 * 7
        self.assertEqual(prediction.matrix_flops, 2 * (3 * 8 * RESNET18_MACS - first))
        self.assertGreater(prediction.limit, prediction.matrix_flops / 8.1e12)
        self.assertAlmostEqual(prediction.samples_per_s, 8 / prediction.time, places=6)
        self.assertEqual((prediction.device, prediction.batch, prediction.phase),
                         ("t4", 8, "training"))
        self.assertEqual(prediction.device_memory_bytes, 16_000_000_000)
        self.assertEqual(prediction.arithmetic_path, "fp32_vector")
        self.assertEqual((prediction.coverage, prediction.uncounted), (1.0, []))

    def test_memory_and_verdict(self):
        memory = self.prediction.memory
        self.assertEqual(memory.gradient_bytes, memory.parameter_bytes)
        self.assertEqual(self.prediction.peak_memory_bytes, memory["allocated_peak_bytes"])
        self.assertEqual((self.prediction.verdict, self.prediction.fits), ("fits", True))
        # docs/install.md: VGG-16 with 256 images needs 25.59 GB; a T4 has 16.
        large = rooflab.predict("vgg16", device="t4", batch=256, phase="forward")
        self.assertEqual((large.verdict, large.fits), ("oom", False))

    def test_notes_and_findings(self):
        self.assertTrue(any("another machine" in note for note in self.prediction.notes))
        self.assertEqual(len(self.prediction.notes), len(set(self.prediction.notes)))
        self.assertIn("tensor cores", self.prediction.findings[0].text)

    def test_explain_has_the_kinds(self):
        text = self.prediction.explain()
        self.assertIn("conv2d.forward.fp32", text)
        self.assertNotIn("conv2d.forward.fp32", str(self.prediction))

    def test_several_devices(self):
        several = self.several
        self.assertIsInstance(several, rooflab.Predictions)
        self.assertEqual([item.device for item in several], ["t4", "h200-sxm"])
        self.assertEqual(several["t4"].time, self.prediction.time)
        self.assertIs(several["h200"], several["h200-sxm"])
        self.assertIs(several[1], several["h200"])
        self.assertEqual(len(several), 2)
        self.assertIn("t4", str(several))
        self.assertIn("h200-sxm", str(several))
        with self.assertRaisesRegex(KeyError, "names 0 of"):
            several["v100"]

    def test_one_of_several_is_what_it_is_alone(self):
        one = self.several["t4"]
        self.assertEqual(str(one), str(self.prediction))
        self.assertEqual([finding.kind for finding in one.findings],
                         [finding.kind for finding in self.prediction.findings])

    def test_devices_with_commas_are_several(self):
        self.assertEqual(len(rooflab.predict("alexnet", device="t4,h200")), 2)
        with self.assertRaisesRegex(rooflab.Error, "names no device"):
            rooflab.predict("alexnet", device=[])

    def test_rows(self):
        pandas = types.SimpleNamespace(DataFrame=lambda rows: rows)
        with mock.patch.dict(sys.modules, pandas=pandas):
            rows = self.several.to_dataframe()
        self.assertEqual([row["device"] for row in rows], ["t4", "h200-sxm"])
        self.assertEqual(rows[0]["predicted_s"], self.prediction.time)
        self.assertEqual(rows[0]["gradient_bytes"], self.prediction.memory.gradient_bytes)

    def test_numbers_of_devices(self):
        scaled = rooflab.predict("resnet18", device="h200", batch=8, phase="training", gpus=[1, 2])
        one, two = scaled
        self.assertEqual((one.gpus, two.gpus, two.batch), (1, 2, 16))
        self.assertIs(scaled["h200", 2], two)
        self.assertEqual(one.time, self.several["h200"].time)
        self.assertGreater(two.time, one.time)
        # Gradients are in buckets, too.
        self.assertEqual(two.memory.exchange_bytes, two.memory.gradient_bytes)
        with self.assertRaisesRegex(KeyError, "names 2 of"):
            scaled["h200"]
        # Buffers of the communication library have a bound.
        self.assertEqual([each.verdict for each in scaled], ["fits", "fits"])
        # 51 GB a rank of 16 GB.
        large = rooflab.predict("vgg16", device="t4", batch=256, phase="training", gpus=[1, 2])
        self.assertEqual([each.verdict for each in large], ["oom", "oom"])
        single = rooflab.predict("resnet18", device="h200", batch=8, phase="training", gpus=2)
        self.assertEqual(single.time, two.time)

    def test_a_replayed_graph_has_no_issue_costs_of_the_host(self):
        eager = rooflab.predict("resnet18", device="h200")
        graph = rooflab.predict("resnet18", device="h200", issued_by="graph")
        self.assertEqual((eager.issued_by, graph.issued_by), ("pytorch", "graph"))
        self.assertLess(graph.time, eager.time)
        self.assertTrue(any(note.startswith("a CUDA graph is replayed") for note in graph.notes),
                        graph.notes)
        self.assertIsNone(graph.context)

    def test_options_reach_the_program(self):
        without = rooflab.predict("resnet18", device="t4", options=["--time-model", "limit"])
        self.assertIsNone(without.time)
        self.assertGreater(without.limit, 0)


class Peaks(unittest.TestCase):
    def test_peak_of_a_t4(self):
        peak = rooflab.peak("t4", "fp16")  # NVIDIA's datasheet: 65 TFLOPS, 320 GB/s, 16 GB
        self.assertEqual((peak.device, peak.path), ("t4", "fp16_tensor_fp32"))
        self.assertEqual((peak.flops_per_s, peak.bandwidth, peak.memory), (65e12, 320e9, 16e9))
        self.assertEqual(peak.by_path["fp32_vector"], 8.1e12)
        self.assertEqual(float(rooflab.peak("t4")), 8.1e12)
        self.assertEqual(rooflab.peak("t4", "amp").path, "fp16_tensor_fp32")
        self.assertEqual(rooflab.peak("NVIDIA H200", "amp").path, "bf16_tensor_fp32")

    def test_mfu(self):
        self.assertAlmostEqual(rooflab.mfu(6.5e12, 0.4, "t4", "fp16"), 0.25)
        summary = rooflab.summary("resnet18", batch=8)
        self.assertAlmostEqual(rooflab.mfu(summary, 0.1, "t4"),
                               2 * 8 * RESNET18_MACS / 0.1 / 8.1e12)
        prediction = rooflab.predict("resnet18", device="t4", batch=8, precision="fp16")
        self.assertAlmostEqual(rooflab.mfu(prediction, 0.1), 2 * 8 * RESNET18_MACS / 0.1 / 65e12)
        self.assertAlmostEqual(rooflab.mfu(prediction, 0.1, precision="fp32"),
                               2 * 8 * RESNET18_MACS / 0.1 / 8.1e12)

    def test_mfu_needs_to_know(self):
        with self.assertRaisesRegex(rooflab.Error, "needs the precision"):
            rooflab.mfu(1e12, 0.1, "t4")
        with self.assertRaisesRegex(rooflab.Error, "cannot take 0 s"):
            rooflab.mfu(1e12, 0, "t4", "fp16")
        with self.assertRaisesRegex(rooflab.Error, "2 devices"):
            rooflab.peak("t4,h200")


class Objects(unittest.TestCase):
    def test_keys_are_attributes(self):
        fields = wrap({"a": 1, "b": {"c": [{"d": 2}]}})
        self.assertEqual((fields.a, fields.b.c[0].d, fields["b"]["c"][0]["d"]), (1, 2, 2))
        self.assertEqual((list(fields), len(fields), "a" in fields), (["a", "b"], 2, True))
        self.assertEqual(fields.to_dict(), {"a": 1, "b": {"c": [{"d": 2}]}})
        with self.assertRaisesRegex(AttributeError, "no field 'e'; there are: a, b"):
            fields.e
        self.assertEqual(eval(repr(fields), {"Fields": Fields}).a, 1)


class Starts(StandIn):
    def test_a_result_starts_the_program_once(self):
        rooflab.summary("resnet18")
        text = str(rooflab.predict("resnet18", device="t4"))
        self.assertIn("t4", text)
        self.assertEqual(len(self.starts()), 2)


if __name__ == "__main__":
    unittest.main()
