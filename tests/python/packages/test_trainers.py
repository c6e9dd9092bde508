"""The callbacks in the trainers themselves, transformers' and Lightning's, with tiny models.

Products by hand: a layer (n, k) x (k, m) has n k m multiply-adds forward and as many for each
gradient: of its weights, and of its data where something before it is trained.
"""
import importlib.metadata
import importlib.util
import logging
import unittest
import warnings

from surroundings import Environment, torch_or_skip

torch = torch_or_skip()

import rooflab  # noqa: E402


def missing(*names):
    return [name for name in names if not importlib.util.find_spec(name)]


class Trained(Environment):
    """What a callback says, and what its meter has at the end."""

    def setUp(self):
        super().setUp()
        self.lines = []
        self.enter(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        level = logging.root.manager.disable
        logging.disable(logging.WARNING)  # the trainers' words about the machine
        self.addCleanup(logging.disable, level)

    def settings(self, **changed):
        return {"device": "t4", "every": 2, "show": self.lines.append, **changed}

    def assert_judged(self, meter, batch, macs):
        """One line, the verdict; the step has the products that were worked out, and no others."""
        [line] = self.lines
        self.assertRegex(line, r"rooflab: a step on t4: fits, .* of 16 GB, expected [0-9.]+ ms")
        step = meter.prediction
        self.assertEqual((step.batch, step.phase, step.coverage), (batch, "training", 1.0))
        self.assertEqual(step.matrix_flops, 2 * macs)
        self.assertEqual(step.recording.gaps, [])

    def assert_figures(self, figures, meter, batch):
        time = figures["rooflab/step_time_s"]
        self.assertGreater(time, 0)
        self.assertAlmostEqual(figures["rooflab/samples_per_s"] * time / batch, 1, places=4)
        share = meter.prediction.matrix_flops / time / 8.1e12  # a T4's fp32 by its datasheet
        self.assertAlmostEqual(figures["rooflab/mfu"] / share, 1, places=4)


def lightning():
    """The library by the name that is installed."""
    import lightning.pytorch as library
    return library


@unittest.skipIf(missing("lightning"), "lightning is not installed")
class Lightning(Trained):
    BATCH = 6
    # Two layers; nothing before the first is trained.
    MACS = 6 * (2 * 8 * 16 + 3 * 16 * 4)

    def module(self, fail_at=None):
        class Module(lightning().LightningModule):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(),
                                                  torch.nn.Linear(16, 4))

            def training_step(self, batch, index):
                if index == fail_at:
                    raise ValueError("of the user")
                x, labels = batch
                return torch.nn.functional.cross_entropy(self.layers(x), labels)

            def configure_optimizers(self):
                return torch.optim.AdamW(self.parameters(), lr=0.01)
        return Module()

    def trainer(self, callback, **settings):
        return lightning().Trainer(**{
            "accelerator": "cpu", "devices": 1, "max_epochs": 1, "logger": False,
            "enable_checkpointing": False, "enable_progress_bar": False,
            "enable_model_summary": False, "default_root_dir": str(self.folder),
            "callbacks": [callback], **settings})

    def data(self, batches):
        size = batches * self.BATCH
        samples = torch.utils.data.TensorDataset(torch.randn(size, 8), torch.arange(size) % 4)
        return torch.utils.data.DataLoader(samples, batch_size=self.BATCH)

    def callback(self, **changed):
        from rooflab.lightning import RooflabCallback
        return RooflabCallback(**self.settings(**changed))

    def test_a_training(self):
        callback = self.callback()
        trainer = self.trainer(callback)
        trainer.fit(self.module(), self.data(6))
        self.assert_judged(callback.meter, self.BATCH, self.MACS)
        self.assert_figures({name: float(value) for name, value in trainer.callback_metrics.items()
                             if name.startswith("rooflab/")}, callback.meter, self.BATCH)
        self.assertEqual([line["optimizer"] for line in callback.meter.prediction.recording.open()
                          if "optimizer" in line], ["AdamW"])

    def test_the_training_is_the_same_without_it(self):
        """To the last bit, unless the figures are to be those of another device."""
        weights = []
        for callbacks in ([self.callback(device=None)], []):
            torch.manual_seed(0)
            module, data = self.module(), self.data(4)
            self.trainer(None, callbacks=callbacks).fit(module, data)
            weights.append([each.detach().clone() for each in module.parameters()])
        self.assertEqual(len(self.lines), 1)  # the step was recorded
        for one, other in zip(*weights):
            self.assertTrue(torch.equal(one, other))

    def test_an_error_of_the_step_is_the_user_s(self):
        with self.assertRaisesRegex(ValueError, "of the user"):
            self.trainer(self.callback()).fit(self.module(fail_at=0), self.data(2))
        rooflab.summary(torch.nn.Linear(2, 2), (1, 2))  # no recorder is left at work


