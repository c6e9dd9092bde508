"""Rules by which PyTorch chooses on CUDA, by their source or by recordings of an H200."""
import unittest

from surroundings import torch_or_skip

torch = torch_or_skip()

from rooflab._cuda import autocast  # noqa: E402
from rooflab._cuda.attention_choice import Call, choice  # noqa: E402
from rooflab._cuda.convolutions import (  # noqa: E402
    memory_format, output_shape, suggests_channels_last)
from rooflab._cuda.normalisation import batch_norm_takes_cudnn  # noqa: E402
from rooflab._cuda.recurrent import kept_bytes  # noqa: E402
from rooflab._cuda.target import Target, target_of  # noqa: E402
from rooflab._cuda.weights import flat_order  # noqa: E402
from rooflab.errors import Error  # noqa: E402

BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32
HOPPER, AMPERE, GEFORCE, TURING = (9, 0), (8, 0), (8, 6), (7, 5)
NEW, LATER = (2, 11), (2, 12)


def empty(*shape, dtype=FP32, **more):
    return torch.empty(shape, dtype=dtype, device="meta", **more)


def kernel(dtype, capability, release, width=64, heads=(8, 8), rows=(128, 128), mask=None,
           dropout=0.0, causal=False, grad=True):
    query = empty(2, heads[0], rows[0], width, dtype=dtype)
    key, value = (empty(2, heads[1], rows[1], width, dtype=dtype) for _ in range(2))
    call = Call(query, key, value, mask, dropout, causal, heads[0] != heads[1], grad)
    return choice(call, Target(capability), release)


class Attention(unittest.TestCase):
    """sdp_utils.cpp of the versions named."""

    def check(self, rows):
        for row in rows:
            *place, options, expected = row
            with self.subTest(place=place, options=options):
                self.assertEqual(kernel(*place, **options), expected)

    def test_by_device_and_type(self):
        self.check([
            (BF16, HOPPER, NEW, {}, "cudnn"),  # as recorded: hf_gpt2 on an H200
            (BF16, AMPERE, NEW, {}, "flash"),
            (FP16, TURING, NEW, {}, "efficient"),
            (BF16, TURING, NEW, {}, "math"),
            (FP32, HOPPER, NEW, {}, "efficient"),  # as recorded: contrastive
            (torch.float64, HOPPER, NEW, {}, "math"),
        ])

    def test_by_version(self):
        self.check([
            (BF16, HOPPER, (1, 13), {}, "math"),
            (BF16, HOPPER, (2, 0), {}, "flash"),
            (BF16, HOPPER, (2, 9), {}, "flash"),
            (BF16, HOPPER, (2, 10), {}, "cudnn"),
            (BF16, AMPERE, (2, 0), {"width": 36}, "math"),  # widths of multiples of 8 only
            (BF16, AMPERE, (2, 0), {"width": 192}, "efficient"),
            (BF16, AMPERE, (2, 2), {"width": 36}, "flash"),
        ])

    def test_masks(self):
        mask = empty(2, 1, 128, 128, dtype=torch.bool)
        self.check([
            (BF16, AMPERE, (2, 0), {"mask": mask}, "math"),
            (BF16, AMPERE, NEW, {"mask": mask}, "efficient"),
            (BF16, HOPPER, NEW, {"mask": mask}, "cudnn"),
            (BF16, HOPPER, NEW, {"mask": empty(2, 1, 128, 64, dtype=torch.bool)}, "efficient"),
        ])

    def test_widths(self):
        self.check([
            (FP32, HOPPER, NEW, {"width": 62}, "math"),  # no multiple of 4
            (BF16, AMPERE, NEW, {"width": 264}, "efficient"),
            (BF16, HOPPER, NEW, {"width": 256}, "cudnn"),
            (BF16, GEFORCE, NEW, {"width": 208}, "efficient"),
            (BF16, GEFORCE, NEW, {"width": 208, "grad": False}, "flash"),
            (BF16, GEFORCE, NEW, {"width": 256, "dropout": 0.1}, "efficient"),
        ])

    def test_heads_that_share_keys(self):
        self.check([
            (BF16, AMPERE, NEW, {"heads": (8, 2)}, "flash"),
            (FP16, TURING, NEW, {"heads": (8, 2)}, "math"),
            (FP16, TURING, LATER, {"heads": (8, 2)}, "efficient"),
            (BF16, AMPERE, NEW, {"heads": (8, 3)}, "math"),
        ])

    def test_causal_dropout_and_single_keys(self):
        self.check([
            (BF16, AMPERE, NEW, {"rows": (64, 128), "causal": True}, "efficient"),
            (BF16, HOPPER, LATER, {"dropout": 0.1}, "flash"),  # no multiple of 1/16
            (BF16, HOPPER, LATER, {"dropout": 0.125}, "cudnn"),
            (BF16, HOPPER, NEW, {"rows": (1, 1)}, "flash"),
        ])


