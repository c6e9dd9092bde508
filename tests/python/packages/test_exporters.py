"""Networks of torchvision and transformers through both of PyTorch's exporters to ONNX: the batch and
the length stay open, and at other sizes than the exported ones the products are those by hand."""
import importlib.util
import inspect
import json
import unittest
import warnings

from surroundings import Environment, torch_or_skip

torch = torch_or_skip()

from rooflab import _program  # noqa: E402
from rooflab._torch import RELEASE  # noqa: E402
from test_families import VERSION, Decoder  # noqa: E402

WIDTH, WIDE, WORDS, LAYERS, HEADS = 32, 64, 100, 2, 4
BATCH, LENGTH = 6, 24  # of the summary; exported are 2 and 8


class Logits(torch.nn.Module):
    """The model with one argument and one result."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        # With a mask nobody looks whether texts are packed, which the older exporter cannot write.
        return self.model(tokens, attention_mask=torch.ones_like(tokens), use_cache=False).logits


class Encoded(Logits):
    def forward(self, tokens):
        return self.model(tokens, attention_mask=torch.ones_like(tokens)).logits


def turning(make, texts):
    """Angles of a rotation, before version 5 of transformers: frequencies x places of a text."""
    return WIDTH // HEADS // 2 * texts * LENGTH if make is llama and VERSION < 5 else 0


def llama(transformers):
    config = transformers.LlamaConfig(
        hidden_size=WIDTH, intermediate_size=WIDE, vocab_size=WORDS, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS, num_key_value_heads=2)
    sizes = Decoder(0, LAYERS, WIDTH, HEADS, 2, WIDTH // HEADS, (WIDE, 3), WORDS)
    return Logits(transformers.LlamaForCausalLM(config)), sizes


def gpt2(transformers):
    config = transformers.GPT2Config(n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, vocab_size=WORDS,
                                     n_inner=WIDE)
    sizes = Decoder(0, LAYERS, WIDTH, HEADS, HEADS, WIDTH // HEADS, (WIDE, 2), WORDS)
    return Logits(transformers.GPT2LMHeadModel(config)), sizes


def bert(transformers):
    """Its head has a layer of the same width before the words."""
    config = transformers.BertConfig(
        hidden_size=WIDTH, intermediate_size=WIDE, vocab_size=WORDS, num_hidden_layers=LAYERS,
        num_attention_heads=HEADS)
    sizes = Decoder(0, LAYERS, WIDTH, HEADS, HEADS, WIDTH // HEADS, (WIDE, 2), WORDS + WIDTH)
    return Encoded(transformers.BertForMaskedLM(config)), sizes


# Operators that the program lists as unknown, by network and exporter. PyTorch 2.15 writes GPT-2's
# `split` as a sequence, which its optimizer would make a Split.
OPEN = {(gpt2, True): {"SplitToSequence", "SequenceAt"}} if RELEASE >= (2, 15) else {}


def exporters():
    """Whether the exporter of torch.export is meant, for each exporter that is here."""
    has_new = "dynamo" in inspect.signature(torch.onnx.export).parameters
    return [False, True] if has_new and importlib.util.find_spec("onnxscript") else [False]


@unittest.skipUnless(importlib.util.find_spec("onnx"), "onnx is not installed")
class Exported(Environment):
    def setUp(self):
        super().setUp()
        self.enter(warnings.catch_warnings())
        warnings.simplefilter("ignore")

    def export(self, model, given, names, is_new):
        """The file; `names` of its open dimensions. The older exporter stores equal parameters once,
        so no two are equal."""
        file = self.folder / "net.onnx"
        with torch.no_grad():
            for each in model.parameters():
                each.normal_()
        if is_new:
            dims = {place: torch.export.Dim(name, min=2, max=64) for place, name in names.items()}
            torch.onnx.export(model.eval(), (given,), str(file), dynamo=True, optimize=False,
                              dynamic_shapes=(dims,), verbose=False)
            return file
        older = {"dynamo": False} if "dynamo" in inspect.signature(
            torch.onnx.export).parameters else {}
        torch.onnx.export(model.eval(), (given,), str(file), do_constant_folding=False,
                          training=torch.onnx.TrainingMode.PRESERVE, opset_version=17,
                          input_names=["given"], dynamic_axes={"given": names}, **older)
        return file

    def exported(self, model, is_new):
        try:
            return self.export(model, torch.randint(WORDS, (2, 8)), {0: "batch", 1: "length"},
                               is_new)
        except RuntimeError as error:
            if RELEASE >= (2, 7):
                raise
            # Masks of transformers 4.57 need vmap or `|=`, which PyTorch cannot write here.
            self.skipTest(f"this PyTorch cannot export it: {str(error).splitlines()[0]}")

    def totals(self, file, *flags):
        return json.loads(_program.run(["summary", str(file), "--batch", str(BATCH), *flags,
                                        "--format", "json"]))["totals"]

    @unittest.skipUnless(importlib.util.find_spec("torchvision"), "torchvision is not installed")
    def test_resnet18(self):
        """1,814,073,344 products of an image of 224 x 224 (torchvision's table: 1.81 GFLOPS)."""
        import torchvision

        for is_new in exporters():
            with self.subTest(new=is_new):
                file = self.export(torchvision.models.resnet18(), torch.randn(2, 3, 224, 224),
                                   {0: "batch"}, is_new)
                totals = self.totals(file)
                self.assertEqual((totals["macs"], totals["parameters"], totals["coverage_share"]),
                                 (BATCH * 1_814_073_344, 11_689_512, 1.0), totals["uncounted"])

    @unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
    def test_models_of_transformers(self):
        import transformers

        for make in (llama, gpt2, bert):
            for is_new in exporters():
                with self.subTest(make.__name__, new=is_new):
                    model, sizes = make(transformers)
                    file = self.exported(model, is_new)
                    totals = self.totals(file, "--dim", f"length={LENGTH}")
                    new = BATCH * LENGTH
                    self.assertEqual(totals["macs"],
                                     sizes.macs(new, LENGTH, new) + turning(make, 1))
                    self.assertEqual({one["op"] for one in totals["uncounted"]},
                                     OPEN.get((make, is_new), set()))
                    parameters = sum(each.numel() for each in model.parameters())
                    if is_new:  # a file does not tell a buffer, such as frequencies, from a parameter
                        parameters += sum(each.numel() for name, each in model.named_buffers()
                                          if name.endswith(".inv_freq"))
                    self.assertEqual(totals["parameters"], parameters)


if __name__ == "__main__":
    unittest.main()
