"""The rules of bench/peers on ledgers that are written by hand, the table of cases, and the kept page.

No test needs PyTorch or a peer. The expected figures follow from the shapes and the sentences of the rules.
"""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench/peers"), str(ROOT / "bench")]

import case  # noqa: E402
import judge  # noqa: E402
import peers  # noqa: E402
import peers_page  # noqa: E402
import rules  # noqa: E402

CASES = case.all_cases()
KEPT, PAGE = ROOT / "bench/peers/results.json", ROOT / "docs/peers.md"


def module(kind, children=(), parameters=None, names=("",), **settings):
    held = {name: [shape, True, True, 1] for name, shape in (parameters or {}).items()}
    return {"type": f"torch.nn.modules.any.{kind}", "children": list(children), "parameters": held,
            "names": list(names), "settings": settings, "buffers": 0}


def op(name, macs, within, via=()):
    return {"kind": "op", "name": name, "macs": macs, "via": list(via), "within": within}


def called(number, given, out, within=()):
    return {"kind": "module", "number": number, "input": given, "inputs": [given], "output": out,
            "within": list(within)}


def call(name, shapes, out, within, macs=0):
    return {"kind": "call", "name": name, "shapes": shapes, "output": out, "bias": True, "affine": True, "macs": macs,
            "inside": [], "within": within}


# Linear(4, 8) with a bias on 2 samples of 5 rows: 2 * 5 * 4 * 8 = 320 multiply-adds, 40 parameters.
LINEAR = {"modules": [module("Linear", parameters={"weight": [8, 4], "bias": [8]})], "batch": 2, "events": [
    op("addmm", 320, [0], ["F.linear"]),
    call("F.linear", [[2, 5, 4], [8, 4], [8]], [2, 5, 8], [0], 320),
    called(0, [2, 5, 4], [2, 5, 8])]}
# A norm of 3 channels on 1 x 3 x 2 x 2, then a ReLU: nothing is multiplied.
NORM = {"modules": [module("Sequential", [1, 2]), module("BatchNorm2d", parameters={"weight": [3], "bias": [3]},
                                                         names=["0"], affine=True), module("ReLU", names=["1"])],
        "batch": 1, "events": [
            call("F.batch_norm", [[1, 3, 2, 2], [3], [3]], [1, 3, 2, 2], [0, 1]),
            called(1, [1, 3, 2, 2], [1, 3, 2, 2], [0]),
            call("F.relu", [[1, 3, 2, 2]], [1, 3, 2, 2], [0, 2]),
            called(2, [1, 3, 2, 2], [1, 3, 2, 2], [0]),
            called(0, [1, 3, 2, 2], [1, 3, 2, 2])]}
# Fused attention of 1 head, 6 queries and keys of 8: 2 * 6 * 6 * 8 = 576.
ATTENTION = {"modules": [module("Written")], "batch": 1, "events": [
    op("_scaled_dot_product_flash_attention_for_cpu", 576, [0], ["F.scaled_dot_product_attention"]),
    called(0, [1, 1, 6, 8], [1, 1, 6, 8])]}
# A 2 x 3 matrix by 4 of 3 x 5: 4 * 2 * 3 * 5 = 120; by the first operand's elements 6 * 5 = 30.
BROADCAST = {"modules": [module("Written")], "batch": 1, "events": [
    op("bmm", 120, [0], ["torch.matmul"]),
    call("torch.matmul", [[2, 3], [4, 3, 5]], [4, 2, 5], [0], 120),
    called(0, [2, 3], [4, 2, 5])]}
# One layer of oneDNN's LSTM: 3 steps, 2 samples, 4 inputs, 5 units: 6 * 20 * 9 = 1080.
LSTM = {"modules": [module("LSTM", parameters={"weight_ih_l0": [20, 4], "weight_hh_l0": [20, 5], "bias_ih_l0": [20],
                                               "bias_hh_l0": [20]},
                           input_size=4, hidden_size=5, num_layers=1, bidirectional=False, bias=True)],
        "batch": 3, "events": [op("mkldnn_rnn_layer", 1080, [0]), called(0, [3, 2, 4], [3, 2, 5])]}