class Layouts(unittest.TestCase):
    def test_which_strides_say_channels_last(self):
        """is_channels_last_strides_2d of c10/core/MemoryFormat.h."""
        last = empty(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
        self.assertTrue(suggests_channels_last(last))
        self.assertFalse(suggests_channels_last(empty(2, 3, 4, 5)))
        self.assertFalse(suggests_channels_last(empty(2, 3, 1, 1)))  # both orders have them
        self.assertFalse(suggests_channels_last(empty(3, 4, 5)))
        self.assertTrue(suggests_channels_last(
            empty(2, 3, 4, 5, 6).contiguous(memory_format=torch.channels_last_3d)))

    def test_a_convolution_has_the_layout_of_either_operand(self):
        weight = empty(8, 3, 3, 3)
        last = weight.contiguous(memory_format=torch.channels_last)
        value = empty(2, 3, 9, 9)
        self.assertEqual(memory_format(value, weight), torch.contiguous_format)
        self.assertEqual(memory_format(value, last), torch.channels_last)
        self.assertEqual(memory_format(value.double(), last.double()), torch.contiguous_format)

    def test_shapes_of_convolutions(self):
        self.assertEqual(output_shape([2, 3, 224, 224], [64, 3, 7, 7], [2, 2], [3, 3], [1, 1],
                                      False, [0, 0], 1), [2, 64, 112, 112])
        self.assertEqual(output_shape([2, 64, 9], [64, 4, 3], [2], [1], [2], True, [1], 2),
                         [2, 8, 20])  # 8 x 2 - 2 + 2 x 2 + 1 + 1


class Normalisation(unittest.TestCase):
    def test_when_it_is_cudnn_s(self):
        """_select_batch_norm_backend of Normalization.cpp."""
        weight = torch.empty(3, device="meta")
        half = weight.half()
        rows = [
            (empty(2, 3, 4, 4), weight, weight, True, True, True),
            (empty(2, 3, 4, 4, dtype=FP16), weight, weight, True, True, True),
            (empty(2, 3, 4, 4, dtype=FP16), half, weight, True, True, False),
            (empty(2, 3, 4, 4, dtype=BF16), weight, weight, True, True, False),
            (empty(2, 3), weight, weight, True, True, False),
            (empty(2, 3, 4, 4), None, weight, True, True, False),
            (empty(2, 3, 4, 4), weight, None, False, True, False),
            (empty(2, 3, 4, 4), weight, None, True, True, True),
            (empty(2, 3, 4, 4), weight, weight, True, False, False),
            (empty(70000, 3, 1), weight, weight, False, True, False),
            (empty(70000, 3, 1), weight, weight, True, True, True),
        ]
        for number, (value, scale, mean, training, enabled, expected) in enumerate(rows):
            with self.subTest(row=number):
                self.assertEqual(batch_norm_takes_cudnn(value, scale, weight, mean, mean, training,
                                                        enabled), expected)


class RecurrentLayers(unittest.TestCase):
    def test_weights_in_cudnn_s_order(self):
        self.assertEqual(flat_order(8, 2), [0, 1, 4, 5, 2, 3, 6, 7])
        self.assertEqual(flat_order(4, 0), [0, 1, 2, 3])

    def test_bytes_kept_as_recorded_on_an_h200(self):
        """The programs lstm_lm, gru and lstm_classifier in tests/data/recordings/gpu."""
        self.assertEqual(kept_bytes(2, 70 * 128, 1500, 2, 1, 0.5, 4), 593040256)
        self.assertEqual(kept_bytes(3, 512 * 512, 512, 2, 1, 0.1, 4), 6996099328)
        self.assertEqual(kept_bytes(2, 48305, 512, 1, 2, 0.0, 4), 989286656)


class Autocast(unittest.TestCase):
    def test_every_operator_of_this_pytorch_has_a_rule(self):
        registrations = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCUDA")
        names = {name.partition("::")[2] for name in registrations if name.startswith("aten::")}
        self.assertGreater(len(names), 90)
        known = [*autocast.LOWER, *autocast.FLOAT, *autocast.FLOAT_DTYPE,
                 *autocast.OTHER_OVERLOAD, *autocast.PROMOTE, *autocast.BANNED,
                 "_cudnn_rnn"]  # only where PyTorch has cuDNN: _cuda/recurrent.py casts for it
        self.assertEqual(sorted(names - set(known)), [])
        self.assertEqual(len(known), len(set(known)))


class Targets(unittest.TestCase):
    def test_capabilities(self):
        self.assertEqual(target_of(None).as_dict(), {"capability": "9.0"})
        self.assertEqual(target_of("8.6"), target_of((8, 6)))
        self.assertEqual((target_of((8, 0)).capability, target_of((8, 0)).multiprocessors),
                         ((8, 0), 108))

    def test_devices(self):
        found = target_of("t4")
        self.assertEqual((found.capability, found.multiprocessors), ((7, 5), 40))
        self.assertEqual(found.as_dict(), {"capability": "7.5", "device": found.device})

    def test_what_is_wrong(self):
        for value, text in (((8,), "is not a compute capability"), (7.5, "names no device"),
                            ("mi300x", "has no compute capability"), ("gpu", "unknown device")):
            with self.subTest(value=value), self.assertRaisesRegex(Error, text):
                target_of(value)


if __name__ == "__main__":
    unittest.main()
