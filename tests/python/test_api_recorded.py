"""What summaries and predictions say of real recordings of small modules."""
import gc
import json
import unittest
from unittest import mock

from surroundings import Environment, torch_or_skip

torch = torch_or_skip()

import rooflab  # noqa: E402
from rooflab import _version  # noqa: E402

nn = torch.nn


def network():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))  # 544 + 132 parameters


def optimizer_ops(recording):
    """The operations of the optimizer's pass."""
    names, place = [], None
    for line in recording.open():
        place = line.get("at", place)
        if "op" in line and place == "optimizer":
            names.append(line["op"])
    return names


class Parameters(unittest.TestCase):
    def test_one_that_no_operation_uses_counts(self):
        class Partly(nn.Module):
            def __init__(self):
                super().__init__()
                self.used, self.unused = network(), nn.Linear(100, 10)
                self.register_buffer("table", torch.zeros(7))

            def forward(self, x):
                return self.used(x)

        for phase in ("inference", "training"):
            self.assertEqual(rooflab.summary(Partly(), (2, 16), phase=phase).parameters,
                             544 + 132 + 1010)

    def test_several_in_one_storage_count_one_by_one(self):
        class Parts(nn.Module):
            def __init__(self):
                super().__init__()
                whole = torch.zeros(100)
                self.scale, self.shift = nn.Parameter(whole[:16]), nn.Parameter(whole[16:32])
                self.unused = nn.Parameter(whole[32:62])

            def forward(self, x):
                return x * self.scale + self.shift

        self.assertEqual(rooflab.summary(Parts(), (2, 16)).parameters, 16 + 16 + 30)

    def test_tied_ones_count_once(self):
        model = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False))
        model[1].weight = model[0].weight
        self.assertEqual(rooflab.summary(model, (2, 8)).parameters, 64)


class Names(Environment):
    def test_a_temporary_file_is_not_shown(self):
        self.folder.joinpath("work").mkdir()
        self.enter(mock.patch("tempfile.tempdir", str(self.folder / "work")))
        model = nn.Sequential(*(nn.Linear(512, 512) for _ in range(4)))
        one = rooflab.predict(model, (4096, 512), device="t4", phase="training")
        self.assertIn("cuda_core_products", [finding.kind for finding in one.findings])
        several = rooflab.predict(model, (4096, 512), device=["t4", "h200"], phase="training")
        summary = rooflab.summary(model, (4096, 512))
        shown = [str(one), one.explain(), repr(one), str(several), str(several["t4"]), str(summary)]
        shown += [json.dumps(each.to_dict()) for each in (one, several, summary)]
        shown += [note for each in (one, summary) for note in each.notes]
        shown += [json.dumps(finding.to_dict()) for finding in one.findings]
        with self.assertRaises(rooflab.Error) as caught:
            rooflab.predict(model, (4096, 512), device="t4", options=["--batch", "3"])
        own = rooflab.record(model, torch.ones(8, 512))
        again = rooflab.predict(own, device="t4")
        self.assertEqual(again.model, "Sequential")
        shown += [str(caught.exception), repr(own), str(again), json.dumps(again.to_dict())]
        self.assertIn("Sequential is a recording of batch 4096, not 3", caught.exception.message)
        for text in shown:
            self.assertNotIn(str(self.folder), text)
            self.assertNotIn(".rec.jsonl", text)

    def test_a_temporary_file_lasts_as_long_as_its_recording(self):
        self.enter(mock.patch("tempfile.tempdir", str(self.folder)))
        recording = rooflab.summary(network(), (2, 16)).recording
        self.assertEqual(sum("op" in line for line in recording.open()), recording.ops)
        self.assertEqual(len(list(self.folder.iterdir())), 1)
        del recording
        with self.assertRaises(RuntimeError):
            rooflab.summary(network(), (2, 17))
        gc.collect()
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_writer_is_the_project_s_version(self):
        recording = rooflab.summary(network(), (2, 16)).recording
        self.assertEqual(next(recording.open())["writer"], f"rooflab {_version.version()}")


class Optimizers(unittest.TestCase):
    def test_a_built_step_runs_as_on_a_gpu(self):
        model = network()
        given = torch.optim.AdamW(model.parameters())
        for optimizer in ("sgd", "sgd-momentum", "adam", "adamw", given,
                          lambda parameters: torch.optim.RMSprop(parameters)):
            recording = rooflab.summary(model, (2, 16), phase="training",
                                        optimizer=optimizer).recording
            names = [name for name in optimizer_ops(recording)
                     if name.startswith("aten._foreach_")]
            self.assertTrue(names, optimizer)
            self.assertLess(len(optimizer_ops(recording)), 40)
        self.assertIsNone(given.param_groups[0]["foreach"])

    def test_what_the_user_chose_stays(self):
        model = network()
        chosen = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
        own = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.ones(2, 16)

        def step():
            own.zero_grad()
            model(x).sum().backward()
            own.step()

        recording = rooflab.summary(model, x, phase="training", optimizer=chosen).recording
        self.assertEqual(set(optimizer_ops(recording)), {"aten.add_"})  # one for each parameter
        self.assertEqual(len(optimizer_ops(recording)), 4)
        # A step of the user's own is left alone: PyTorch 2 itself asks the imitated device.
        names = set(optimizer_ops(rooflab.summary(step).recording))
        self.assertIn(names, ({"aten.add_"}, {"aten._foreach_add_"}))


class Precision(unittest.TestCase):
    def test_amp_of_a_model_on_the_cpu_is_predicted_for_each_gpu(self):
        for device, precision, kind in (("h200", "amp-bf16", "bf16"), ("t4", "amp-fp16", "f16")):
            result = rooflab.predict(network(), (8, 16), device=device, phase="training",
                                     precision="amp")
            self.assertEqual(result.precision, precision)
            self.assertEqual(result.coverage, 1)
            types = {line["layout"] for line in result.recording.open() if "layout" in line
                     and "shape" in line}
            self.assertLessEqual({kind, "f32"}, types)
            self.assertNotIn({"bf16": "f16", "f16": "bf16"}[kind], types)


if __name__ == "__main__":
    unittest.main()
