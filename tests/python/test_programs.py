"""The programs do what they say: each trains, and what is special about each of them holds."""
from __future__ import annotations

import copy
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from programs import KINDS, all_programs

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

HERE = Path(__file__).resolve().parent


def weights(program):
    return {name: parameter.detach().clone() for name, parameter in program.parameters()}


@unittest.skipIf(torch is None, f"{sys.executable} has no torch (apt-get install python3-torch)")
class ProgramTest(unittest.TestCase):
    def assert_close(self, first, second, **tolerance):
        torch.testing.assert_close(first, second, **tolerance)

    def assert_same_weights(self, first, second):
        first, second = weights(first), weights(second)
        self.assertEqual(first.keys(), second.keys())
        for name, value in first.items():
            torch.testing.assert_close(value, second[name], rtol=1e-6, atol=1e-9,
                                       msg=lambda text, name=name: f"{name}: {text}")


class EveryProgram(ProgramTest):
    def test_two_steps_change_what_is_trained_and_nothing_else(self):
        for name, build in all_programs().items():
            with self.subTest(name):
                program = build()
                self.assertEqual(program.name, name)
                trained = {id(each) for optimizer in program.optimizers
                           for group in optimizer.param_groups for each in group["params"]}
                before = weights(program)
                for _ in range(2):
                    result = program.step()
                    self.assertTrue(torch.isfinite(result.float()).all())
                    self.assertFalse(result.requires_grad)
                for key, parameter in program.parameters():
                    changed = not torch.equal(before[key], parameter)
                    averaged = key.startswith("average.")
                    self.assertEqual(changed, id(parameter) in trained or averaged, key)

    def test_the_loss_falls(self):
        for name in ("unet3d", "lora", "accumulation", "dlrm", "contrastive", "resnet18", "llama"):
            with self.subTest(name):
                program = all_programs()[name]()
                first = float(program.step())
                for _ in range(8):
                    last = float(program.step())
                self.assertLess(last, first)

    def test_equal_builds_take_equal_steps(self):
        for name in ("diffusion", "gan", "graph_net", "distillation", "checkpointing", "conv1d"):
            with self.subTest(name):
                losses = []
                for _ in range(2):
                    program = all_programs()[name]()
                    losses.append([float(program.step()) for _ in range(2)])
                self.assertEqual(*losses)

    def test_gradients_are_those_of_one_step(self):
        """With a learning rate of 0 and equal random numbers, each step has the same gradients."""
        changing = {"gan", "lstm_lm", "decode"}  # the norm's vectors, the state; no training
        for name, build in all_programs().items():
            if name in changing:
                continue
            with self.subTest(name):
                program = build()
                for group in program.optimizers[0].param_groups:
                    group["lr"] = 0.0
                seen = []
                for _ in range(2):
                    torch.manual_seed(1)
                    with mock.patch.object(torch.nn.utils, "clip_grad_norm_"):
                        program.step()
                    seen.append([each.grad.clone() for _, each in program.parameters()
                                 if each.grad is not None])
                self.assert_close(*seen, rtol=1e-3, atol=1e-5)

    def test_batch_and_type_are_those_that_were_asked_for(self):
        for name, build in all_programs().items():
            with self.subTest(name):
                usual, other = build(), build(batch=3, dtype=torch.float64)
                self.assertEqual(other.batch, 3)
                self.assertTrue(any(3 in each.shape for each in other.inputs))
                for key, parameter in other.parameters():
                    self.assertEqual(parameter.dtype, torch.float64, key)
                self.assertTrue(torch.isfinite(other.step().double()).all())
                self.assertGreater(usual.sample_bytes, 0)


class Names(ProgramTest):
    def test_every_kind_has_names_of_its_own(self):
        counts = [len(all_programs(kind)) for kind in KINDS]
        self.assertEqual(len(all_programs(*KINDS)), sum(counts))
        self.assertGreaterEqual(counts[KINDS.index("timm")], 14)
        self.assertGreaterEqual(counts[KINDS.index("hf")], 18)

    def start(self, *words):
        return subprocess.run([sys.executable, "-m", "programs", *words], cwd=HERE, text=True,
                              capture_output=True)

    def test_a_program_runs_by_its_name(self):
        ended = self.start("gan", "--steps", "2", "--device", "cpu")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, r"^gan: 2 steps of batch 4, last result \d")
        ended = self.start("gam")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no program is called 'gam'; 'gan' is", ended.stderr)


