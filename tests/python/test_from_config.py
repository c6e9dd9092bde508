"""`rooflab.from_config`, with a stand-in for transformers (packages/test_families.py has itself)."""
import json
import os
import re
import sys
import unittest

import rooflab
from recording_checker import check
from surroundings import CHECKOUT, Environment, torch_or_skip
from test_safetensors import write

torch = torch_or_skip()

import fake_transformers  # noqa: E402  (needs torch)
from rooflab import _config_command  # noqa: E402


def cache_bytes(seen):
    """Bytes of caches before the step, and behind it."""
    of_cache = [number for number, role in seen.role.items() if role == "cache"]
    size = {number: seen.storages[number]["bytes"] for number in of_cache}
    return (sum(size[number] for number in of_cache if seen.born[number] < 0),
            sum(size[number] for number in of_cache if number not in seen.freed))


class Tiny(Environment):
    """2 layers of width 32, vocabulary 64: 2 x 64 x 32 + 2 x 3 x 32 x 32 parameters in bf16; a
    token takes 2 x 2 x 32 x 2 = 256 bytes of the cache."""

    PARAMETERS = 2 * 64 * 32 + 2 * 3 * 32 * 32
    TOKEN = 256

    def setUp(self):
        super().setUp()
        self.enter(fake_transformers.in_place())

    def model(self, **changed):
        (self.folder / "config.json").write_text(
            json.dumps({**fake_transformers.CONFIG, **changed}))
        return rooflab.from_config(self.folder / "config.json")


class Models(Tiny):
    def test_what_the_configuration_says(self):
        model = self.model()
        self.assertEqual((model.model_type, model.dtype, model.phases, model.parameters),
                         ("tiny", "bfloat16", ("prefill", "decode", "inference", "training"),
                          self.PARAMETERS))
        self.assertEqual({(one.device.type, one.dtype) for one in model.model.parameters()},
                         {("meta", torch.bfloat16)})
        self.assertEqual((model.weights, model.notes), (None, []))
        self.assertEqual(rooflab.from_config(str(self.folder)).parameters, self.PARAMETERS)
        self.assertEqual(self.model(dtype=None, torch_dtype="torch.float16").dtype, "float16")
        self.assertEqual(self.model(dtype=None).dtype, "float32")

    def test_its_name(self):
        folder = self.folder / "Tiny-3B"
        folder.mkdir()
        for name, expected in (("config.json", "Tiny-3B"), ("tiny-1b.json", "tiny-1b")):
            (folder / name).write_text(json.dumps(fake_transformers.CONFIG))
            self.assertEqual(rooflab.from_config(folder / name).name, expected)
        hub = self.folder / "models--org--Tiny-7B" / "snapshots" / ("0123456789abcdef" * 3)[:40]
        hub.mkdir(parents=True)
        (hub / "config.json").write_text(json.dumps(fake_transformers.CONFIG))
        self.assertEqual(rooflab.from_config(hub).name, "Tiny-7B")
        self.assertEqual(self.model(_name_or_path="org/Tiny-9B").name, "Tiny-9B")
        os.chdir(folder)
        self.addCleanup(os.chdir, CHECKOUT)
        self.assertEqual(rooflab.from_config("config.json").name, "TinyForCausalLM")

    def test_images(self):
        (self.folder / "config.json").write_text(json.dumps(fake_transformers.VISION))
        model = rooflab.from_config(self.folder)
        self.assertEqual(model.phases, ("inference", "training"))
        seen = check(model.record(batch=2))
        self.assertIsNone(seen.first["context"])  # images have none
        image, = [one for one in seen.storages if one.get("role") == "input"]
        self.assertEqual(image["bytes"], 2 * 3 * 16 * 24 * 4)
        with self.assertRaisesRegex(rooflab.Error, "has no phase 'decode'"):
            model.record(phase="decode")


