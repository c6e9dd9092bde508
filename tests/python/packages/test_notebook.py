"""The notebook of the documents, executed by Jupyter as a reader would."""
import importlib.util
import json
import os
import subprocess
import sys
import unittest

from surroundings import CHECKOUT, Environment, torch_or_skip

torch_or_skip()

NOTEBOOK = CHECKOUT / "docs" / "notebooks" / "python.ipynb"


@unittest.skipUnless(importlib.util.find_spec("nbconvert") and importlib.util.find_spec("ipykernel"),
                     "nbconvert or ipykernel is not installed")
class Notebook(Environment):
    def executed(self):
        folders = {name: str(self.folder) for name in (
            "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
        done = subprocess.run(
            [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(NOTEBOOK),
             "--output-dir", str(self.folder), "--output", "executed.ipynb"],
            env={**os.environ, **folders, "PYTHONPATH": str(CHECKOUT / "python")}, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads((self.folder / "executed.ipynb").read_text(encoding="utf-8"))["cells"]

    def test_every_cell_runs_and_results_show_as_tables(self):
        written = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        codes = [cell for cell in self.executed() if cell["cell_type"] == "code"]
        self.assertEqual(len(codes), sum(cell["cell_type"] == "code" for cell in written))
        self.assertEqual([cell["execution_count"] for cell in codes],
                         list(range(1, len(codes) + 1)))
        kinds = [output["output_type"] for cell in codes for output in cell["outputs"]]
        self.assertNotIn("error", kinds)
        tables = ["".join(output["data"]["text/html"]) for cell in codes
                  for output in cell["outputs"] if "text/html" in output.get("data", {})]
        self.assertTrue(any("verdict" in table and "h200" in table for table in tables), tables)


if __name__ == "__main__":
    unittest.main()
