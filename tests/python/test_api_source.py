"""From modules, steps, recordings, names and paths to what the program is given."""
import gc
import pathlib
import unittest

import rooflab
from surroundings import StandIn, torch_or_skip

torch = torch_or_skip()


def network():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU())


class Sources(StandIn):
    def test_a_module_is_recorded_with_its_inputs(self):
        model = network()
        summary = rooflab.summary(model, torch.ones(6, 4))
        [seen] = self.recorded
        self.assertEqual((seen["name"], seen["warmup"], seen["grad"]), ("Sequential", 0, False))
        self.assertEqual(seen["result"].shape, (6, 8))
        self.assertEqual((summary.recording.name, summary.model), ("Sequential", "Sequential"))
        [start] = self.starts()
        path = start.split()[1]
        self.assertEqual(pathlib.Path(path).name, "Sequential.rec.jsonl")
        self.assertNotIn("--phase", start)  # the recording says it

    def test_the_recording_lives_as_long_as_the_result(self):
        prediction = rooflab.predict(network(), (6, 4), device="t4", phase="training")
        path = pathlib.Path(prediction.recording.path)
        self.assertTrue(path.is_file())
        self.assertIn("conv2d.forward", prediction.explain())  # a second start, with the same file
        self.assertEqual(len(self.starts()), 2)
        del prediction
        gc.collect()
        self.assertFalse(path.exists())

    def test_training_is_recorded_as_one_step_behind_a_first_one(self):
        rooflab.predict(network(), (6, 4), device="t4", phase="training")
        [seen] = self.recorded
        self.assertEqual((seen["warmup"], seen["grad"]), (1, True))
        rooflab.predict(network(), (6, 4), device="t4", phase="training", warmup=3, batch=2)
        self.assertEqual((self.recorded[1]["warmup"], self.recorded[1]["batch"]), (3, 2))

    def test_a_batch_that_contradicts_the_inputs(self):
        for ask in (lambda *inputs, **more: rooflab.predict(*inputs, device="t4", **more),
                    rooflab.summary):
            for inputs in ((torch.ones(6, 4),), ((6, 4),)):
                with self.assertRaises(rooflab.Error) as raised:
                    ask(network(), *inputs, batch=64)
                self.assertIn("batch=64 contradicts the inputs: the first is [6, 4]",
                              raised.exception.message)
        self.assertEqual(self.recorded, [])
        for inputs in (torch.ones(6, 3, 4), torch.ones(3, 6, 4)):  # batch first, tokens first
            rooflab.summary(network(), inputs, batch=6)
        rooflab.summary(network(), torch.ones(6 * 5, 4), batch=6)  # both in one extent

    def test_tf32_is_what_the_recorder_sees(self):
        rooflab.summary(network(), (6, 4), precision="tf32")
        rooflab.summary(network(), (6, 4), precision="fp32")
        self.assertEqual([seen["tf32"] for seen in self.recorded], [(True, True), (False, False)])

    def test_a_step_is_a_function(self):
        model, ran = network(), []

        def my_step():
            ran.append(model(torch.ones(1, 4)).sum().backward())

        prediction = rooflab.predict(my_step, device="t4")
        self.assertEqual((len(ran), prediction.fits), (2, True))
        rooflab.summary(my_step, warmup=0)
        self.assertEqual(len(ran), 3)
        self.assertIn("my_step.rec.jsonl", self.starts()[0])

    def test_a_step_is_whole_already(self):
        for settings, word in (({"phase": "training"}, "phase"), ({"loss": abs}, "loss"),
                               ({"precision": "amp"}, "precision"),
                               ({"optimizer": "sgd"}, "optimizer"),
                               ({"x": 3}, "further arguments")):
            with self.subTest(word), \
                    self.assertRaisesRegex(rooflab.Error, f"{word} cannot be given"):
                rooflab.predict(lambda: None, device="t4", **settings)
        with self.assertRaisesRegex(rooflab.Error, "inputs cannot be given with 'resnet18'"):
            rooflab.summary("resnet18", torch.ones(1))
        with self.assertRaisesRegex(rooflab.Error, "a list cannot be recorded"):
            rooflab.summary([])
        self.assertEqual(self.recorded, [])

    def test_recordings_are_passed_on(self):
        recording = rooflab.summary(network(), (6, 4)).recording
        saved = self.folder / "kept.rec.jsonl"
        recording.save(saved)
        for model in (saved, str(saved)):
            self.assertEqual(rooflab.summary(model).batch, 8)
        self.assertIn("kept.rec.jsonl", self.starts()[-1])
        recording.path = saved
        self.assertIs(rooflab.summary(recording).recording, recording)
        self.assertIn("kept.rec.jsonl", self.starts()[-1])
        self.assertEqual(len(self.recorded), 1)

    def test_notes_of_the_step_come_first(self):
        summary = rooflab.summary(network(), (6, 4), precision="bf16")
        self.assertIn("bfloat16", summary.notes[0])

    def test_errors_of_the_model_are_its_own(self):
        model = network()
        with self.assertRaisesRegex(RuntimeError, "mat1 and mat2"):
            rooflab.summary(model, (6, 5))
        self.assertTrue(model.training)


if __name__ == "__main__":
    unittest.main()
