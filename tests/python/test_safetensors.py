"""Headers of safetensors files: exact weights, and what is wrong with damaged files.

The files are written byte by byte, as the format says: the header's length in 8 bytes
(little-endian), the header, the data.
"""
import json
import struct
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from rooflab import Error
from rooflab._safetensors import MOST_HEADER_BYTES, Stored, files_of, read_header
from rooflab.weights import weights_in

BITS = {"F32": 32, "BF16": 16, "F16": 16, "F8_E4M3": 8, "I8": 8, "U8": 8, "I32": 32, "F4": 4}


def write(path, tensors, **metadata):
    """`tensors`: type and shape by name. The data are a hole of the file."""
    header, end = {"__metadata__": metadata} if metadata else {}, 0
    for name, (kind, *shape) in tensors.items():
        count = 1
        for extent in shape:
            count *= extent
        begin, end = end, end + (count * BITS[kind] + 7) // 8
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "model.safetensors"


class Headers(Folder):
    def test_types_shapes_and_bytes(self):
        write(self.file, {"a.weight": ("BF16", 3, 5), "b": ("F32",), "c": ("F8_E4M3", 0, 7),
                          "d": ("F4", 3)}, format="pt")
        self.assertEqual(read_header(self.file), [
            Stored("a.weight", "BF16", (3, 5), 30), Stored("b", "F32", (), 4),
            Stored("c", "F8_E4M3", (0, 7), 0), Stored("d", "F4", (3,), 2)])
        self.assertEqual([one.elements for one in read_header(self.file)], [15, 1, 0, 3])

    def test_only_the_header_is_read(self):
        write(self.file, {"big": ("BF16", 2**20, 2**19)})  # 1 TB, none of it on the disk
        [stored] = read_header(self.file)
        self.assertEqual(stored.bytes, 2**40)

    def refused(self, data, *words):
        self.file.write_bytes(data)
        with self.assertRaises(Error) as caught:
            read_header(self.file)
        self.assertEqual(caught.exception.exit_code, 2)
        for word in (str(self.file), *words):
            self.assertIn(word, str(caught.exception))

    def test_damaged_files_are_refused_with_the_place(self):
        def header(value, data=b"", length=None):
            text = value if isinstance(value, bytes) else json.dumps(value).encode()
            return struct.pack("<Q", len(text) if length is None else length) + text + data

        def entry(**changed):
            return {"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changed}}

        self.refused(b"", "byte 0", "the file has 0 bytes")
        self.refused(b"\1\2\3", "byte 0", "the file has 3 bytes")
        self.refused(header({}, length=10), "byte 0", "10 bytes, the file ends after 2")
        self.refused(header({}, length=MOST_HEADER_BYTES + 1), "more than 100000000",
                     "is this a safetensors file?")
        self.refused(b"version https://git-lfs.github.com/spec/v1\n", "pointer of Git LFS",
                     "git lfs pull")
        self.refused(header(b'{"a": }'), "byte 14", "not JSON")
        self.refused(header(b"\xff\xfe{}"), "byte 8", "not JSON")
        self.refused(header(b"[" * 100000), "byte 8", "not JSON")
        self.refused(header([1]), "byte 8", "not a JSON object")
        self.refused(header({"t": 3}), "tensor 't'", "not an object")
        self.refused(header(entry(dtype="X7"), bytes(8)), "unknown type 'X7'", "F8_E4M3")
        self.refused(header(entry(dtype=["F32"]), bytes(8)), "unknown type ['F32']")
        self.refused(header(entry(shape=[-2]), bytes(8)), "'shape' is not a list")
        self.refused(header(entry(shape=[True]), bytes(8)), "'shape' is not a list")
        self.refused(header(entry(shape="2"), bytes(8)), "'shape' is not a list")
        self.refused(header(entry(data_offsets=[0]), bytes(8)), "do not lie in the file")
        self.refused(header(entry(data_offsets=[8, 0]), bytes(8)), "do not lie in the file")
        self.refused(header(entry(), bytes(7)), "do not lie in the file, which has 7 bytes")
        self.refused(header(entry(shape=[3]), bytes(8)), "8 bytes, F32 of shape [3] takes 12")
        self.refused(header({**entry(), "u": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}},
                            bytes(8)), "tensor 'u' begins at byte 4 of the data, inside of another")

    def test_names_that_steer_a_terminal(self):
        text = json.dumps({"\x1b]0;owned\x07\u202e": {"dtype": "X7"}}).encode()
        self.refused(struct.pack("<Q", len(text)) + text, "tensor '\\x1b]0;owned\\x07\\u202e'")

    def test_a_file_that_cannot_be_opened(self):
        with self.assertRaisesRegex(Error, "No such file"):
            read_header(self.folder / "none.safetensors")


