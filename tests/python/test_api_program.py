"""Finding and running the program, and `python -m rooflab`."""
import importlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

import rooflab
from rooflab import _program, _version
from surroundings import CHECKOUT, Environment


class Finding(Environment):
    def setUp(self):
        super().setUp()
        os.environ.pop("ROOFLAB", None)
        os.environ["PATH"] = str(self.folder / "path")

    def checkout(self, *builds):
        (self.folder / "CMakeLists.txt").write_text("project(rooflab VERSION 1.2.3 LANGUAGES CXX\n")
        for build in builds:
            (self.folder / "build" / build / "bin").mkdir(parents=True)
            self.executable(f"build/{build}/bin/rooflab", "#!/bin/sh\n")

    def test_the_variable_comes_first(self):
        self.checkout("ci")
        os.environ["ROOFLAB"] = str(self.executable("mine", "#!/bin/sh\n"))
        self.assertEqual(_program.find(self.folder), str(self.folder / "mine"))

    def test_a_wrong_variable_is_an_error_and_not_passed_over(self):
        self.checkout("ci")
        os.environ["ROOFLAB"] = str(self.folder / "nothing")
        with self.assertRaisesRegex(rooflab.Error, "ROOFLAB names '.*nothing'"):
            _program.find(self.folder)

    def test_a_relative_variable_is_an_error_and_not_a_program_of_this_folder(self):
        self.executable("rooflab", "#!/bin/sh\n")
        for name in ("rooflab", "./rooflab"):
            os.environ["ROOFLAB"] = name
            with self.assertRaisesRegex(rooflab.Error, "not an absolute path"):
                _program.find(self.folder)

    def test_path_comes_before_build_folders(self):
        self.checkout("ci")
        (self.folder / "path").mkdir()
        installed = self.executable("path/rooflab", "#!/bin/sh\n")
        self.assertEqual(_program.find(self.folder), str(installed))

    def test_a_wheel_has_its_own_program(self):
        package = self.folder / "site-packages" / "rooflab"
        (package / "_tree" / "bin").mkdir(parents=True)
        own = self.executable("site-packages/rooflab/_tree/bin/rooflab", "#!/bin/sh\n")
        (self.folder / "path").mkdir()
        self.executable("path/rooflab", "#!/bin/sh\n")
        self.assertEqual(_program.find(self.folder, package), str(own))

    def test_an_installed_package_finds_the_program_beside_it(self):
        package = self.folder / "share" / "rooflab" / "python" / "rooflab"
        package.mkdir(parents=True)
        (self.folder / "bin").mkdir()
        installed = self.executable("bin/rooflab", "#!/bin/sh\n")
        self.assertEqual(_program.find(self.folder, package), str(installed))
        with self.assertRaises(rooflab.Error):
            _program.find(self.folder, package.parent)

    def test_an_installed_package_knows_its_version(self):
        (self.folder / "PKG-INFO").write_text("Name: rooflab\nVersion: 4.5.6\n")
        self.assertEqual(_version.version_beside(self.folder), "4.5.6")
        self.assertIsNone(_version.version_beside(self.folder / "elsewhere"))

    def test_release_comes_before_other_builds(self):
        self.checkout("asan", "ci")
        self.assertEqual(_program.find(self.folder), str(self.folder / "build/ci/bin/rooflab"))
        self.checkout("release")
        self.assertEqual(_program.find(self.folder), str(self.folder / "build/release/bin/rooflab"))

    def test_without_a_program_the_error_names_all_places(self):
        self.checkout()
        with self.assertRaises(rooflab.Error) as caught:
            _program.find(self.folder)
        for place in ("ROOFLAB", "PATH", str(self.folder / "build")):
            self.assertIn(place, str(caught.exception))

    def test_another_project_has_no_build_folders(self):
        self.checkout("ci")
        (self.folder / "CMakeLists.txt").write_text("project(other VERSION 1.2.3)\n")
        with self.assertRaises(rooflab.Error):
            _program.find(self.folder)