class Published(ProgramTest):
    def test_resnet18_is_torchvisions(self):
        from programs import resnet18
        module = resnet18.build().modules["model"]
        self.assertEqual(sum(each.numel() for each in module.parameters()), 11_689_512)
        names = dict(module.named_modules())
        for name in ("conv1", "bn1", "layer1.0.conv1", "layer2.0.downsample.0", "layer4.1.bn2",
                     "fc"):
            self.assertIn(name, names)
        self.assertIsNone(module.layer1[0].downsample)
        self.assertEqual(module.layer4(module.layer3(module.layer2(torch.zeros(1, 64, 56, 56)))
                                       ).shape, (1, 512, 7, 7))

    def test_vit_b_16_is_torchvisions(self):
        from programs import vit_b_16
        module = vit_b_16.build(image=224).modules["model"]
        self.assertEqual(sum(each.numel() for each in module.parameters()), 86_567_656)
        parameters = dict(module.named_parameters())
        for name in ("class_token", "conv_proj.weight", "encoder.pos_embedding",
                     "encoder.layers.encoder_layer_11.self_attention.in_proj_weight",
                     "encoder.layers.encoder_layer_0.mlp.3.bias", "encoder.ln.weight",
                     "heads.head.weight"):
            self.assertIn(name, parameters)

    def test_llama_70b_trains_on_meta_at_once(self):
        from programs import llama
        program = llama.build("meta", torch.bfloat16, batch=1, shape="70b", length=2048,
                              optimizer="SGD")
        self.assertEqual(sum(each.numel() for _, each in program.parameters()), 70_553_706_496)
        begin = time.monotonic()
        self.assertEqual(program.step().device.type, "meta")
        self.assertLess(time.monotonic() - begin, 10)
        for name, parameter in program.parameters():
            self.assertEqual(parameter.grad.shape, parameter.shape, name)


class Vision(ProgramTest):
    def test_micro_batches_add_up_to_the_large_batch(self):
        from programs import accumulation
        one, four = (accumulation.build(dtype=torch.float64, micro_batches=count)
                     for count in (1, 4))
        self.assert_close(one.step(), four.step())
        self.assert_same_weights(one, four)

    def test_the_average_follows_the_weights_slowly(self):
        from programs import diffusion
        program = diffusion.build(dtype=torch.float64)
        before = weights(program)
        program.step()
        after = weights(program)
        for name, value in before.items():
            if name.startswith("average."):
                new = after[name.replace("average.", "model.", 1)]
                self.assert_close(after[name], value + 0.001 * (new - value))

    def test_dice_is_0_for_the_truth_and_near_1_for_its_opposite(self):
        from programs.unet3d import dice_loss
        target = torch.arange(512).view(1, 8, 8, 8) % 3
        right = F.one_hot(target, 3).movedim(-1, 1) * 50.0
        self.assertAlmostEqual(float(dice_loss(right, target)), 0.0, places=5)
        self.assertGreater(float(dice_loss(right.roll(1, dims=1), target)), 0.99)

    def test_the_discriminators_weights_have_spectral_norm_1(self):
        from programs import gan
        program = gan.build()
        layer = program.modules["discriminator"][0]
        for _ in range(30):
            layer.weight
        self.assertAlmostEqual(float(torch.linalg.matrix_norm(layer.weight.flatten(1), 2)), 1.0,
                               places=2)
        generated, judged = ({id(each) for group in optimizer.param_groups
                              for each in group["params"]} for optimizer in program.optimizers)
        self.assertFalse(generated & judged)

    def test_the_teacher_keeps_its_statistics_and_the_student_does_not(self):
        from programs import distillation
        program = distillation.build()
        before = {name: copy.deepcopy(module.state_dict())
                  for name, module in program.modules.items()}
        program.step()
        key = "1.running_mean"
        for name, equal in (("teacher", True), ("student", False)):
            now = program.modules[name].state_dict()
            self.assertEqual(torch.equal(before[name][key], now[key]), equal, name)

    def test_swish_has_the_right_gradient(self):
        from programs.custom_function import SwishFunction
        x = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(SwishFunction.apply, (x,)))
        self.assert_close(SwishFunction.apply(x), F.silu(x))

    def test_the_nearest_code_is_taken_and_the_gradient_passes(self):
        from programs.custom_function import NearestCode
        x = torch.randn(20, 3, dtype=torch.float64, requires_grad=True)
        codes = torch.randn(7, 3, dtype=torch.float64)
        rows, index = NearestCode.apply(x, codes)
        self.assertEqual(index.tolist(), torch.cdist(x, codes).argmin(dim=1).tolist())
        self.assertTrue(torch.equal(rows, codes[index]))
        gradient = torch.randn_like(rows)
        rows.backward(gradient)
        self.assertTrue(torch.equal(x.grad, gradient))


