"""The role `cache`: keys and values of generation, by what holds them or by what the user says.

Every step writes keys and values of one token behind three. Sizes are worked out by hand: a layer's
keys have 2 sequences x 1 head x 4 places x 8 numbers of 4 bytes = 256 bytes, three places have 192.
"""
from __future__ import annotations

import types
import unittest
from typing import Any

import torch
from recording_checker import check

from rooflab import RecordingError
from rooflab.recorder import record

OLD, NEW = 2 * 3 * 8 * 4, 2 * 4 * 8 * 4


class Layer:
    """As a layer of transformers' DynamicCache: a step makes new keys and values of the old ones."""

    def __init__(self, tokens: int = 3) -> None:
        self.keys, self.values = torch.zeros(2, 1, tokens, 8), torch.zeros(2, 1, tokens, 8)

    def update(self, token: torch.Tensor) -> torch.Tensor:
        self.keys = torch.cat([self.keys, token], dim=2)
        self.values = torch.cat([self.values, token], dim=2)
        return self.keys


class StaticLayer(Layer):
    def update(self, token: torch.Tensor) -> torch.Tensor:
        self.keys[:, :, 3:] = token
        self.values[:, :, 3:] = token
        return self.keys


class DynamicCache:
    def __init__(self, kind: type = Layer, tokens: int = 3, layers: int = 2) -> None:
        self.layers = [kind(tokens) for _ in range(layers)]


class MyOwnCache(DynamicCache):
    pass


class Sub(MyOwnCache):
    """Named otherwise, but a cache by its base class."""


class EncoderDecoderCache:
    def __init__(self) -> None:
        self.self_attention_cache = DynamicCache()
        self.cross_attention_cache = DynamicCache(StaticLayer)


class OldCache:
    """As in older versions: lists of both."""

    def __init__(self) -> None:
        self.key_cache = [torch.zeros(2, 1, 3, 8)]
        self.value_cache = [torch.zeros(2, 1, 3, 8)]


class LRUCache(dict):
    """Another kind of cache."""


class Attention(torch.nn.Module):
    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place
        self.project = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor, past_key_values: Any) -> torch.Tensor:
        token = self.project(x)[:, None]
        keys = past_key_values.layers[self.place].update(token)
        return x + keys.mean(dim=(1, 2))[:, None]


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Attention(place) for place in range(2))

    def forward(self, x: torch.Tensor, past_key_values: Any) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x, past_key_values=past_key_values)
        return x