# ConvTranspose2d(2, 3, 2, stride 2) on 1 x 2 x 4 x 4: 16 places * 2 * 3 * 4 = 384; by outputs 64 * 3 * 2 * 4.
TRANSPOSED = {"modules": [module("ConvTranspose2d", parameters={"weight": [2, 3, 2, 2]}, groups=1)], "batch": 1,
              "events": [op("convolution", 384, [0], ["F.conv_transpose2d"]),
                         call("F.conv_transpose2d", [[1, 2, 4, 4], [2, 3, 2, 2], None], [1, 3, 8, 8], [0], 384),
                         called(0, [1, 2, 4, 4], [1, 3, 8, 8])]}


def figure(peer, recorded):
    """What the rules say that a peer says."""
    ledger = rules.Ledger(recorded)
    return ledger.macs + sum(judge.MACS[peer](ledger).values())


class Predictions(unittest.TestCase):
    def check(self, recorded, **expected):
        for peer, macs in expected.items():
            self.assertEqual(figure(peer, recorded), macs, peer)

    def test_linear_on_a_sequence(self):
        # torchinfo: 40 parameters for each of 2 samples. ptflops: 8 biases for each of 10 rows, halved by the batch.
        self.check(LINEAR, torchinfo=80, fvcore=320, calflops=320, thop=320, ptflops=(320 + 80) / 2, flop_counter=320)

    def test_norm_and_relu(self):
        # 12 elements: thop 4 each, fvcore 2, ptflops 2 and the ReLU twice; torchinfo 6 weights once.
        self.check(NORM, torchinfo=6, fvcore=24, calflops=0, thop=48, ptflops=24 + 12 + 12, flop_counter=0)

    def test_fused_attention(self):
        self.check(ATTENTION, torchinfo=0, fvcore=0, calflops=0, thop=0, ptflops=0, flop_counter=576)

    def test_broadcast_product(self):
        self.check(BROADCAST, fvcore=30, calflops=30, ptflops=30, thop=0, flop_counter=120)

    def test_lstm(self):
        # Biases: 40 for each of 6 rows. Gates of thop: 8 * 5 a row. Of ptflops: 10 * 5 a row, divided by 3 rows.
        self.check(LSTM, torchinfo=1080 + 240, fvcore=0, calflops=0, flop_counter=0, thop=1080 + 240 + 6 * 40,
                   ptflops=(1080 + 240 + 6 * 50) / 3)

    def test_transposed_convolution(self):
        self.check(TRANSPOSED, torchinfo=24 * 64, fvcore=384, calflops=384, thop=192 * 2 * 4, ptflops=384,
                   flop_counter=384)


class Parameters(unittest.TestCase):
    def said(self, peer, recorded, truth):
        return truth + sum(judge.rules_parameters.parameters(peer, rules.Ledger(recorded), truth).values())

    def test_thop_has_none_of_the_module_itself(self):
        self.assertEqual(self.said("thop", LINEAR, 40), 0)
        self.assertEqual(self.said("torchinfo", LINEAR, 40), 40)

    def test_packed_weights(self):
        empty = {"modules": [module("Written")], "batch": 1, "events": []}
        for peer in ("torchinfo", "fvcore", "calflops", "thop", "ptflops"):
            self.assertEqual(self.said(peer, empty, 40), 0, peer)

    def test_weights_that_need_no_gradient(self):
        frozen = {"modules": [module("Linear", parameters={"weight": [8, 4], "bias": [8]})], "batch": 1, "events": []}
        frozen["modules"][0]["parameters"]["weight"][1] = False
        self.assertEqual(self.said("ptflops", frozen, 40), 8)
        self.assertEqual(self.said("fvcore", frozen, 40), 40)


