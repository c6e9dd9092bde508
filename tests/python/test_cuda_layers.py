"""Layers on the CPU and on `meta` that run the operations of a CUDA device: which, and with the same
results. CUDA's operations are those of stored recordings (tests/data/recordings/gpu)."""
import unittest

from surroundings import torch_or_skip

torch = torch_or_skip()

import torch.nn.functional as F  # noqa: E402
from imitated_steps import IN_PLACES, Steps, names, since  # noqa: E402
from recording_checker import check  # noqa: E402
from rooflab.errors import RecordingError  # noqa: E402
from rooflab.recorder import record  # noqa: E402


class Attention(Steps):
    def step(self, device, dtype, **options):
        query, key, value = (torch.randn(2, 4, 16, 8, dtype=dtype, device=device,
                                         requires_grad=True) for _ in range(3))

        def run():
            out = F.scaled_dot_product_attention(query, key, value, **options)
            grads = torch.autograd.grad(out.float().square().sum(), (query, key, value))
            return [out, *grads]

        return run

    @since(2, 11)
    def test_cudnn_s_on_hopper(self):
        for device in IN_PLACES:
            found = names(self.step(device, torch.bfloat16, is_causal=True), warmup=0)
            self.assert_has(found, ["_scaled_dot_product_cudnn_attention",
                                    "_scaled_dot_product_cudnn_attention_backward"])

    @since(2, 2)
    def test_flash_and_efficient_by_device(self):
        for device in IN_PLACES:
            step = self.step(device, torch.float16)
            self.assertIn("_scaled_dot_product_flash_attention",
                          names(step, warmup=0, imitate="8.0"))
            self.assertIn("_scaled_dot_product_efficient_attention",
                          names(step, warmup=0, imitate="7.5"))

    @since(2, 1)
    def test_results(self):
        mask = torch.rand(2, 1, 16, 16) > 0.3
        for dtype, options in ((torch.float32, {}), (torch.float32, {"is_causal": True}),
                               (torch.float32, {"attn_mask": mask}),
                               (torch.bfloat16, {"is_causal": True, "scale": 0.5})):
            with self.subTest(dtype=dtype, options=options):
                tolerance = 1e-5 if dtype is torch.float32 else 3e-2
                self.assert_same_results(self.step("cpu", dtype, **options), tolerance)


class Recurrent(Steps):
    def step(self, layer, device="cpu", packed=False):
        layer = layer.to(device)
        value = torch.randn(5, 2, 3, device=device)

        def run():
            given = value
            if packed:
                given = torch.nn.utils.rnn.pack_padded_sequence(value, torch.tensor([5, 3]))
            out = layer(given)[0]
            out = out.data if packed else out
            return [out, *torch.autograd.grad(out.square().sum(), list(layer.parameters()))]

        return run

    def test_one_operation_of_cudnn(self):
        for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            for device in IN_PLACES:
                found = names(self.step(kind(3, 4, num_layers=2), device), warmup=0)
                self.assertEqual((found.count("_cudnn_rnn"), found.count("_cudnn_rnn_backward")),
                                 (1, 1))
                self.assertNotIn("addmm", found)

    def test_meta_is_refused_where_their_operation_is_not_seen(self):
        if "meta" in IN_PLACES:
            self.skipTest("this PyTorch shows it")
        for kind in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            with self.assertRaisesRegex(RecordingError, f"takes {kind.__name__} apart on 'meta'"):
                names(self.step(kind(3, 4), "meta"), warmup=0)

    def test_results(self):
        for kind, options in ((torch.nn.LSTM, {"bidirectional": True}), (torch.nn.GRU, {}),
                              (torch.nn.RNN, {"nonlinearity": "relu", "bias": False})):
            for packed in (False, True):
                with self.subTest(kind=kind, packed=packed):
                    self.assert_same_results(
                        self.step(kind(3, 4, num_layers=2, **options), packed=packed))

    def test_dropout_drops_the_same_in_both_passes(self):
        """The loss is linear in the last weights: their gradients are those of what was kept."""
        layer = torch.nn.RNN(3, 4, num_layers=2, dropout=0.5, nonlinearity="relu", bias=False)
        value = torch.rand(1, 1, 3)
        with torch.no_grad():
            for one in layer.parameters():
                one.abs_()
        found = []

        def step():
            out = layer(value)[0].sum()
            weight = layer.weight_ih_l1
            found.append((out, (torch.autograd.grad(out, weight)[0] * weight).sum()))

        record(step, warmup=0)
        [(out, product)] = found
        self.assertAlmostEqual(out.item(), product.item(), places=5)

    def test_weights_are_the_module_s_own_afterwards(self):
        layer = torch.nn.LSTM(3, 4)
        before = [one.data_ptr() for one in layer.parameters()]
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        values = [one.detach().clone() for one in layer.parameters()]

        def step():
            layer(torch.ones(5, 2, 3))[0].sum().backward()
            optimizer.step()

        seen = check(record(step, warmup=0))
        self.assertEqual([one.data_ptr() for one in layer.parameters()], before)
        self.assertTrue(all((one != old).any() for one, old in zip(layer.parameters(), values)))
        [flat] = [one for one in seen.storages if one.get("role") == "parameter"]
        self.assertEqual(flat["bytes"], 4 * sum(one.numel() for one in layer.parameters()))

    def test_autocast_runs_them_in_float16(self):
        """Weights are copied to one piece of memory (cudnn/AutocastRNN.cpp)."""
        layer = torch.nn.LSTM(3, 4)
        plain = self.step(layer)

        def step():
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return plain()

        found = names(step, warmup=0)
        self.assert_has(found, ["zeros", "set_", "set_", "set_", "set_", "copy_", "copy_", "copy_",
                                "copy_", "_to_copy", "_cudnn_rnn", "_cudnn_rnn_backward"])
        results = []
        record(lambda: results.append(step()), warmup=0)
        self.assertEqual(results[0][0].dtype, torch.float16)
        for own, exact in zip(results[0], plain()):
            self.assertLess((own.float() - exact).abs().max().item(), 1e-2)

    def test_cells(self):
        value, state = torch.randn(2, 3), torch.randn(2, 4)
        for cell, name in ((torch.nn.LSTMCell(3, 4), "_thnn_fused_lstm_cell"),
                           (torch.nn.GRUCell(3, 4), "_thnn_fused_gru_cell")):
            def step():
                given = (state, state) if name.endswith("lstm_cell") else state
                out = cell(value, given)
                out = out if torch.is_tensor(out) else out[0] + out[1]
                return [out, *torch.autograd.grad(out.square().sum(), list(cell.parameters()))]

            self.assertIn(name, names(step, warmup=0))
            self.assert_same_results(step)


