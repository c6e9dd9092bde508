"""The programs, recorded on the CPU and read by the program: every operation is counted, and FLOPs
and memory are those that follow from the shapes.

The arithmetic of FLOPS is by hand: a product of (m, k) and (k, n) takes 2 m k n FLOPs. Its backward
pass has one for the gradient of each operand that is trained or depends on what is.
"""
import json
import unittest

from surroundings import Environment, torch_or_skip

torch = torch_or_skip()

import rooflab  # noqa: E402
from programs import all_programs  # noqa: E402
from rooflab import _program  # noqa: E402

THIRTEEN = ("diffusion", "unet3d", "lstm_lm", "graph_net", "gan", "lora", "checkpointing",
            "accumulation", "custom_function", "einsum_mixer", "dlrm", "contrastive",
            "distillation")
MORE = ("llama", "decode", "conv1d", "gru", "moe")
MOST_BYTES = 200_000


def lora():
    """2 blocks of width 64 over 2 x 16 tokens, adapters of rank 4 for q and v, 128 words."""
    rows, width, rank = 32, 64, 4
    square = 2 * rows * width * width
    thin = 2 * rows * width * rank
    attention = 2 * 2 * 16 * 16 * width  # q k' or shares v: batch x length x length x width
    wide = 2 * rows * width * 4 * width
    head = 2 * rows * width * 128
    forward = 2 * (4 * square + 4 * thin + 2 * attention + 2 * wide) + head
    # Frozen: gradients of data only. Nothing before the first block's adapters is trained: its q, k
    # and v have no gradient of data, its k' none at all, and its first thin matrices only their own.
    first = square + 2 * thin + 4 * thin + 3 * attention + 2 * wide
    second = 4 * square + 8 * thin + 4 * attention + 2 * wide
    return forward + first + second + head


def checkpointing():
    """4 blocks of width 32 over 2 x 16 tokens, 128 words. Each block runs forward twice."""
    rows, width = 32, 32
    block = 2 * rows * width * (3 + 1 + 4 + 4) * width + 2 * 2 * 2 * 16 * 16 * width
    return 4 * block * 4 + 3 * 2 * rows * width * 128


def lstm_lm():
    """2 layers of width 32 over 12 x 4 tokens, 200 words. cuDNN computes the first state's
    gradient, too."""
    length, batch, width = 12, 4, 32
    gates = 2 * length * batch * 2 * width * 4 * width
    words = 2 * length * batch * width * 200
    return 3 * (2 * gates + words)


def dlrm():
    """13 -> 32 -> 16 and 26 -> 64 -> 32 -> 1, 5 x 5 products of width 16; 32 samples."""
    first, others = 13 * 32, 32 * 16 + 26 * 64 + 64 * 32 + 32 * 1 + 5 * 5 * 16
    return 2 * 32 * (2 * first + 3 * others)  # the dense features have no gradient


def custom_function():
    """Convolutions 4 x 4 of stride 2 from 32 x 32 to 4 x 4 and back, two of 3 x 3, 32 codes."""
    width, batch = 16, 2
    first = 16 * 16 * 3 * width * 16
    others = ((8 * 8 + 4 * 4) * width * width * 16      # down
              + 2 * 4 * 4 * width * width * 9           # the two of 3 x 3
              + (4 * 4 + 8 * 8) * width * width * 16    # up: each input is multiplied 16 times
              + 16 * 16 * width * 3 * 16)
    nearest = batch * 4 * 4 * width * 32                # without gradients
    return 2 * (batch * (2 * first + 3 * others) + nearest)


def unet3d():
    """3 x 3 x 3 at 16, 8 and 4 voxels a side with 8, 16 and 32 channels; lifts of 2 x 2 x 2."""
    first = 16**3 * 27 * 1 * 8
    others = (27 * (16**3 * 8 * 8 + 8**3 * (8 * 16 + 16 * 16) + 4**3 * (16 * 32 + 32 * 32)
                    + 8**3 * (32 * 16 + 16 * 16) + 16**3 * (16 * 8 + 8 * 8))
              + 4**3 * 8 * 32 * 16 + 8**3 * 8 * 16 * 8   # lifts
              + 16**3 * 8 * 3 + 8**3 * 16 * 3)           # heads
    return 2 * (2 * first + 3 * others)


def accumulation():
    """Patches of 4 x 4, blocks at 8 x 8 with 8 channels and at 4 x 4 with 16; 8 images."""
    first = 8 * 8 * 8 * 3 * 16
    others = (8 * 8 * (8 * 49 + 2 * 8 * 32) + 4 * 4 * 16 * 8 * 4
              + 4 * 4 * (16 * 49 + 2 * 16 * 64) + 16 * 10)
    return 2 * 8 * (2 * first + 3 * others)


def llama():
    """2 layers of width 64 with 4 heads on 2 keys, FFN 160, 200 words, 2 x 16 tokens."""
    rows = 32
    layer = 2 * rows * 64 * (64 + 32 + 32 + 64 + 3 * 160) + 2 * 2 * 2 * 16 * 16 * 64
    return 3 * (2 * layer + 2 * rows * 64 * 200)


def decode():
    """One token for each of 2 samples behind 24 others; no gradients."""
    layer = 2 * 2 * 64 * (64 + 32 + 32 + 64 + 3 * 160) + 2 * 2 * 2 * 25 * 64
    return 2 * layer + 2 * 2 * 64 * 200