@unittest.skipIf(missing("transformers", "accelerate"),
                 "transformers or accelerate is not installed")
class HuggingFace(Trained):
    BATCH, MICRO = 2, 2  # samples of a micro-batch, and how many make a step
    LENGTH, WIDTH, WIDE, WORDS, LAYERS, HEADS = 16, 32, 64, 50, 2, 4

    def macs(self):
        """Of a micro-batch. A T4's fused attention makes the scores again in its backward pass: it
        has five products to the forward pass's two."""
        tokens = self.BATCH * self.LENGTH
        linear = tokens * self.WIDTH * (4 * self.WIDTH + 3 * self.WIDE)
        product = tokens * self.LENGTH * self.WIDTH
        head = tokens * self.WIDTH * self.WORDS
        return self.LAYERS * (3 * linear + 7 * product) + 3 * head + self.turning()

    def turning(self):
        """Before version 5 the angles of all positions are a product: frequencies x places."""
        older = int(importlib.metadata.version("transformers").split(".")[0]) < 5
        return self.WIDTH // self.HEADS // 2 * self.LENGTH if older else 0

    def trainer(self, callback, steps=8):
        import transformers

        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
            hidden_size=self.WIDTH, intermediate_size=self.WIDE, vocab_size=self.WORDS,
            num_hidden_layers=self.LAYERS, num_attention_heads=self.HEADS,
            num_key_value_heads=self.HEADS))
        texts = [{"input_ids": row, "labels": row}
                 for row in torch.randint(self.WORDS, (self.BATCH * self.MICRO, self.LENGTH))]
        arguments = transformers.TrainingArguments(
            output_dir=str(self.folder), max_steps=steps, per_device_train_batch_size=self.BATCH,
            gradient_accumulation_steps=self.MICRO, logging_steps=2, report_to=[],
            save_strategy="no", disable_tqdm=True, use_cpu=True)
        trainer = transformers.Trainer(model=model, args=arguments, train_dataset=texts,
                                       callbacks=[callback] if callback else None)
        trainer.remove_callback(transformers.PrinterCallback)
        return trainer

    def callback(self, **changed):
        from rooflab.huggingface import RooflabCallback
        return RooflabCallback(**self.settings(**changed))

    def test_a_training(self):
        callback = self.callback()
        trainer = self.trainer(callback)
        trainer.train()
        self.assert_judged(callback.meter, self.BATCH * self.MICRO, self.MICRO * self.macs())
        logged = [log for log in trainer.state.log_history if "rooflab/mfu" in log]
        self.assertEqual([log["step"] for log in logged], [4, 6, 8, 8])  # the last: of the training
        self.assert_figures(logged[0], callback.meter, self.BATCH * self.MICRO)

    def test_the_training_is_the_same_without_it(self):
        """Likewise."""
        losses = [[log["loss"] for log in trainer.state.log_history if "loss" in log]
                  for trainer in map(self.trainer, (self.callback(device=None), None))
                  if trainer.train()]
        self.assertEqual((len(self.lines), len(losses[0])), (1, 4))
        self.assertEqual(*losses)


if __name__ == "__main__":
    unittest.main()