class Text(ProgramTest):
    def test_checkpointing_changes_the_work_and_not_the_result(self):
        from programs import checkpointing
        calls = {}
        programs = {}
        for forms in ((None,), (True,), (False,), (True, False)):
            program = checkpointing.build(dtype=torch.float64, forms=forms)
            calls[forms] = 0

            def count(*_, forms=forms):
                calls[forms] += 1
            for block in program.modules["model"].blocks:
                block.dropout.register_forward_pre_hook(count)
            program.step()
            programs[forms] = program
        self.assertEqual(calls, {(None,): 8, (True,): 16, (False,): 16, (True, False): 16})
        for forms, program in programs.items():
            with self.subTest(forms):
                self.assert_same_weights(programs[(None,)], program)

    def test_adapters_start_without_effect_and_alone_are_trained(self):
        from programs import lora
        program = lora.build()
        layer = program.modules["model"].blocks[0].q.eval()
        x = torch.randn(2, layer.base.in_features)
        self.assertTrue(torch.equal(layer(x), layer.base(x)))
        program.step()
        self.assertFalse(torch.equal(layer(x), layer.base(x)))
        self.assertEqual({name.rsplit(".", 1)[-1] for name, each in program.parameters()
                          if each.grad is not None or each.requires_grad}, {"lora_a", "lora_b"})

    def test_a_tied_decoder_has_the_encoders_weight(self):
        from programs import lstm_lm
        tied, untied = (lstm_lm.build(tied=tied) for tied in (True, False))
        self.assertIs(tied.modules["model"].decoder.weight, tied.modules["model"].encoder.weight)
        numbers = [sum(each.numel() for _, each in program.parameters())
                   for program in (tied, untied)]
        self.assertEqual(numbers[1] - numbers[0], untied.modules["model"].encoder.weight.numel())

    def test_padding_changes_no_class(self):
        from programs import lstm_classifier
        program = lstm_classifier.build(dtype=torch.float64)
        model, (tokens, lengths, _) = program.modules["model"].eval(), program.inputs
        other = torch.where(tokens == 0, torch.full_like(tokens, 7), tokens)
        self.assertFalse(torch.equal(tokens, other))
        logits = model(tokens, lengths)
        self.assert_close(logits, model(other, lengths))
        short = int(lengths.argmin())
        alone = slice(short, short + 1)
        self.assert_close(logits[alone], model(tokens[alone, :lengths[short]], lengths[alone]))

    def test_experts_compute_the_same_by_indices_and_densely(self):
        from programs import moe
        indexed, dense = (moe.build(dtype=torch.float64, dense=dense) for dense in (False, True))
        self.assert_close(indexed.step(), dense.step())
        self.assert_same_weights(indexed, dense)

    def test_llama_looks_back_only(self):
        from programs import llama
        program = llama.build(dtype=torch.float64)
        model, tokens = program.modules["model"], program.inputs[0]
        other = tokens.clone()
        other[:, -1] = (other[:, -1] + 1) % 200
        self.assert_close(model(tokens)[:, :-1], model(other)[:, :-1])
        self.assertFalse(torch.allclose(model(tokens)[:, -1], model(other)[:, -1]))

    def test_decoding_with_a_cache_gives_what_the_whole_text_gives(self):
        from programs import llama
        program = llama.build(dtype=torch.float64)
        model, tokens = program.modules["model"], program.inputs[0]
        shape = llama.SIZES["small"]["shape"]
        caches = [torch.zeros(2, len(tokens), shape.kv_heads, 16, model.head_width,
                              dtype=torch.float64) for _ in range(shape.layers)]
        with torch.no_grad():
            steps = [model(tokens[:, index:index + 1], caches, start=index)
                     for index in range(tokens.shape[1])]
            self.assert_close(torch.cat(steps, dim=1), model(tokens))


