"""Whole steps that run as on a CUDA device: autocast, loss scaling, predictions, what stays behind."""
import gc
import sys
import unittest
import warnings

from surroundings import torch_or_skip

torch = torch_or_skip()

import rooflab  # noqa: E402
from imitated_steps import IN_PLACES, Steps  # noqa: E402
from recording_checker import check  # noqa: E402
from rooflab import _torch  # noqa: E402
from rooflab.errors import RecordingError  # noqa: E402
from rooflab.recorder import Recorder, record  # noqa: E402


class Autocast(Steps):
    def test_softmax_in_float32_and_products_in_halves(self):
        for device in IN_PLACES:
            for dtype in (torch.float16, torch.bfloat16):
                layer = torch.nn.Linear(4, 4).to(device)
                value = torch.ones(2, 4, device=device)

                def step():
                    with torch.autocast(device, dtype=dtype):
                        return layer(value).softmax(-1)

                seen = check(record(step, warmup=0))
                types = [seen.layouts[seen.tensors[seen.find(name)[0].outputs[0]]["layout"]]
                         for name in ("addmm", "_softmax")]
                half = "f16" if dtype is torch.float16 else "bf16"
                self.assertEqual([one["layout"] for one in types], [half, "f32"])
                self.assertEqual(seen.find("addmm")[0].place["autocast"], half)

    def test_what_was_made_before_the_recording_is_on(self):
        """PyTorch turned it off, because there was no GPU."""
        if torch.cuda.is_available():
            self.skipTest("this machine has a GPU")
        program = sys.modules[__name__]
        registry = vars(program).setdefault("__warningregistry__", {})
        self.addCleanup(registry.clear)
        layer = torch.nn.Linear(4, 4)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("default")
            autocast, scaler = torch.autocast("cuda", torch.float16), _torch.GradScaler()

        def step():
            with autocast:
                loss = layer(torch.ones(2, 4)).sum()
                with torch.autocast("cuda", enabled=False):
                    loss = loss + layer(torch.ones(2, 4)).sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

        seen = check(record(step))
        first, second = seen.find("addmm")
        self.assertEqual((first.place.get("autocast"), second.place.get("autocast")), ("f16", None))
        noted = {line["assumed"] for line in seen.assumed}
        if _torch.RELEASE >= (2, 3):
            self.assertIn("_amp_foreach_non_finite_check_and_unscale_",
                          [op.kind for op in seen.ops])
            self.assertEqual(noted, {"autocast", "scaler"})
        else:
            self.assertEqual(noted, {"autocast"})
        self.assertFalse(autocast._enabled or scaler._enabled)


class Surroundings(Steps):
    def test_the_recording_says_what_was_imitated(self):
        self.assertEqual(record(lambda: torch.ones(2) + 1).imitates, {"capability": "9.0"})
        found = record(lambda: torch.ones(2) + 1, imitate="8.6").imitates
        self.assertEqual(found, {"capability": "8.6"})
        self.assertIsNone(record(lambda: torch.ones(2) + 1, imitate=False).imitates)

    def test_nothing_stays_behind(self):
        layer = torch.nn.LSTM(3, 4)
        value = torch.ones(5, 2, 3)
        before = layer(value)[0]
        patched = (torch.autocast.__init__, torch.Tensor.__setitem__, torch.tensor)
        record(lambda: layer(value)[0].sum())
        self.assertEqual(patched,
                         (torch.autocast.__init__, torch.Tensor.__setitem__, torch.tensor))
        gc.collect()
        with Recorder(imitate=False) as recorder:
            after = layer(value)[0]
        self.assertFalse([line for line in recorder.recording.open()
                          if "cudnn" in line.get("op", "")])
        self.assertTrue(torch.equal(before, after))

    def test_cuda_without_a_gpu_is_explained(self):
        if torch.cuda.is_available():
            self.skipTest("this machine has a GPU")

        def step():
            return torch.ones(2, device="cuda")

        for warmup in (0, 1):
            with self.assertRaisesRegex(RecordingError, r"test_cuda_steps.py:\d+ in step: .*cuda") \
                    as caught:
                record(step, warmup=warmup)
            self.assertIn("'meta'", caught.exception.hint)


class Predictions(unittest.TestCase):
    def predict(self, **options):
        return rooflab.predict(torch.nn.Linear(4, 8), (6, 4), **options)

    def test_the_recording_names_the_device(self):
        prediction = self.predict(device="t4")
        self.assertEqual(prediction.recording.imitates, {"capability": "7.5", "device": "t4"})

    def test_a_note_says_for_which_of_several_it_was_recorded(self):
        [note] = [one for one in self.predict(device=["t4", "h200"]).notes if "recorded as" in one]
        self.assertIn("as on t4", note)
        self.assertRegex(note, "h200.* may run other kernels$")
        self.assertFalse([one for one in self.predict(device="t4").notes if "recorded as" in one])


if __name__ == "__main__":
    unittest.main()