class Steps(Tiny):
    def test_decode_adds_a_token(self):
        recording = self.model().record(batch=3, context=10)
        seen = check(recording)
        self.assertEqual((recording.batch, recording.assumptions), (3, []))
        self.assertEqual(cache_bytes(seen), (3 * 10 * self.TOKEN, 3 * 11 * self.TOKEN))
        first = next(iter(recording.open()))
        self.assertEqual((first["grad"], first["context"]), (False, 10))
        self.assertTrue(first["name"].endswith(" decode"))

    def test_a_static_cache_has_room(self):
        seen = check(self.model().record(batch=3, context=10, cache="static"))
        self.assertEqual(cache_bytes(seen), (3 * 74 * self.TOKEN,) * 2)

    def test_prefill_fills_a_fresh_cache(self):
        seen = check(self.model().record(phase="prefill", batch=2, tokens=16))
        self.assertEqual(seen.first["context"], 16)
        self.assertEqual(cache_bytes(seen), (0, 2 * 16 * self.TOKEN))
        # The head is computed for the last token only.
        head = seen.layouts[seen.tensors[seen.ops[-1].inputs[0]]["layout"]]["shape"]
        self.assertEqual((head[0], head[-1]), (2, 64))

    def test_inference_has_no_cache(self):
        seen = check(self.model().record(phase="inference", batch=2, tokens=16))
        self.assertEqual(cache_bytes(seen), (0, 0))
        self.assertNotIn("optimizer", seen.role.values())

    def test_training_has_an_optimizer_with_its_state(self):
        model = self.model(dtype="float32")
        recording = model.record(phase="training", batch=2, tokens=16, optimizer="adamw")
        seen = check(recording)
        state = sum(seen.storages[number]["bytes"] for number, role in seen.role.items()
                    if role == "optimizer" and seen.storages[number]["bytes"] > 8)
        self.assertEqual(state, 2 * 4 * self.PARAMETERS)
        self.assertEqual(seen.optimizers[0]["optimizer"], "AdamW")
        self.assertTrue(next(iter(recording.open()))["grad"])

    def test_precision_is_that_of_the_weights(self):
        seen = check(self.model().record(phase="inference", precision="fp32", tokens=4))
        weights = sum(seen.storages[number]["bytes"] for number, role in seen.role.items()
                      if role == "parameter")
        self.assertEqual(weights, 4 * self.PARAMETERS)

    def test_sizes_that_nobody_named(self):
        model = self.model()
        self.assertEqual(cache_bytes(check(model.record())), (128 * self.TOKEN, 129 * self.TOKEN))
        self.assertEqual(cache_bytes(check(model.record(phase="prefill")))[1], 256 * self.TOKEN)
        long = self.model(max_position_embeddings=10**6)
        self.assertEqual(cache_bytes(check(long.record()))[0], 2048 * self.TOKEN)
        self.assertEqual(cache_bytes(check(long.record(phase="prefill")))[1], 512 * self.TOKEN)

    def test_a_question_for_a_value_is_answered_and_noted(self):
        recording = self.model(asks=True).record(phase="training", tokens=4)
        [assumed] = recording.assumptions
        self.assertEqual((assumed["assumed"], assumed["value"]), ("item", 1))
        self.assertIn("fake_transformers.py", assumed["where"])
        with self.assertRaisesRegex(rooflab.RecordingError, "needs the values"):
            self.model(asks=True).record(phase="inference", tokens=4, assume={})

    def test_a_recording_can_be_kept(self):
        target = self.folder / "step.rec.jsonl.gz"
        self.assertEqual(self.model().record(target).path, target)
        check(rooflab.Recording.load(target))