class Layers(Steps):
    def test_normalisation_of_images_is_cudnn_s(self):
        for device in IN_PLACES:
            model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
            model.to(device)
            value = torch.randn(2, 3, 8, 8, device=device)
            found = names(lambda: model(value).sum().backward(), warmup=0)
            self.assert_has(found, ["convolution", "cudnn_batch_norm", "cudnn_batch_norm_backward",
                                    "convolution_backward"])

    def test_results(self):
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
        model = model.to(memory_format=torch.channels_last)
        value = torch.randn(2, 3, 8, 8)
        self.assert_same_results(lambda: [model(value), *torch.autograd.grad(
            model(value).square().sum(), list(model.parameters()))])

    def test_dropout_is_one_operation(self):
        for device in IN_PLACES:
            value = torch.ones(100, device=device, requires_grad=True)
            found = names(lambda: F.dropout(value, 0.5).sum().backward(), warmup=0)
            self.assert_has(found, ["native_dropout", "native_dropout_backward"])

    def test_one_hot_vectors_ask_for_no_value(self):
        for device in IN_PLACES:
            value = torch.ones(4, dtype=torch.int64, device=device)
            found = names(lambda: F.one_hot(value, 3), warmup=0)
            self.assertEqual(found, ["zeros", "unsqueeze", "scatter_"])
        self.assertEqual(F.one_hot(torch.tensor([2]), 3).tolist(), [[0, 0, 1]])

    def test_bags_of_embeddings(self):
        """On CUDA the second result holds the bag of each index."""
        indices, offsets = torch.tensor([0, 1, 2, 1, 4]), torch.tensor([0, 2, 2])
        for mode in ("sum", "mean"):
            table = torch.nn.EmbeddingBag(5, 3, mode=mode)
            step = lambda: [table(indices, offsets), *torch.autograd.grad(  # noqa: E731
                table(indices, offsets).square().sum(), list(table.parameters()))]
            self.assert_same_results(step)
            seen = check(record(step, warmup=0))
            shapes = [seen.layouts[seen.tensors[one]["layout"]]["shape"]
                      for one in seen.find("_embedding_bag")[0].outputs]
            self.assertEqual(shapes, [[3, 3], [5], [3], [0]])

    @since(2, 0)
    def test_optimizers_work_on_lists(self):
        for device in IN_PLACES:
            parameters = [torch.nn.Parameter(torch.ones(3, device=device)) for _ in range(2)]
            for one in parameters:
                one.grad = torch.ones(3, device=device)
            optimizer = torch.optim.SGD(parameters, lr=0.1)
            self.assertEqual(names(optimizer.step, warmup=0), ["_foreach_add_"])

    @since(2, 0)
    def test_gradients_of_hard_activations_lie_as_the_one_that_comes(self):
        """As recorded: timm_mobilenetv3_large_100, whose pooling gives a row-major gradient."""
        value = torch.randn(2, 3, 4, 4, device="meta").contiguous(
            memory_format=torch.channels_last).requires_grad_()
        seen = check(record(lambda: F.hardswish(value).backward(
            torch.ones(2, 3, 4, 4, device="meta")), warmup=0))
        [op] = seen.find("hardswish_backward")
        layout = seen.layouts[seen.tensors[op.outputs[0]]["layout"]]
        self.assertNotIn("strides", layout)

    @since(2, 11)
    def test_questions_before_the_ctc_loss(self):
        """As recorded: hf_wav2vec2."""
        lengths = torch.tensor([9, 9]), torch.tensor([4, 4])
        for device in IN_PLACES:
            value = torch.randn(9, 2, 5, device=device, requires_grad=True)
            targets = torch.ones(2, 4, dtype=torch.int64, device=device)
            given = [one.to(device) for one in lengths]
            found = names(lambda: F.ctc_loss(value.log_softmax(-1), targets, *given,
                                             reduction="sum").backward(), warmup=0)
            ask = ["_use_cudnn_ctc_loss", "_to_copy", "_use_miopen_ctc_loss"]
            self.assert_has(found, ["_log_softmax", *ask, *ask, "_ctc_loss", "sum",
                                    "_ctc_loss_backward"])


if __name__ == "__main__":
    unittest.main()