FLOPS = {each.__name__: each for each in (lora, checkpointing, lstm_lm, dlrm, custom_function,
                                          unet3d, accumulation, llama, decode)}


# Newer versions run attention as one operation: its gradients make the scores again.
FUSED = ("lora", "llama", "checkpointing") if hasattr(
    torch.nn.functional, "scaled_dot_product_attention") else ()


class Programs(Environment):
    def record(self, name, **options):
        program = all_programs()[name](**options)
        recording = rooflab.record(program.step, to=self.folder / f"{name}.rec.jsonl.gz",
                                   name=name, batch=program.batch, cache=program.cache)
        return program, recording

    def read(self, recording, command="summary", *flags):
        return json.loads(_program.run([command, str(recording.path), *flags, "--format", "json"]))

    def summary(self, name, **options):
        return self.read(self.record(name, **options)[1])["totals"]

    def memory(self, recording):
        return self.read(recording, "predict", "--device", "h200")["cases"][0]["memory"]

    def test_every_program_is_counted_as_a_whole(self):
        for name in THIRTEEN + MORE:
            with self.subTest(name):
                program, recording = self.record(name)
                result = self.read(recording)
                totals = result["totals"]
                self.assertEqual((result["model"], result["batch"]), (name, program.batch))
                self.assertEqual(result["phase"], "training" if program.optimizers else "inference")
                self.assertEqual(totals["coverage_share"], 1.0, totals["uncounted"])
                self.assertEqual((recording.gaps, recording.assumptions), ([], []))
                self.assertFalse([note for note in result["notes"]
                                  if note["kind"].startswith("recording_")])
                self.assertLess(recording.path.stat().st_size, MOST_BYTES)
                # Those of a moving average belong to a module that the step never calls.
                parameters = {id(one): one for key, one in program.parameters()
                              if not key.startswith("average.")}.values()
                self.assertEqual(totals["parameters"], sum(one.numel() for one in parameters))
                held = sum(one.numel() * one.element_size() for one in parameters)
                self.assertGreater(totals["allocated_peak_bytes"], held)
                if name in FLOPS and name not in FUSED:
                    self.assertEqual(totals["matrix_flop"], FLOPS[name]())
                elif name in FLOPS:
                    self.assertGreater(totals["matrix_flop"], FLOPS[name]())
                    self.assertLess(totals["matrix_flop"], 1.02 * FLOPS[name]())

    def test_checkpointing_takes_more_work_and_less_memory(self):
        batch, length, width, words, layers = 32, 16, 32, 128, 4  # activations matter
        plain = self.summary("checkpointing", batch=batch, forms=(None,))
        head = 3 * 2 * batch * length * width * words
        # The backward pass of a fused attention makes the scores again.
        scores = layers * 2 * batch * length * length * width if "checkpointing" in FUSED else 0
        for forms in ((True,), (False,), (True, False)):
            with self.subTest(forms):
                recomputed = self.summary("checkpointing", batch=batch, forms=forms)
                self.assertLess(recomputed["allocated_peak_bytes"], plain["allocated_peak_bytes"])
                # Four forward passes through the blocks instead of three.
                self.assertEqual((recomputed["matrix_flop"] - head - scores) * 3,
                                 (plain["matrix_flop"] - head - scores) * 4)

    def test_micro_batches_take_less_memory(self):
        peaks = [self.summary("accumulation", batch=16, micro_batches=count)
                 for count in (1, 2, 4)]
        bytes_ = [each["allocated_peak_bytes"] for each in peaks]
        self.assertEqual(bytes_, sorted(bytes_, reverse=True))
        self.assertEqual(len(set(bytes_)), 3)
        self.assertEqual(len({each["matrix_flop"] for each in peaks}), 1)

    def test_frozen_weights_have_no_gradients(self):
        program, recording = self.record("lora")
        trained = sum(one.numel() for _, one in program.parameters() if one.requires_grad)
        memory = self.memory(recording)
        self.assertEqual(memory["gradient_bytes"], 4 * trained)
        own = {name: one.requires_grad for name, one in program.modules["model"].named_parameters()}
        rows = self.read(recording)["layers"]
        frozen = [row for row in rows if row["matrix_flop"] and not own.get(f"{row['node']}.weight",
                                                                            True)]
        self.assertEqual({row["node"].split(".")[-1] for row in frozen},
                         {"base", "k", "out", "rise", "fall", "head"})
        self.assertEqual([row["weight_gradient_flop"] for row in frozen], [0] * len(frozen))
        # That of the thin matrices is there: 2 rows x 64 x 4 FLOPs for each.
        self.assertEqual(sum(row["weight_gradient_flop"] for row in rows), 8 * 2 * 32 * 64 * 4)

    def test_both_optimizers_of_a_gan_have_their_state(self):
        program, recording = self.record("gan")
        self.assertEqual([line["optimizer"] for line in recording.open() if "optimizer" in line],
                         ["Adam", "Adam"])
        each = [[one for group in optimizer.param_groups for one in group["params"]]
                for optimizer in program.optimizers]
        self.assertTrue(all(each))
        # Two averages of each value, and PyTorch's number of steps for each parameter.
        expected = sum(2 * 4 * one.numel() + 4 for parameters in each for one in parameters)
        self.assertEqual(self.memory(recording)["optimizer_bytes"], expected)


if __name__ == "__main__":
    unittest.main()