class Answers(Tiny):
    def test_a_prediction_has_its_sources(self):
        model = self.model()
        found = model.predict(device="h200,b200", phase="inference", batch=2, tokens=64)
        for one in found:
            self.assertGreater(one.time, 0)
            self.assertLess(one.limit, one.time)
            self.assertLessEqual(one.low, one.time)
            self.assertGreaterEqual(one.high, one.time)
            self.assertAlmostEqual(sum(source.time_share for source in one.sources), 1)
            self.assertAlmostEqual(sum(source.time_s for source in one.sources), sum(
                kind["time_s"] for kind in one.to_dict()["prediction"]["kinds"]))
            self.assertIn("h200-sxm", {source.device for source in one.sources})
        self.assertIn("inference: 64 tokens, no cache; recorded on meta with torch", str(found))
        self.assertEqual(found["b200"].memory.parameter_bytes, 2 * self.PARAMETERS)
        alone = model.predict(device="h200", phase="inference", issued_by="none", tokens=64)
        self.assertLess(alone.time, found["h200"].time)

    def test_a_summary_counts(self):
        """Products of 16 tokens: three of 32 x 32 a layer, keys and values of all 16, the head of
        all tokens."""
        summary = self.model().summary(phase="inference", tokens=16)
        macs = 16 * (2 * 3 * 32 * 32 + 64 * 32) + 2 * 2 * 16 * 16 * 32
        self.assertEqual((summary.macs, summary.parameters, summary.coverage),
                         (macs, self.PARAMETERS, 1.0))

    def test_weights_of_the_files_are_shown(self):
        model = self.model()
        names = {name: ("BF16", *value.shape) for name, value in model.model.named_parameters()}
        write(self.folder / "model.safetensors", names)
        model = rooflab.from_config(self.folder)
        self.assertEqual((model.weights.parameters, model.weights.bytes, model.notes),
                         (self.PARAMETERS, 2 * self.PARAMETERS, []))
        text = str(model.summary(phase="inference", tokens=8))
        self.assertIn("weights in 1 file: 10,240 parameters, 20.48 kB", text)
        self.assertNotIn("predicted memory has", text)

    def test_files_of_other_types_are_a_note(self):
        names = {name: ("F8_E4M3" if "layers" in name else "BF16", *value.shape)
                 for name, value in self.model().model.named_parameters()}
        write(self.folder / "model.safetensors", names)
        changed = {**fake_transformers.CONFIG, "quantization_config": {"quant_method": "fp8"}}
        (self.folder / "config.json").write_text(json.dumps(changed))
        model = rooflab.from_config(self.folder)
        self.assertEqual([note.split(":")[0].split(" (")[0] for note in model.notes],
                         ["the configuration names quantised weights",
                          "the files hold quantised weights"])
        prediction = model.predict(device="h200", phase="inference", tokens=8)
        self.assertEqual(prediction.notes[:2], model.notes)
        self.assertRegex(str(prediction), r"predicted memory has 2.048e-05 GB of weights in "
                                          r"bfloat16:\s+6.144e-06 GB\s+more than the files")

    def test_the_files_tell_the_type_where_the_configuration_does_not(self):
        write(self.folder / "model.safetensors", {"a": ("F16", 8)})
        self.assertEqual(self.model(dtype=None).dtype, "float16")
        self.assertIn("float16, the configuration says bfloat16", self.model().notes[0])


    def test_a_type_that_is_not_known_is_refused_and_not_taken_for_float32(self):
        for values, word in (({"dtype": "float8_e4m3fn"}, '"float8_e4m3fn" (dtype)'),
                             ({"dtype": None, "torch_dtype": "int8"}, '"int8" (torch_dtype)'),
                             ({"dtype": 16}, "16 (dtype)")):
            with self.subTest(word), self.assertRaises(rooflab.Error) as caught:
                self.model(**values)
            self.assertIn(word, caught.exception.message)
            self.assertEqual(caught.exception.exit_code, 2)
        self.assertEqual(self.model(dtype="auto").dtype, "float32")  # as without one
        write(self.folder / "model.safetensors", {"a": ("F8_E4M3", 8)})
        with self.assertRaises(rooflab.Error) as caught:
            self.model(dtype=None)
        self.assertIn("(F8_E4M3)", caught.exception.message)


