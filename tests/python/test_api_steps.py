"""Steps built from a module: phases, optimizers, precisions, and the module's own state."""
import collections
import copy
import dataclasses
import unittest
from unittest import mock

import rooflab
from recording_checker import check
from surroundings import torch_or_skip

torch = torch_or_skip()

from rooflab import _precision, _torch  # noqa: E402
from rooflab._optimizers import OPTIMIZERS  # noqa: E402
from rooflab._steps import Step, loss_of  # noqa: E402
from rooflab._tensor_trees import is_shape, map_tensors, tensors_of  # noqa: E402
from rooflab.recorder import record  # noqa: E402


def network(dropout=0.5):
    torch.manual_seed(0)
    return torch.nn.Sequential(collections.OrderedDict(
        first=torch.nn.Linear(4, 8), norm=torch.nn.BatchNorm1d(8), drop=torch.nn.Dropout(dropout),
        last=torch.nn.Linear(8, 2)))


def state(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def run(step, times=1):
    with step.settings():
        for _ in range(times):
            result = step()
    return result


class Phases(unittest.TestCase):
    def unchanged(self, model, phase, **settings):
        model.first.eval()
        before, flags = state(model), [module.training for module in model.modules()]
        random = torch.get_rng_state()
        step = Step(model, [(6, 4)], {}, phase=phase, **settings)
        result = run(step, 2)
        for name, value in state(model).items():
            self.assertTrue(torch.equal(value, before[name]), name)
        self.assertEqual([module.training for module in model.modules()], flags)
        self.assertTrue(all(value.grad is None for value in model.parameters()))
        self.assertTrue(torch.equal(torch.get_rng_state(), random))
        return step, result

    def test_inference(self):
        model = network()
        step, result = self.unchanged(model, "inference")
        self.assertFalse(result.requires_grad)
        self.assertIs(step._model, model)  # nothing is copied
        self.assertTrue(torch.equal(result, run(step)))  # no dropout
        self.assertEqual(step.warmup, 0)

    def test_forward(self):
        step, result = self.unchanged(network(), "forward")
        self.assertTrue(result.requires_grad)
        self.assertIsNot(step._model.first.weight, None)
        self.assertEqual(int(step._model.norm.num_batches_tracked), 2)

    def test_training(self):
        model = network()
        step, loss = self.unchanged(model, "training")
        self.assertEqual(loss.dim(), 0)
        self.assertFalse(loss.requires_grad)
        self.assertFalse(torch.equal(step._model.last.weight, model.last.weight))
        self.assertEqual(step.warmup, 1)

    def test_training_takes_the_step_of_a_loop(self):
        """Against the same loop written out."""
        model = network(dropout=0.0)
        x = torch.randn(6, 4)
        mine = copy.deepcopy(model).train()
        kind, options = OPTIMIZERS["adamw"]
        optimizer = getattr(torch.optim, kind)(mine.parameters(), **options)
        for _ in range(3):
            optimizer.zero_grad()
            mine(x).square().sum().backward()
            optimizer.step()
        step = Step(model, [x], {}, phase="training", optimizer="adamw",
                    loss=lambda output: output.square().sum())
        run(step, 3)
        for expected, value in zip(mine.parameters(), step._model.parameters()):
            self.assertTrue(torch.allclose(expected, value, atol=1e-6))

    def test_what_is_wrong(self):
        for settings, words in (
                ({"phase": "train"}, "unknown phase 'train'"),
                ({"optimizer": "sgd"}, "optimizer= is part of training"),
                ({"phase": "forward", "loss": abs}, "loss= is part of training"),
                ({"precision": "fp8"}, "unknown precision 'fp8'"),
                ({"phase": "training", "optimizer": "lion"}, "unknown optimizer 'lion'")):
            with self.subTest(words), self.assertRaisesRegex(rooflab.Error, words):
                Step(network(), [(6, 4)], {}, **settings)

    def test_lazy_modules_must_be_called_first(self):
        with self.assertRaisesRegex(rooflab.Error, "lazy parameters"):
            Step(torch.nn.LazyLinear(3), [(6, 4)], {})

    def test_a_module_that_cannot_be_copied(self):
        model = network()
        model.kept = model.first.weight * 2  # not a leaf: PyTorch refuses to copy it
        Step(model, [(6, 4)], {})
        with self.assertRaisesRegex(rooflab.Error, "cannot be copied"):
            Step(model, [(6, 4)], {}, phase="training")

    def test_nothing_to_train(self):
        with self.assertRaisesRegex(rooflab.Error, "no parameter that is trained"):
            Step(network().requires_grad_(False), [(6, 4)], {}, phase="training")

    def test_settings_are_restored_after_an_error(self):
        model = network()
        step = Step(model, [torch.zeros(6, 5)], {}, precision="tf32")
        before = _torch.tf32()
        with self.assertRaises(RuntimeError):
            run(step)
        self.assertTrue(model.training and torch.is_grad_enabled())
        self.assertEqual(_torch.tf32(), before)

    def test_meta_stays_meta(self):
        model = network().to("meta")
        step = Step(model, [torch.randn(6, 4)], {}, phase="training", optimizer="adam")
        self.assertEqual(run(step).device.type, "meta")
        self.assertEqual(run(Step(model, [(6, 4)], {})).device.type, "meta")

    def test_a_compiled_module_is_recorded_as_written(self):
        model = network()
        compiled = torch.nn.Module()
        compiled._orig_mod = model
        step = Step(compiled, [(6, 4)], {})
        self.assertIs(step._model, model)
        self.assertIn("without torch.compile", step.notes[0])


class Inputs(unittest.TestCase):
    def test_shapes(self):
        self.assertTrue(is_shape((1, 3)) and is_shape(torch.Size([2])))
        for value in ((), (1, 2.0), (True, 2), [1, 2], (torch.zeros(1),), 3):
            self.assertFalse(is_shape(value), value)

    def test_a_shape_becomes_a_tensor_of_the_model_s_type(self):
        class Twice(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))

            def forward(self, x, scale, more=None):
                return x, scale, more

        x, scale, more = run(Step(Twice(), [(2, 3), 4], {"more": (5,)}))
        self.assertEqual((x.shape, x.dtype, scale), ((2, 3), torch.float64, 4))
        self.assertEqual((more.shape, more.dtype), ((5,), torch.float64))

    def test_trees(self):
        Point = collections.namedtuple("Point", "x y")

        @dataclasses.dataclass
        class Output:
            a: object
            b: object

        one, two = torch.ones(1), torch.ones(2)
        tree = {"p": Point(one, 1), "l": [two, "text"], "o": collections.OrderedDict(t=(one,))}
        self.assertEqual([value.numel() for value in tensors_of(tree)], [1, 2, 1])
        self.assertEqual(list(tensors_of(Output(None, one))), [one])
        changed = map_tensors(tree, lambda value: value.double())
        self.assertEqual((changed["p"].x.dtype, changed["p"].y), (torch.float64, 1))
        self.assertIsInstance(changed["o"], collections.OrderedDict)
        self.assertEqual(changed["l"][1], "text")
        self.assertEqual(one.dtype, torch.float32)


