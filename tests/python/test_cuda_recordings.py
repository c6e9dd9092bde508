"""Programs recorded on `meta` compared with the recordings of an H200: the same operations, tensors,
places, births and frees."""
import gzip
import json
import sys
import unittest

from surroundings import CHECKOUT, Environment, torch_or_skip

torch = torch_or_skip()

sys.path.append(str(CHECKOUT / "tools" / "gpu"))

from compare_steps import compare, lines_of, read  # noqa: E402
from programs import all_programs  # noqa: E402
from record_hidden import WARM_UP_STEPS, assumed  # noqa: E402
from rooflab import _torch  # noqa: E402
from rooflab.recorder import record  # noqa: E402

RECORDINGS = CHECKOUT / "tests" / "data" / "recordings" / "gpu"
# Those that are small, and run the same operations in PyTorch 2.11, which recorded them, to 2.14.
PROGRAMS = ("custom_function", "gan", "resnet18", "lstm_lm", "llama", "gru")


def in_words_of_2_15(path, to):
    """The recording as PyTorch 2.15 would have made it: a copy with other names of operations.

    Its `linear` (aten/src/ATen/native/Linear.cpp), whose input has three dimensions or more, gives the
    product its extents by `_unsafe_view`, on all devices; before it did by `view`. Nothing else of it
    changed: backward is `UnsafeViewBackward0`, which again calls `view`.
    """
    lines = list(lines_of(path))
    names = [line for line in lines if "op" in line]
    for product, view in zip(names, names[1:]):
        if (product["op"], view["op"]) == ("aten.addmm", "aten.view") and (
                view["in"] == product["out"]):
            view["op"] = "aten._unsafe_view"
    places = [line for line in lines if line.get("at") == "backward"]
    for view, product in zip(places, places[1:]):
        if product.get("node") == "AddmmBackward0" and view == {**product, "node": "ViewBackward0"}:
            view["node"] = "UnsafeViewBackward0"
    with gzip.open(to, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@unittest.skipIf(_torch.RELEASE < (2, 11), "the recordings are of PyTorch 2.11: older ones have "
                 "other operations")
class Recordings(Environment):
    def test_a_step_on_meta_is_that_of_the_gpu(self):
        for name in PROGRAMS:
            with self.subTest(program=name):
                real = str(RECORDINGS / f"{name}.rec.jsonl.gz")
                if _torch.RELEASE >= (2, 15):
                    older, real = real, str(self.folder / f"{name}.real.rec.jsonl.gz")
                    in_words_of_2_15(older, real)
                program = all_programs()[name](device="meta", scale="real")
                to = str(self.folder / f"{name}.rec.jsonl.gz")
                record(program.step, to=to, name=program.name, batch=program.batch,
                       warmup=WARM_UP_STEPS, assume=assumed(real))
                found = compare(real, to)
                self.assertGreater(found["ops"][0], 50)
                self.assertEqual([(one["kind"], one["all"][0]) for one in found["differences"]
                                  if not one["reason"]], [])

    def test_a_step_on_the_cpu_is_that_on_meta(self):
        """But for what is the host's, which nobody can tell from the device's there."""
        for name in ("diffusion", "lora", "contrastive", "accumulation", "einsum_mixer", "llama",
                     "unet3d"):
            with self.subTest(program=name):
                found = []
                for device in ("cpu", "meta"):
                    program = all_programs()[name](device=device, scale="small")
                    to = str(self.folder / f"{name}.{device}.rec.jsonl.gz")
                    record(program.step, to=to, batch=program.batch, assume=assumed(to))
                    found.append([(op.name, op.layouts, op.place) for op in read(to).ops])
                self.assertEqual(*found)


if __name__ == "__main__":
    unittest.main()