class Mistakes(Tiny):
    def refused(self, word, hint, call):
        with self.assertRaises(rooflab.Error) as caught:
            call()
        self.assertIn(word, caught.exception.message)
        if hint:
            self.assertIn(hint, caught.exception.hint)
        return caught.exception

    def file(self, text):
        path = self.folder / "wrong.json"
        path.write_text(text)
        return path

    def test_files(self):
        load = rooflab.from_config
        self.refused("does not exist", "config.json", lambda: load(self.folder / "none.json"))
        self.refused("does not exist", "huggingface-cli download org/name",
                     lambda: load("org/name"))
        self.refused("config.json", None, lambda: load(self.folder))
        self.refused("not JSON", None, lambda: load(self.file("{")))
        self.refused("has no 'model_type'", None, lambda: load(self.file("{}")))
        self.refused("has no 'model_type'", None, lambda: load(self.file("[1]")))

    def test_models_that_transformers_cannot_make(self):
        error = self.refused("does not know the model_type 'other'", "newer version",
                             lambda: self.model(model_type="other").parameters)
        self.assertEqual(error.exit_code, 2)
        self.refused("does not know the model_type 'other'", "does not run", lambda: self.model(
            model_type="other", auto_map={"AutoModel": "own.Model"}).parameters)
        self.refused("has no class 'Missing'", None,
                     lambda: self.model(architectures=["Missing"]).parameters)
        # Functions of transformers, and other classes than models, are not called.
        for name in ("pipeline", "AutoConfig", "__version__"):
            self.refused(f"transformers.{name} (architectures) is not a model", "LlamaForCausalLM",
                         lambda: self.model(architectures=[name]).parameters)
        for names in ([5], {"a": 1}, "TinyForCausalLM", [["pipeline"]]):
            self.refused("'architectures' is not a list of names of classes", None,
                         lambda: self.model(architectures=names).parameters)
        self.refused("TinyForCausalLM cannot be built: TypeError", "complete",
                     lambda: self.model(hidden_size="wide").parameters)

    def test_sizes_without_effect(self):
        """Every size that a phase does not use is refused, and the hint names the one that it has."""
        model = self.model()
        for phase, size, value, hint in (("prefill", "context", 8192, "tokens= is the length"),
                                         ("inference", "context", 64, "tokens= is the length"),
                                         ("training", "context", 64, "tokens= is the length"),
                                         ("decode", "tokens", 64, "context= is the number of")):
            with self.subTest(phase):
                self.refused(f"{size}={value} has no effect on {phase}", hint,
                             lambda: model.record(phase=phase, **{size: value}))
        for phase in ("inference", "training"):
            self.refused(f"cache='static' has no effect: {phase} has no cache", "leave it away",
                         lambda: model.record(phase=phase, cache="static"))
        (self.folder / "config.json").write_text(json.dumps(fake_transformers.VISION))
        self.refused("tokens=8 has no effect on inference", "how large an input is",
                     lambda: rooflab.from_config(self.folder).record(phase="inference", tokens=8))

    def test_what_would_load_code(self):
        """A package of kernels of the hub, and names of arguments of Python."""
        model = self.model(attn_implementation="owner/kernel", _attn_implementation="owner/kernel",
                           cls=1, text_config={"attn_implementation": "owner/kernel", "a": 2})
        self.assertEqual(model.parameters, self.PARAMETERS)
        config = vars(model.model.config)
        self.assertEqual([key for key in config if "implementation" in key], [])
        self.assertEqual(config["text_config"], {"a": 2})

    def test_steps(self):
        model = self.model()
        self.refused("has no phase 'sleep'", "prefill, decode",
                     lambda: model.record(phase="sleep"))
        self.refused("unknown cache 'big'", "dynamic, static", lambda: model.record(cache="big"))
        self.refused("batch=0", None, lambda: model.record(batch=0))
        self.refused("tokens='x'", None, lambda: model.record(phase="prefill", tokens="x"))
        self.refused("has 256 positions, the step takes 257", None,
                     lambda: model.record(context=256))
        self.refused("optimizer= is part of training", None,
                     lambda: model.record(optimizer="adam"))

    def test_without_transformers(self):
        sys.modules["transformers"] = None  # an import then fails
        error = self.refused("transformers", "pip install transformers", lambda: self.model())
        self.assertEqual(error.exit_code, 3)

    def test_an_older_transformers(self):
        def without_arguments():
            return None

        sys.modules["transformers"].DynamicCache = without_arguments
        self.refused("makes caches in another way", "newer", lambda: self.model().record())