class Judgement(unittest.TestCase):
    described = case.Case("one", "functional", None, 320, 40, "by hand")

    def judged(self, **figures):
        return judge.judged("torchinfo", self.described, figures, {"one": rules.Ledger(LINEAR)}, {})["because"]

    def test_explained_equal_and_unexplained(self):
        self.assertEqual(self.judged(macs=80)["macs"], {"torchinfo: weights x first dimension": -256,
                                                        "torchinfo: a bias is a multiply-add": 16})
        self.assertEqual(self.judged(macs=320)["macs"], {})
        self.assertIsNone(self.judged(macs=90)["macs"])
        self.assertIsNone(self.judged(parameters=41)["parameters"])

    def test_rounded_truth(self):
        rounded = case.Case("one", "network", None, 300, 40, "published", within=50)
        self.assertEqual(judge.exact(rounded, rules.Ledger(LINEAR)), 320)
        self.assertEqual(judge.exact(self.described, rules.Ledger(NORM)), 320)


class Table(unittest.TestCase):
    def test_cases(self):
        self.assertGreaterEqual(len(CASES), 60)
        self.assertEqual({each.kind for each in CASES.values()}, set(case.KINDS))
        for name, each in CASES.items():
            self.assertGreater(each.macs, 0, name)
            self.assertTrue(each.source, name)
            self.assertLess(each.within, 0.01 * each.macs, name)

    def test_rules_have_a_place(self):
        for key, each in rules.RULES.items():
            self.assertRegex(each.place, r"^[a-z_]+/[a-z_/]+\.py:\d+$", key)
            self.assertTrue(each.text.endswith("."), key)


class Page(unittest.TestCase):
    def small(self, **row):
        name = "MLP"
        return {"machine": {"cpu": "CPU A", "cpus": 2}, "date": "2026-01-02", "repetitions": 5, "load": 1.5,
                "versions": {peer: "1" for peer in ("torch", "torchinfo", "fvcore", "calflops", "thop", "ptflops",
                                                    "onnx-tool", "accelerate", "rooflab", "torchvision", "timm",
                                                    "transformers", "torchao", "onnxruntime")},
                "import_s": {peer: {"torch": 1.0, "peer": 0.5} for peer in peers_page.NAMES},
                "rows": {name: {"truth": 100, "peers": {peer: {
                    "macs": 100, "parameters": 7, "seconds": 0.2, "cpu_seconds": 0.1, "lines": 3, "peak_bytes_of_call": 4e6,
                    "because": {"macs": {}, "parameters": {}}} | row for peer in peers_page.NAMES}}}}

    def test_equal(self):
        words = peers_page.text(self.small(), CASES)
        self.assertIn("| thop | 1 | 1 | 0 | 1 | 0 | 0 | 1 | 0 | 0 |", words)
        self.assertIn("| MLP | functional | 100 | = |", words)

    def test_unexplained_and_refused(self):
        words = peers_page.text(self.small(macs=150, because={"macs": None}), CASES)
        self.assertIn("| thop | 1 | 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |", words)
        self.assertIn("| **unexplained** |", words)
        self.assertIn("+50.0%", words)
        refusing = self.small()
        refusing["rows"]["MLP"]["peers"]["thop"] = {"error": "ValueError: no"}
        self.assertIn("| thop | MLP | ValueError: no |", peers_page.text(refusing | {}, CASES))

    def test_kept(self):
        peers.check_page(KEPT, PAGE)

    def test_nothing_is_unexplained(self):
        self.assertNotIn("**unexplained**", PAGE.read_text(encoding="utf-8"))
        kept = peers.json.loads(KEPT.read_text(encoding="utf-8"))
        self.assertEqual(list(kept["rows"]), list(CASES))
        for peer in peers_page.NAMES:
            rows = peers_page.explained_by_hand(kept, peer)
            for figure_name in peers_page.FIGURES:
                self.assertEqual(peers_page.tally(rows, figure_name)[2], 0, (peer, figure_name))


if __name__ == "__main__":
    unittest.main()