class Indexes(Folder):
    def index(self, weight_map, **metadata):
        (self.folder / "model.safetensors.index.json").write_text(
            json.dumps({"metadata": metadata, "weight_map": weight_map}))

    def test_files_without_an_index(self):
        self.assertIsNone(files_of(self.folder))
        write(self.folder / "b.safetensors", {})
        write(self.folder / "a.safetensors", {})
        self.assertEqual([path.name for path in files_of(self.folder).paths],
                         ["a.safetensors", "b.safetensors"])
        write(self.file, {})  # the name that transformers gives: others are something else
        self.assertEqual(files_of(self.folder).paths, [self.file])

    def test_the_index_names_the_files(self):
        write(self.folder / "1.safetensors", {"a": ("BF16", 4)})
        write(self.folder / "2.safetensors", {"b": ("BF16", 6)})
        write(self.folder / "other.safetensors", {"c": ("BF16", 8)})
        self.index({"a": "1.safetensors", "b": "2.safetensors"}, total_size=20)
        weights = weights_in(self.folder)
        self.assertEqual((weights.files, weights.tensors, weights.parameters, weights.bytes,
                          weights.complete), (2, 2, 10, 20, True))

    def test_files_that_are_not_here(self):
        write(self.folder / "1.safetensors", {"a": ("BF16", 4)})
        self.index({"a": "1.safetensors", "b": "2.safetensors", "c": "3.safetensors"},
                   total_size=2000)
        weights = weights_in(self.folder)
        self.assertEqual((weights.parameters, weights.bytes, weights.complete), (4, 2000, False))
        self.assertIn("2 of 3 files that the index names are not here: 2.safetensors, ...",
                      weights.notes)

    def test_a_size_that_is_no_number(self):
        write(self.folder / "a.safetensors", {"t": ("F32", 2)})
        for total in ("Infinity", "NaN", '"8"'):
            (self.folder / "model.safetensors.index.json").write_text(
                f'{{"metadata": {{"total_size": {total}}}, "weight_map": {{"t": "a.safetensors"}}}}')
            self.assertIsNone(files_of(self.folder).index_bytes)

    def test_damaged_ones(self):
        for text, word in (("{", "not JSON"), ("[]", "no 'weight_map'"), ("{}", "no 'weight_map'"),
                           ('{"weight_map": {"a": "../b.safetensors"}}', "does not lie in its folder")):
            with self.subTest(text):
                (self.folder / "model.safetensors.index.json").write_text(text)
                with self.assertRaisesRegex(Error, word):
                    files_of(self.folder)


class Quantised(Folder):
    def weights(self, tensors, quantisation=None):
        write(self.file, tensors)
        return weights_in(self.folder, quantisation)

    def test_plain_ones(self):
        weights = self.weights({"a.weight": ("BF16", 64, 32), "a.norm.scale": ("F32", 64)})
        self.assertEqual((weights.parameters, weights.bytes, weights.beside_bytes),
                         (64 * 32 + 64, 2 * 64 * 32 + 4 * 64, 0))
        self.assertEqual((weights.main_type(), weights.quantised), ("BF16", False))
        self.assertIn("1 file: 2,112 parameters, 4.352 kB", str(weights))

    def test_fp8_with_scales_of_blocks(self):
        weights = self.weights({
            "a.weight": ("F8_E4M3", 256, 256), "a.weight_scale_inv": ("F32", 2, 2),
            "norm.weight": ("BF16", 256)})
        self.assertEqual((weights.parameters, weights.bytes, weights.beside_bytes),
                         (256 * 256 + 256, 256 * 256 + 16 + 512, 16))
        self.assertEqual((weights.main_type(), weights.quantised), ("BF16", True))
        self.assertEqual([(kind.type, kind.tensors, kind.bytes) for kind in weights.kinds],
                         [("F8_E4M3", 1, 65536), ("BF16", 1, 512), ("F32", 1, 16)])

    def test_gptq_packs_eight_weights_of_four_bits(self):
        tensors = {"a.qweight": ("I32", 128 // 8, 64), "a.qzeros": ("I32", 1, 8),
                   "a.scales": ("F16", 1, 64), "a.g_idx": ("I32", 128)}
        weights = self.weights(tensors)
        self.assertEqual((weights.parameters, weights.beside_bytes),
                         (128 * 64, 32 + 128 + 512))
        self.assertTrue(weights.quantised)
        self.assertIn("packed: an element of I32 holds 8 weights of 4 bits", weights.notes)
        self.assertEqual(self.weights(tensors, {"quant_method": "gptq", "bits": 8}).parameters,
                         128 // 8 * 64 * 4)

    def test_compressed_tensors_say_the_bits_of_a_group(self):
        groups = {"config_groups": {"group_0": {"weights": {"num_bits": 8}}}}
        tensors = {"a.weight_packed": ("I32", 64, 16), "a.weight_scale": ("BF16", 64, 1),
                   "a.weight_shape": ("I32", 2)}
        self.assertEqual(self.weights(tensors, groups).parameters, 64 * 64)

    def test_bitsandbytes_packs_two_in_a_byte(self):
        weights = self.weights({"a.weight": ("U8", 512, 1), "a.weight.absmax": ("U8", 16),
                                "a.weight.quant_map": ("F32", 16)})
        self.assertEqual((weights.parameters, weights.beside_bytes), (1024, 16 + 64))

    def test_mxfp4_has_blocks(self):
        weights = self.weights({"e.gate_up_proj_blocks": ("U8", 4, 8, 2, 16),
                                "e.gate_up_proj_scales": ("U8", 4, 8, 2)})
        self.assertEqual((weights.parameters, weights.beside_bytes), (4 * 8 * 2 * 32, 64))

    def test_files_of_the_library_itself(self):
        try:
            import torch
            from safetensors.torch import save_file
        except ImportError as error:
            self.skipTest(str(error))
        save_file({"a": torch.zeros(3, 4, dtype=torch.bfloat16), "b": torch.zeros(5)},
                  str(self.file))
        self.assertEqual({(one.name, one.type, one.shape) for one in read_header(self.file)},
                         {("a", "BF16", (3, 4)), ("b", "F32", (5,))})


if __name__ == "__main__":
    unittest.main()
