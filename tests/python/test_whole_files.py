"""Files and folders that a killed process leaves, and those of one at work."""
import errno
import os
import signal
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from surroundings import Environment

from rooflab._locks import machine_tag
from rooflab._temporary_folder import TemporaryFolder, _remove_abandoned
from rooflab._whole_file import WholeFile
from rooflab.errors import Error

PACKAGE = Path(__file__).resolve().parents[2] / "python"


class Place(Environment):
    def setUp(self):
        super().setUp()
        _remove_abandoned.cache_clear()

    def killed(self, program):
        """Runs a program that is killed at its end, in the test's folder."""
        ended = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program) + "\nimport os; os.kill(os.getpid(), 9)"],
            cwd=self.folder, env={**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(self.folder)})
        self.assertEqual(ended.returncode, -signal.SIGKILL)

    def names(self):
        return sorted(each.name for each in self.folder.iterdir())


class WholeFiles(Place):
    def write(self, text):
        with WholeFile(self.folder / "a") as file:
            file.write(text)

    def test_a_file_is_there_when_it_is_whole(self):
        with WholeFile(self.folder / "a") as file:
            file.write(b"half")
            self.assertEqual(self.names(), [f"a.{machine_tag()}.part"])
        self.assertEqual((self.names(), (self.folder / "a").read_bytes()), (["a"], b"half"))
        with self.assertRaises(KeyError), WholeFile(self.folder / "a") as file:
            file.write(b"other")
            raise KeyError
        self.assertEqual((self.names(), (self.folder / "a").read_bytes()), (["a"], b"half"))

    def test_what_a_killed_writer_left_goes_with_the_next(self):
        self.killed("""
            from pathlib import Path
            from rooflab._whole_file import WholeFile
            file = WholeFile(Path("a"))
            file.write(b"half")""")
        self.assertEqual(self.names(), [f"a.{machine_tag()}.part"])
        self.write(b"whole")
        self.assertEqual(self.names(), ["a"])

    def test_writers_beside_each_other_keep_apart(self):
        first = WholeFile(self.folder / "a")
        first.write(b"first")
        self.write(b"second")
        first.finish()
        self.assertEqual((self.names(), (self.folder / "a").read_bytes()), (["a"], b"first"))

    def test_an_error_names_the_target_and_the_reason(self):
        for name in ("write", "close"):
            file = WholeFile(self.folder / "a")
            failing = mock.Mock(wraps=file._file, **{f"{name}.side_effect": OSError(errno.ENOSPC, "")})
            file._file, real = failing, file._file
            with self.subTest(name), self.assertRaisesRegex(OSError, "No space left on device: '.*/a'"):
                with file:
                    file.write(b"text")
            real.close()
            self.assertEqual(self.names(), [])


class TemporaryFolders(Place):
    def test_a_folder_goes_with_its_object(self):
        self.enter(mock.patch("tempfile.tempdir", str(self.folder)))
        with TemporaryFolder("test") as folder:
            (folder / "inner").mkdir()
            (folder / "inner/file").write_text("x")
            self.assertEqual(self.names(), [folder.name])
        self.assertEqual(self.names(), [])

    def test_what_could_not_be_removed_goes_with_the_next_folder(self):
        self.enter(mock.patch("tempfile.tempdir", str(self.folder)))
        folder = TemporaryFolder("test")
        (folder.path / "file").write_text("x")
        with mock.patch("pathlib.Path.unlink", side_effect=OSError):
            folder.close()
        self.assertEqual(self.names(), [folder.path.name])
        _remove_abandoned.cache_clear()
        with TemporaryFolder("test") as other:
            self.assertEqual(self.names(), [other.name])

    def test_what_a_killed_process_left_goes_with_the_next_folder(self):
        self.killed("""
            from rooflab._temporary_folder import TemporaryFolder
            folder = TemporaryFolder("test")
            (folder.path / "file").write_text("x")""")
        self.assertEqual(len(self.names()), 1)
        (self.folder / "rooflab-other").mkdir()  # no name of ours
        self.enter(mock.patch("tempfile.tempdir", str(self.folder)))
        with TemporaryFolder("test") as one:
            _remove_abandoned.cache_clear()
            with TemporaryFolder("test") as other:
                self.assertEqual(self.names(), sorted([one.name, other.name, "rooflab-other"]))

    def test_a_place_that_cannot_be_used_is_an_error_with_its_reason(self):
        self.enter(mock.patch("tempfile.tempdir", None))
        (self.folder / "loop").symlink_to("loop")
        os.environ["TMPDIR"] = str(self.folder / "missing")
        with self.assertRaisesRegex(Error, "TMPDIR is '.*/missing', which is not a folder"):
            TemporaryFolder("test")
        os.environ["TMPDIR"] = str(self.folder / "loop")
        with self.assertRaisesRegex(OSError, "Too many levels of symbolic links: '.*/loop'"):
            TemporaryFolder("test")

    def test_the_program_removes_it_too(self):
        self.killed("""
            from rooflab._temporary_folder import TemporaryFolder
            folder = TemporaryFolder("test")""")
        subprocess.run([os.environ["ROOFLAB"], "fit", "alexnet", "--device", "cuda:0", "--vary", "batch=1..2",
                        "--measure", "-o", "tries"], cwd=self.folder, check=True, capture_output=True,
                       env={**os.environ, "TMPDIR": str(self.folder)})
        self.assertEqual(self.names(), ["tries"])


if __name__ == "__main__":
    unittest.main()