class Caches(unittest.TestCase):
    def cached(self, seen: Any) -> dict[str, tuple[int, bool, bool]]:
        """By name: bytes, whether it existed before the step, whether the step frees it."""
        return {(seen.names[number], seen.born[number] < 0): (
                    seen.storages[number]["bytes"], number in seen.freed)
                for number, role in seen.role.items() if role == "cache"}

    def test_a_dynamic_one_is_old_and_new(self) -> None:
        for kind in (DynamicCache, MyOwnCache, Sub):
            with self.subTest(kind.__name__):
                cache = kind()
                seen = check(record(Model(), torch.zeros(2, 1, 8), past_key_values=cache,
                                    warmup=0))
                self.assertEqual(self.cached(seen), {
                    (f"layers.{layer}.{part}", before): (OLD if before else NEW, before)
                    for layer in range(2) for part in ("keys", "values")
                    for before in (True, False)})

    def test_its_first_tokens_are_born_in_the_step(self) -> None:
        cache = DynamicCache(tokens=0)
        seen = check(record(Model(), torch.zeros(2, 1, 8), cache, warmup=0))
        self.assertEqual(set(self.cached(seen).values()), {(2 * 8 * 4, False)})
        self.assertEqual({before for _, before in self.cached(seen)}, {False})

    def test_a_static_one_stays(self) -> None:
        cache = DynamicCache(StaticLayer, 4)
        seen = check(record(Model(), torch.zeros(2, 1, 8), cache, warmup=0))
        self.assertEqual(self.cached(seen), {
            (f"layers.{layer}.{part}", True): (NEW, False)
            for layer in range(2) for part in ("keys", "values")})

    def test_one_for_a_decoder_and_one_for_its_encoder(self) -> None:
        cache = EncoderDecoderCache()

        class Decoder(torch.nn.Module):
            def forward(self, x: torch.Tensor, cache: Any) -> torch.Tensor:
                return cache.cross_attention_cache.layers[0].keys + x

        seen = check(record(Decoder(), torch.zeros(8), cache, warmup=0))
        self.assertEqual(len(self.cached(seen)), 2 * 2 * 2)
        self.assertIn(("cross_attention_cache.layers.1.values", True), self.cached(seen))

    def test_lists_of_older_versions(self) -> None:
        seen = check(record(lambda cache: torch.nn.Identity()(cache).key_cache[0] + 1, OldCache(),
                            warmup=0))
        self.assertEqual(set(self.cached(seen)), {("key_cache.0", True), ("value_cache.0", True)})

    def test_tuples_by_the_names_of_arguments_and_results(self) -> None:
        class Old(torch.nn.Module):
            def forward(self, x: torch.Tensor, past_key_values: Any) -> Any:
                pairs = tuple(tuple(torch.cat([one, x], dim=2) for one in pair)
                              for pair in past_key_values)
                return types.SimpleNamespace(logits=x * 2, past_key_values=pairs)

        past = ((torch.zeros(2, 1, 3, 8), torch.zeros(2, 1, 3, 8)),)
        kept = []
        seen = check(record(lambda: kept.append(
            Old()(torch.zeros(2, 1, 1, 8), past_key_values=past)), warmup=0))
        self.assertEqual(self.cached(seen), {
            (f"past.0.{place}", before): (OLD if before else NEW, False)
            for place in range(2) for before in (True, False)})

    def test_one_by_its_newer_name_in_a_result(self) -> None:
        """As from transformers 5.24 on, which warns of a question for the older name."""
        class Result:
            def __init__(self, cache: Any) -> None:
                self.cache = cache

            @property
            def past_key_values(self) -> Any:
                raise FutureWarning("use `cache`")

        class New(torch.nn.Module):
            def forward(self, x: torch.Tensor, is_kept: bool) -> Result:
                cache = DynamicCache(tokens=0)
                cache.layers[0].update(x[:, None])
                return Result(cache if is_kept else None)

        kept: list[Any] = []
        for is_kept, expected in ((True, {("layers.0.keys", False), ("layers.0.values", False)}),
                                  (False, set())):
            seen = check(record(lambda is_kept=is_kept: kept.append(
                New()(torch.zeros(2, 1, 8), is_kept)), warmup=0))
            self.assertEqual(set(self.cached(seen)), expected)

    def test_buffers_of_a_module_that_is_one(self) -> None:
        class KVCache(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.register_buffer("k_cache", torch.zeros(2, 1, 4, 8))
                self.register_buffer("v_cache", torch.zeros(2, 1, 4, 8))

        class Holder(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.kept = KVCache()
                self.register_buffer("table", torch.zeros(8))

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                self.kept.k_cache[:, :, :1] = x
                return self.kept.k_cache + self.table

        seen = check(record(Holder(), torch.zeros(8), warmup=0))
        self.assertEqual(self.cached(seen), {("k_cache", True): (NEW, False),
                                             ("v_cache", True): (NEW, False)})
        self.assertIn("buffer", seen.role.values())

    def test_the_user_says_it(self) -> None:
        kept = {"pair": [torch.zeros(2, 1, 3, 8), torch.zeros(2, 1, 3, 8)]}

        def step(token: torch.Tensor) -> None:
            kept["pair"] = [torch.cat([one, token], dim=2) for one in kept["pair"]]

        token = torch.zeros(2, 1, 1, 8)
        # A dictionary that the step changes, a list that it does not, a function.
        seen = check(record(step, token, warmup=0, cache=kept))
        self.assertEqual([one["bytes"] for one in self.of_cache(seen)], [OLD, OLD, NEW, NEW])
        kept["pair"] = [torch.zeros(2, 1, 3, 8), torch.zeros(2, 1, 3, 8)]
        seen = check(record(step, token, warmup=0, cache=list(kept["pair"])))
        self.assertEqual([one["bytes"] for one in self.of_cache(seen)], [OLD, OLD])
        kept["pair"] = [torch.zeros(2, 1, 3, 8), torch.zeros(2, 1, 3, 8)]
        seen = check(record(step, token, warmup=0, cache=lambda: kept["pair"]))
        self.assertEqual([one["bytes"] for one in self.of_cache(seen)], [OLD, OLD, NEW, NEW])
        with record() as recorder:
            step(token)
            recorder.cache(kept["pair"])
        seen = check(recorder.recording)
        self.assertEqual([one["bytes"] for one in self.of_cache(seen)], [2 * 5 * 8 * 4] * 2)
        with self.assertRaisesRegex(RecordingError, "no recording is running"):
            recorder.cache(kept["pair"])

    def of_cache(self, seen: Any) -> list[dict[str, Any]]:
        return [seen.storages[number] for number in sorted(
            number for number, role in seen.role.items() if role == "cache")]

    def test_a_function_that_fails_ends_the_recording(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            record(lambda: torch.zeros(1), warmup=0, cache=lambda: 1 // 0)
        check(record(lambda: torch.zeros(1), warmup=0))  # nothing is left of it

    def test_other_things_are_none(self) -> None:
        class User(torch.nn.Module):
            def forward(self, x: torch.Tensor, *more: Any) -> torch.Tensor:
                return x + more[0]["a"]

        other = LRUCache(a=torch.zeros(4))
        seen = check(record(User(), torch.zeros(4), other, (torch.zeros(4),), warmup=0))
        self.assertNotIn("cache", seen.role.values())


if __name__ == "__main__":
    unittest.main()
