"""`rooflab.from_config` of published configurations, with transformers itself: parameters, keys and
values, and products by the models' papers and configurations."""
import dataclasses
import json
import os
import subprocess
import sys
import unittest
import warnings

import rooflab
from recording_checker import check
from surroundings import CHECKOUT, torch_or_skip
from test_from_config import cache_bytes

torch = torch_or_skip()

try:
    import transformers
except ImportError as error:
    raise unittest.SkipTest("transformers is not installed") from error

CONFIGS = CHECKOUT / "tests/python/programs/configs"


@dataclasses.dataclass(frozen=True)
class Decoder:
    """Sizes by the paper. `ffn`: width, and how many products of it a token takes."""

    parameters: int
    layers: int
    width: int
    heads: int
    pairs: int  # of keys and values
    head: int
    ffn: tuple[int, int]
    words: int
    bytes: int = 2  # of a number
    gates: int = 0  # products that choose experts

    @property
    def kept(self):
        """Bytes of keys and values of a token."""
        return self.layers * 2 * self.pairs * self.head * self.bytes

    def macs(self, new, seen, asked):
        """Multiply-adds of `new` tokens that look at `seen`, with words for `asked` of them."""
        each = (self.width * self.head * (2 * self.heads + 2 * self.pairs)
                + self.width * (self.ffn[0] * self.ffn[1] + self.gates))
        return (self.layers * new * (each + 2 * seen * self.heads * self.head)
                + asked * self.width * self.words)


DECODERS = {
    "llama-3.1-8b": Decoder(8_030_261_248, 32, 4096, 32, 8, 128, (14336, 3), 128256),
    "llama-3.2-1b": Decoder(1_235_814_400, 16, 2048, 32, 8, 64, (8192, 3), 128256),
    "qwen2.5-1.5b": Decoder(1_543_714_304, 28, 1536, 12, 2, 128, (8960, 3), 151936),
    "qwen3-0.6b": Decoder(596_049_920, 28, 1024, 16, 8, 128, (3072, 3), 151936),
    "gemma-2b": Decoder(2_506_172_416, 18, 2048, 8, 1, 256, (16384, 3), 256000),
    "mistral-7b": Decoder(7_241_732_096, 32, 4096, 32, 8, 128, (14336, 3), 32000),
    "mixtral-8x7b": Decoder(46_702_792_704, 32, 4096, 32, 8, 128, (14336, 2 * 3), 32000, gates=8),
    "phi-2": Decoder(2_779_683_840, 32, 2560, 32, 32, 80, (10240, 2), 51200),
    "gpt2": Decoder(124_439_808, 12, 768, 12, 12, 64, (3072, 2), 50257, bytes=4),
}


# Numbers that a position turns, where they are not the head's width; none in GPT-2.
TURNED = {"phi-2": 32, "gpt2": 0}
VERSION = int(transformers.__version__.split(".")[0])


def turning(name, tokens):
    """Before version 5 the angles of all positions of a text are a product: frequencies x places."""
    return TURNED.get(name, DECODERS[name].head) // 2 * tokens if VERSION < 5 else 0


def bert_macs(batch, tokens):
    """12 layers of width 768; then a layer of 768 and the words."""
    each = 12 * (4 * 768**2 + 2 * 768 * 3072 + 2 * tokens * 768) + 768**2 + 768 * 30522
    return batch * tokens * each


def vit_macs(batch, _):
    """196 patches of 16 x 16 x 3 and a class token; 12 layers of width 768; 1000 classes."""
    layers = 197 * 12 * (4 * 768**2 + 2 * 768 * 3072 + 2 * 197 * 768)
    return batch * (196 * 16 * 16 * 3 * 768 + layers + 768 * 1000)


def clip_macs(batch, tokens):
    """49 patches of 32 x 32 x 3 and a class token; a text; 512 numbers of each, compared."""
    image = 50 * 12 * (4 * 768**2 + 2 * 768 * 3072 + 2 * 50 * 768) + 49 * 32 * 32 * 3 * 768
    text = tokens * 12 * (4 * 512**2 + 2 * 512 * 2048 + 2 * tokens * 512)
    return batch * (image + text + 768 * 512 + 512 * 512) + batch * batch * 512


# Parameters, and products of an inference.
OTHERS = {
    "bert-base": (109_514_298, bert_macs),
    "vit-base-patch16-224": (86_567_656, vit_macs),
    "clip-vit-base-patch32": (151_277_313, clip_macs),
}


