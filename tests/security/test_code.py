"""Nothing that strangers wrote is run: no pickles, no evaluated text, no shell, no code of a repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from pcf_core.core.settings import ROOT

FORBIDDEN = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "os.system",
    "os.popen",
    "pickle.load",
    "pickle.loads",
    "cloudpickle.loads",
    "joblib.load",
    "marshal.loads",
    "shelve.open",
    "torch.load",
    "numpy.load",
    "np.load",
    "pd.read_pickle",
    "yaml.load",
    "KeyedVectors.load",
    "Word2Vec.load",
    "shutil.unpack_archive",
    "tarfile.open",
    "zipfile.ZipFile",
    "st.html",
    "st.components.v1.html",
    "tempfile.mktemp",
}
STYLE_ONLY = {
    "app/shell.py",
    "app/present.py",
}  # the one st.html of each is a constant of ours: a style sheet
STYLES = {"st.html(table_room(TABLE, len(shown)))"}  # made of a key and a number of ours
# It reads entries one by one, within limits of their own, and writes none: see its tests with bombs.
READS_ARCHIVES = {"texts/inspected/log.py"}
FILES = sorted((ROOT / "pcf_core").rglob("*.py")) + sorted((ROOT / "pages").glob("*.py")) + [ROOT / "app.py"]
LOADERS = {"from_pretrained"}
LOAD = "Auto.from_pretrained(a, "


def faults(path: Path) -> Iterator[str]:
    """What a file does that none of ours may."""
    inside = path.relative_to(ROOT / "pcf_core").as_posix() if "pcf_core" in path.parts else path.name
    forbidden = FORBIDDEN - ({"st.html"} if inside in STYLE_ONLY else set())
    forbidden -= {"zipfile.ZipFile"} if inside in READS_ARCHIVES else set()
    for call in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if not isinstance(call, ast.Call):
            continue
        name, line = ast.unparse(call.func), f"{path}:{call.lineno}"
        options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        is_style = ast.unparse(call) in STYLES
        is_written = name == "zipfile.ZipFile" and [ast.unparse(mode) for mode in call.args[1:2]] == ["'w'"]
        if name in forbidden and not is_written and not is_style:
            yield f"{line} {name}"
        if "unsafe_allow_html" in options or options.get("shell", "False") != "False":
            yield f"{line} markup or a shell"
        if name.rpartition(".")[2] in LOADERS:
            yield from (f"{line} {fault}" for fault in loading_faults(name, options))


def loading_faults(name: str, options: dict[str | None, str]) -> Iterator[str]:
    """Models by safetensors alone, and code of a repository only where the operator's list was asked."""
    if options.get("trust_remote_code", "False") not in ("False", "spec.remote_code"):
        yield "runs code of the repository"
    reads_weights = "Tokenizer" not in name and "Config" not in name
    if reads_weights and options.get("use_safetensors") != "True":
        yield "takes pickles"
    if options.get("local_files_only") != "True":
        yield "asks the hub"


def test_nothing_runs_what_it_reads() -> None:
    assert [fault for path in FILES for fault in faults(path)] == []


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("eval(text)", "eval"),
        ("pickle.load(file)", "pickle.load"),
        ("zipfile.ZipFile(file, 'r')", "zipfile.ZipFile"),
        ("st.html(text)", "st.html"),
        ("st.markdown(text, unsafe_allow_html=False)", "markup or a shell"),
        ("subprocess.run(command, shell=True)", "markup or a shell"),
        (
            "Auto.from_pretrained(a, trust_remote_code=True, use_safetensors=True, local_files_only=True)",
            "code",
        ),
        (f"{LOAD}local_files_only=True)", "takes pickles"),
        ("AutoTokenizer.from_pretrained(a)", "asks the hub"),
    ],
)
def test_what_does_is_found(code: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "other.py"
    path.write_text(f"x = {code}\n")
    lines = list(faults(path))
    assert len(lines) == 1
    assert fault in lines[0]


def test_only_the_settings_read_the_environment() -> None:
    """So that there is one place in which a secret comes in."""
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in FILES
        if "os" in path.read_text(encoding="utf8").split()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("os.environ", "os.getenv")
    }
    assert readers <= {"pcf_core/core/settings.py", "pcf_core/work/launch.py", *ENVIRONMENT}


ENVIRONMENT = {
    "pcf_core/mining/pool.py",
    "pcf_core/report/signatures.py",
    "pcf_core/work/ray_engine.py",
    "pcf_core/work/ray_worker.py",
}  # pass it on