class Others(ProgramTest):
    def test_the_order_of_edges_does_not_matter(self):
        from programs import graph_net
        program = graph_net.build(dtype=torch.float64)
        kinds, features, source, target, truth = program.inputs
        graph = torch.arange(len(truth)).repeat_interleave(len(kinds) // len(truth))
        model, order = program.modules["model"], torch.randperm(len(source))
        self.assert_close(
            model(kinds, features, source, target, graph, len(truth)),
            model(kinds, features[order], source[order], target[order], graph, len(truth)))

    def test_bags_are_summed_and_all_pairs_multiplied(self):
        from programs import dlrm
        program = dlrm.build(dtype=torch.float64)
        model, (dense, lengths, *indices, _) = program.modules["model"], program.inputs
        sample = 5
        vectors = [model.bottom(dense[sample])]
        for table, length, index in zip(model.tables, lengths, indices):
            begin = int(length[:sample].sum())
            vectors.append(table.weight[index[begin:begin + length[sample]]].sum(dim=0))
        pairs = [vectors[row] @ vectors[column] for row in range(len(vectors))
                 for column in range(row)]
        alone = model.top(torch.cat([vectors[0], torch.stack(pairs)]))
        self.assert_close(alone[0], model(dense, indices, lengths)[sample])

    def test_einsum_attention_is_attention(self):
        from programs.einsum_mixer import Mixer
        from programs.versions import attention
        mixer = Mixer(6, 8, 2, attends=True).double()
        x = torch.randn(3, 6, 8, dtype=torch.float64)
        torch.nn.init.zeros_(mixer.bias)
        q, k, v = ((x @ mixer.qkv[part].flatten(1)).view(3, 6, 2, 4).transpose(1, 2)
                   for part in range(3))
        expected = attention(q, k, v).transpose(1, 2).flatten(2) @ mixer.out.flatten(0, 1)
        self.assert_close(mixer.attend(x), expected)

    def test_causal_attention_is_masked_attention(self):
        from programs.versions import attention
        q, k, v = torch.randn(3, 2, 4, 5, 6, dtype=torch.float64)
        shares = (q @ k.transpose(-1, -2) / 6 ** 0.5).exp().tril()
        self.assert_close(attention(q, k, v, causal=True),
                          shares / shares.sum(dim=-1, keepdim=True) @ v)

    def test_logits_of_a_contrast_are_scaled_cosines(self):
        from programs import contrastive
        program = contrastive.build(dtype=torch.float64)
        model, (images, tokens) = program.modules["model"].eval(), program.inputs
        with torch.no_grad():
            logits = model(images, tokens)
            cosine = F.cosine_similarity(model.images(images)[1], model.texts(tokens)[2], dim=0)
        self.assert_close(logits[1, 2], cosine / 0.07)

    def test_a_forecast_begins_where_the_past_ends(self):
        from programs import gru
        model = gru.build(dtype=torch.float64).modules["model"].eval()
        torch.nn.init.zeros_(model.out.weight)
        torch.nn.init.zeros_(model.out.bias)
        past = torch.randn(2, 16, 3, dtype=torch.float64)
        self.assert_close(model(past), past[:, -1:].expand(-1, 4, -1))

    def test_the_spectral_loss_is_0_for_equal_sounds(self):
        from programs.conv1d import spectral_loss
        sound, window = torch.randn(2, 1024), torch.hann_window(128)
        self.assertEqual(float(spectral_loss(sound, sound, window)), 0.0)
        self.assertGreater(float(spectral_loss(0.5 * sound, sound, window)), 0.5)


if __name__ == "__main__":
    unittest.main()