class Commands(Tiny):
    def test_flags_of_the_step_are_taken_away(self):
        self.assertEqual(
            _config_command.split(["predict", "c.json", "--device", "t4", "--batch=4", "--phase",
                                   "decode", "--issued-by", "none"]),
            ({"batch": "4", "phase": "decode"},
             ["predict", "c.json", "--device", "t4", "--issued-by", "none"]))
        self.model()
        for words, message in ((["--batch", "x"], "--batch x: not a whole number"),
                               (["--batch", "1,"], "not a whole number"),
                               (["--tokens"], "--tokens needs a value"),
                               (["--batch", "4", "--batch=8"], "--batch is given twice"),
                               (["resnet18"], "'resnet18' in addition to the configuration")):
            with self.assertRaisesRegex(rooflab.Error, message):
                _config_command.run(["predict", str(self.folder), *words])

    def test_what_names_a_configuration(self):
        self.model()
        for word in (self.folder, self.folder / "config.json"):
            self.assertTrue(_config_command.names_config(["predict", str(word)]))
        (self.folder / "other.json").write_text("{}")
        for words in (["predict", "resnet18"], ["predict", str(self.folder / "other.json")], []):
            self.assertFalse(_config_command.names_config(words))

    def words_of(self, *words):
        """What the program gets, with the names of files without their folder."""
        log = self.folder / "words"
        program = self.executable("rooflab", f'#!/bin/sh\necho "$@" > {log}\n'
                                  'for file in $(echo "$2,$4" | tr , " "); do\n'
                                  'case $file in *.gz) test -f "$file" || exit 9;; esac; done\n')
        os.environ["ROOFLAB"] = str(program)
        self.assertEqual(_config_command.run([words[0], str(self.folder), *words[1:]]), 0)
        return re.sub(r"/[^ ,]*/", "", log.read_text()).split()

    def test_the_command_gets_the_recording(self):
        self.model()
        self.assertEqual(
            self.words_of("predict", "--phase", "prefill", "--device", "t4", "--tokens", "8"),
            ["predict", "step.rec.jsonl.gz", "--device", "t4"])

    def test_several_sizes_get_recordings_of_three(self):
        self.model(_name_or_path="org/tiny")
        files = ["tiny-decode-b2-1.rec.jsonl.gz", "--recorded",
                 "tiny-decode-b4-1.rec.jsonl.gz,tiny-decode-b2-2.rec.jsonl.gz"]
        self.assertEqual(self.words_of("predict", "--batch", "1,8", "--device", "t4"),
                         ["predict", *files, "--batch", "1,8", "--device", "t4"])
        self.assertEqual(
            self.words_of("predict", "--context", "16,32", "--device", "t4"),
            ["predict", *files, "--context", "16,32", "--batch", "1", "--device", "t4"])
        self.assertEqual(self.words_of("fit", "--vary", "batch,context", "--context", "64"),
                         ["fit", *files, "--context", "64", "--batch", "1", "--vary",
                          "batch,context"])
        self.assertEqual(self.words_of("fit", "--vary=batch"), ["fit", *files, "--vary=batch"])
        self.assertEqual(self.words_of("fit", "--phase", "training", "--tokens", "32",
                                       "--vary", "batch")[1:4],
                         [name.replace("decode", "training") for name in files])

    def test_sizes_are_doubled(self):
        model = self.model()
        found = [cache_bytes(check(rooflab.Recording.load(file)))
                 for file in model.record_sizes(self.folder, batch=3, context=10)]
        self.assertEqual(found, [(3 * 10 * self.TOKEN, 3 * 11 * self.TOKEN),
                                 (6 * 10 * self.TOKEN, 6 * 11 * self.TOKEN),
                                 (3 * 20 * self.TOKEN, 3 * 21 * self.TOKEN)])
        longest = check(rooflab.Recording.load(model.record_sizes(self.folder, context=200)[2]))
        self.assertEqual(cache_bytes(longest)[0], 2 * 128 * self.TOKEN)  # of 256 positions
        (self.folder / "config.json").write_text(json.dumps(fake_transformers.VISION))
        self.assertEqual(len(rooflab.from_config(self.folder).record_sizes(self.folder)), 2)


if __name__ == "__main__":
    unittest.main()