class Losses(unittest.TestCase):
    def test_means_of_what_has_a_gradient(self):
        a = torch.tensor([1.0, 3.0], requires_grad=True)
        b = torch.tensor([10.0], requires_grad=True)
        outputs = {"a": a * 1, "b": [b * 1, torch.tensor([99.0]), torch.tensor([7])]}
        self.assertEqual(float(loss_of(outputs)), 12.0)
        complex_loss = loss_of(torch.view_as_complex(torch.tensor([3.0, 4.0], requires_grad=True)))
        self.assertEqual(float(complex_loss), 5.0)

    def test_its_own_loss_comes_first(self):
        @dataclasses.dataclass
        class Output:
            loss: object
            logits: object

        logits = torch.ones(2, requires_grad=True) * 5
        own = (logits * 2).sum()
        self.assertIs(loss_of(Output(own, logits)), own)
        self.assertIs(loss_of({"loss": own, "logits": logits}), own)
        self.assertEqual(float(loss_of(Output(None, logits))), 5.0)

    def test_without_a_gradient(self):
        with self.assertRaisesRegex(rooflab.Error, "no tensor with a gradient"):
            loss_of(torch.zeros(2))


class Optimizers(unittest.TestCase):
    def trained(self, model, optimizer):
        step = Step(model, [(6, 4)], {}, phase="training", optimizer=optimizer)
        run(step, 2)
        return step._optimizer, list(step._model.parameters())

    def test_names(self):
        for name, kind, options in (("sgd", "SGD", {"momentum": 0}), ("adam", "Adam", {}),
                                    ("sgd-momentum", "SGD", {"momentum": 0.9}),
                                    ("adamw", "AdamW", {}), (None, "SGD", {"momentum": 0.9})):
            optimizer, parameters = self.trained(network(), name)
            self.assertEqual(type(optimizer).__name__, kind)
            group = optimizer.param_groups[0]
            self.assertEqual({key: group[key] for key in options}, options)
            self.assertIs(group["params"][0], parameters[0])

    def test_none_only_makes_gradients(self):
        model = network()
        optimizer, parameters = self.trained(model, "none")
        self.assertIsNone(optimizer)
        self.assertTrue(all(value.grad is not None for value in parameters))
        self.assertTrue(torch.equal(parameters[0], model.first.weight))

    def test_an_object_is_copied_with_its_state(self):
        model = network()
        mine = torch.optim.SGD([{"params": model.first.parameters()},
                                {"params": model.last.parameters(), "lr": 0.5}],
                               lr=0.1, momentum=0.9)
        model(torch.randn(6, 4)).sum().backward()
        mine.step()
        mine.zero_grad(set_to_none=True)
        buffer = mine.state[model.first.weight]["momentum_buffer"].clone()
        optimizer, parameters = self.trained(model, mine)
        self.assertIsNot(optimizer, mine)
        self.assertEqual([group["lr"] for group in optimizer.param_groups], [0.1, 0.5])
        self.assertIs(optimizer.param_groups[0]["params"][0], parameters[0])
        self.assertFalse(torch.equal(optimizer.state[parameters[0]]["momentum_buffer"], buffer))
        self.assertTrue(torch.equal(mine.state[model.first.weight]["momentum_buffer"], buffer))

    def test_a_function_gets_what_is_trained(self):
        model = network()
        model.first.requires_grad_(False)
        given = []

        def make(parameters):
            given.extend(parameters)
            return torch.optim.RMSprop(parameters)

        optimizer, _ = self.trained(model, make)
        self.assertEqual(len(given), 4)
        self.assertIsInstance(optimizer, torch.optim.RMSprop)