def configured(test, name):
    """The model; skips what this version of transformers does not know. Nothing is called by a name
    that the version warns of."""
    test.enterContext(warnings.catch_warnings())
    warnings.filterwarnings("error", "`(past_key_values|cache_position)`", FutureWarning)
    model = rooflab.from_config(CONFIGS / f"{name}.json")
    if not hasattr(transformers, json.loads(model.file.read_text())["architectures"][0]):
        test.skipTest(f"transformers {transformers.__version__} has no {model.model_type}")
    return model


class Decoders(unittest.TestCase):
    def decoders(self):
        """Before version 5 experts get the tokens that values choose, and `meta` has no values."""
        return {name: one for name, one in DECODERS.items() if VERSION >= 5 or not one.gates}

    @unittest.skipIf(VERSION >= 5, "this version of transformers chooses experts without values")
    def test_experts_that_values_choose(self):
        for phase in ("decode", "prefill", "inference"):
            with self.subTest(phase), self.assertRaisesRegex(rooflab.RecordingError,
                                                             "nonzero needs the values"):
                size = "context" if phase == "decode" else "tokens"
                configured(self, "mixtral-8x7b").record(phase=phase, **{size: 8})

    def test_caches(self):
        for name, by_paper in self.decoders().items():
            with self.subTest(name):
                model = configured(self, name)
                self.assertEqual(model.parameters, by_paper.parameters)
                for cache, places in (("dynamic", 65), ("static", 128)):
                    seen = check(model.record(batch=2, context=64, cache=cache))
                    before = 64 if cache == "dynamic" else places
                    self.assertEqual(cache_bytes(seen), (2 * by_paper.kept * before,
                                                         2 * by_paper.kept * places))
                seen = check(model.record(phase="prefill", batch=2, tokens=64))
                self.assertEqual(cache_bytes(seen), (0, 2 * by_paper.kept * 64))

    def test_products(self):
        """Of experts each is taken for its share of the tokens: two of eight for each."""
        for name, by_paper in self.decoders().items():
            steps = {"decode": ({"context": 64}, 1, by_paper.macs(2, 65, 2)),
                     "prefill": ({"tokens": 64}, 64, by_paper.macs(2 * 64, 64, 2)),
                     "inference": ({"tokens": 64}, 64, by_paper.macs(2 * 64, 64, 2 * 64))}
            for phase, (sizes, places, macs) in steps.items():
                with self.subTest(f"{name} {phase}"):
                    summary = configured(self, name).summary(phase=phase, batch=2, **sizes)
                    self.assertEqual(summary.coverage, 1.0, summary.uncounted)
                    self.assertEqual(summary.macs, macs + turning(name, places))


def sizes_of(name):
    """The sizes that the model's input has besides the batch: 48 tokens; none of an image."""
    return {} if name.startswith("vit") else {"tokens": 48}


class Others(unittest.TestCase):
    def test_products(self):
        for name, (parameters, macs) in OTHERS.items():
            with self.subTest(name):
                model = configured(self, name)
                self.assertEqual((model.parameters, model.phases[0]), (parameters, "inference"))
                summary = model.summary(batch=2, **sizes_of(name))
                self.assertEqual(summary.coverage, 1.0, summary.uncounted)
                self.assertEqual(summary.macs, macs(2, 48))

    def test_an_encoder_with_a_decoder(self):
        """T5: 12 layers, each with 12 heads of 64 for the decoder's tokens and for the encoder's."""
        model = configured(self, "t5-base")
        size = 2 if model.dtype == "bfloat16" else 4
        token = 12 * 2 * 12 * 64 * size
        seen = check(model.record(batch=2, tokens=40, context=10))
        self.assertEqual(cache_bytes(seen), (2 * token * 50, 2 * token * 51))
        with self.assertRaisesRegex(rooflab.Error, "has a dynamic cache"):
            model.record(cache="static")


class Steps(unittest.TestCase):
    def test_training_and_inference(self):
        for name in ("gpt2", "bert-base", "t5-base", "qwen2.5-1.5b", "vit-base-patch16-224"):
            model = configured(self, name)
            for phase in ("inference", "training"):
                with self.subTest(f"{name} {phase}"):
                    sizes = {"context": 16} if name == "t5-base" else {}
                    recording = model.record(phase=phase, batch=2, **sizes_of(name), **sizes)
                    self.assertEqual(cache_bytes(check(recording)), (0, 0))
                    self.assertEqual(next(iter(recording.open()))["grad"], phase == "training")
                    self.assertEqual(rooflab.summary(recording).coverage, 1.0)

    def test_the_command_line(self):
        done = subprocess.run(
            [sys.executable, "-m", "rooflab", "summary", str(CONFIGS / "bert-base.json"), "--batch",
             "2", "--tokens", "16", "--format", "json"], capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT / "python")})
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["batch"], answer["totals"]["coverage_share"]), (2, 1.0))


if __name__ == "__main__":
    unittest.main()