class Running(Environment):
    def answers(self, script):
        os.environ["ROOFLAB"] = str(self.executable("rooflab", f"#!/bin/sh\n{script}\n"))

    def test_an_error_has_message_hint_and_code(self):
        self.answers("echo 'rooflab: note' >&2; echo 'rooflab: error: bad' >&2; echo ' thing' >&2; "
                     "echo 'hint: mend it' >&2; echo 'rooflab: more' >&2; exit 2")
        with self.assertRaises(rooflab.Error) as caught:
            _program.run(["x"])
        error = caught.exception
        self.assertEqual((error.message, error.hint, error.exit_code),
                         ("bad\n thing", "mend it", 2))
        self.assertEqual(str(error), "bad\n thing\nhint: mend it")

    def test_a_killed_program_is_named(self):
        self.answers("echo last words >&2; kill -9 $$")
        with self.assertRaisesRegex(rooflab.Error, "signal 9\nlast words"):
            _program.run(["x"])

    def test_a_program_that_cannot_start(self):
        os.environ["ROOFLAB"] = str(self.executable("rooflab", "#!/no/such/shell\n"))
        with self.assertRaisesRegex(rooflab.Error, "cannot be started"):
            _program.run(["x"])

    def test_one_start_gives_text_and_json(self):
        answer = _program.ask(["summary", "alexnet"])
        self.assertEqual(answer.data["model"], "alexnet")
        self.assertIn("61,100,840", answer.text)

    def test_the_real_program_says_what_is_wrong(self):
        with self.assertRaises(rooflab.Error) as caught:
            rooflab.predict("resnet18", device="t9")
        self.assertEqual((caught.exception.message, caught.exception.exit_code),
                         ("unknown device 't9'", 2))
        self.assertIn("t4", caught.exception.hint)


class AsModule(Environment):
    def command(self, *words):
        return [sys.executable, "-m", "rooflab", *words]

    def setUp(self):
        super().setUp()
        os.environ["PYTHONPATH"] = str(CHECKOUT / "python")

    def test_it_is_the_program(self):
        direct = subprocess.run([_program.find(), "summary", "alexnet"], capture_output=True,
                                check=True)
        module = subprocess.run(self.command("summary", "alexnet"), capture_output=True, check=True)
        self.assertEqual(module.stdout, direct.stdout)

    def test_exit_codes_pass(self):
        done = subprocess.run(self.command("summary", "nosuch"), capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"unknown model 'nosuch'", done.stderr)

    def test_signals_reach_it(self):
        os.environ["ROOFLAB"] = str(self.executable(
            "rooflab", "#!/bin/sh\ntrap 'exit 9' USR1\necho ready\nwhile :; do sleep 0.05; done\n"))
        process = subprocess.Popen(self.command(), stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.send_signal(signal.SIGUSR1)
        self.assertEqual(process.wait(timeout=30), 9)
        process.stdout.close()

    def test_without_a_program(self):
        os.environ["ROOFLAB"] = "/nothing"
        done = subprocess.run(self.command(), capture_output=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"rooflab: error: ROOFLAB names '/nothing'", done.stderr)


class Package(unittest.TestCase):
    def test_import_needs_no_torch_and_starts_nothing(self):
        script = ("import sys, rooflab; names = dir(rooflab); "
                  "assert 'predict' in names and 'torch' not in sys.modules; "
                  "assert 'subprocess' not in sys.modules")
        subprocess.run([sys.executable, "-c", script], check=True,
                       env={**os.environ, "PYTHONPATH": str(CHECKOUT / "python")})

    def test_every_name_is_there(self):
        for home, names in rooflab._HOMES.items():
            with self.subTest(home):
                if importlib.util.find_spec(f"rooflab.{home}") is None:
                    self.skipTest(f"the package has no {home}")
                module = importlib.import_module(f"rooflab.{home}")
                for name in names:
                    self.assertIs(getattr(rooflab, name), getattr(module, name))
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            rooflab.nothing

    def test_the_version_is_the_project_s(self):
        text = (CHECKOUT / "CMakeLists.txt").read_text()
        self.assertEqual(rooflab.__version__, re.search(r"VERSION (\S+) LANG", text).group(1))
        self.assertIn(rooflab.__version__, _program.run(["--version"]))

    def test_setup_reads_it(self):
        called = {}
        setuptools = mock.MagicMock(setup=lambda **settings: called.update(settings))
        with mock.patch.dict(sys.modules, setuptools=setuptools), \
                mock.patch.object(sys, "path", [*sys.path]):
            path = Path(CHECKOUT / "python/setup.py")
            exec(compile(path.read_text(), str(path), "exec"), {"__file__": str(path),
                                                               "__name__": "__main__"})
        self.assertEqual(called, {"version": rooflab.__version__})


if __name__ == "__main__":
    unittest.main()