class Precisions(unittest.TestCase):
    def test_the_model_as_it_is(self):
        self.assertEqual(run(Step(network().double(), [(6, 4)], {})).dtype, torch.float64)

    def test_weights_and_inputs_of_another_type(self):
        model = network()
        step = Step(model, [torch.randn(6, 4)], {}, precision="bf16")
        self.assertEqual(run(step).dtype, torch.bfloat16)
        self.assertEqual(model.first.weight.dtype, torch.float32)
        self.assertIn("copy", step.notes[0])
        self.assertEqual(run(Step(model, [(6, 4)], {}, precision="fp64")).dtype, torch.float64)

    def test_the_same_type_copies_nothing(self):
        model = network()
        step = Step(model, [(6, 4)], {}, precision="fp32")
        self.assertIs(step._model, model)
        self.assertEqual(step.notes, [])

    def test_tf32_is_set_and_restored(self):
        for precision, expected in (("tf32", True), ("fp32", False)):
            for before in (True, False):
                self.addCleanup(_torch.set_tf32, _torch.tf32())
                _torch.set_tf32({"matmul": before, "cudnn": before})
                step = Step(network(), [(6, 4)], {}, precision=precision)
                with step.settings():
                    self.assertEqual(_torch.tf32(),
                                     {"matmul": expected, "cudnn": expected})
                self.assertEqual(_torch.tf32(), {"matmul": before, "cudnn": before})

    def test_autocast(self):
        model = network()
        step = Step(model, [(6, 4)], {}, precision="amp-bf16")
        self.assertEqual(run(step).dtype, torch.bfloat16)
        self.assertIs(step._model, model)
        run(Step(model, [(6, 4)], {}, phase="training", precision="amp"))

    def test_autocast_ends_before_the_backward_pass(self):
        seen = []

        class Watched(torch.autograd.Function):
            @staticmethod
            def forward(context, x):
                seen.append(_torch.autocasts("cpu"))
                return x.clone()

            @staticmethod
            def backward(context, gradient):
                seen.append(_torch.autocasts("cpu"))
                return gradient

        step = Step(network(), [(6, 4)], {}, phase="training", precision="amp-bf16",
                    loss=lambda output: Watched.apply(output).sum())
        run(step)
        self.assertEqual(seen, [True, False])

    def test_autocast_on_meta(self):
        """PyTorch 1.13 has none there; with others products are of bf16, as on a GPU."""
        model = network().to("meta")
        if _torch.RELEASE < (2, 0):
            with self.assertRaisesRegex(rooflab.Error, "does not autocast to bf16 on meta tensors"):
                Step(model, [(6, 4)], {}, precision="amp")
            return
        step = Step(model, [(6, 4)], {}, precision="amp")
        seen = check(record(lambda: run(step), warmup=0))
        for product in seen.find("addmm"):
            self.assertEqual([seen.layouts[seen.tensors[number]["layout"]]["layout"]
                              for number in (*product.inputs, *product.outputs)], ["bf16"] * 4)
        self.assertEqual(len(seen.find("addmm")), 2)

    def test_amp_is_what_the_devices_compute(self):
        for devices, expected in (((), "bfloat16"), (("h200",), "bfloat16"),
                                  (("t4",), "float16"), (("h200", "t4"), "float16"),
                                  (("a100*",), "bfloat16")):
            self.assertEqual(_precision.precision_named("amp", devices).autocast, expected, devices)

    def test_losses_are_scaled_for_fp16(self):
        scaler = mock.Mock()
        scaler.scale.side_effect = lambda loss: loss * 4
        with mock.patch.object(_torch, "grad_scaler", return_value=scaler), \
                mock.patch.object(_torch, "can_autocast", return_value=True), \
                mock.patch.object(torch, "autocast"):
            step = Step(network(), [(6, 4)], {}, phase="training", precision="amp-fp16")
            run(step)
        scaler.step.assert_called_once_with(step._optimizer)
        scaler.update.assert_called_once_with()

    def test_an_optimizer_with_state_stays_in_its_type(self):
        model = network()
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.randn(6, 4)).sum().backward()
        optimizer.step()
        with self.assertRaisesRegex(rooflab.Error, "change its precision"):
            Step(model, [(6, 4)], {}, phase="training", precision="bf16", optimizer=optimizer)


if __name__ == "__main__":
    unittest.main()
