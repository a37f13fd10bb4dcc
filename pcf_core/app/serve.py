"""Streamlit's command with what it has no setting for: ``python -m pcf_core.app.serve run app.py``.

``app.py`` registers the pages; Streamlit would take the files in ``pages/`` until it has run once.

The first document has the style sheet and preloads the parts of Streamlit that every page needs, so that
nothing jumps; large parts, which draw charts, start later if the first page opens without a chart.

Before the server listens, modules are loaded and the first page's results computed, so that the first reader
does not wait.
"""

from __future__ import annotations

if __name__ == "__main__":  # before numpy and pyarrow start threads
    from pcf_core.app.memory import use_one_arena

    use_one_arena()

import gc
import logging
import re
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow
from PIL import Image
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from pcf_core.app.addresses import choice_of
from pcf_core.app.choice import opening_models
from pcf_core.app.data import load, scored_models
from pcf_core.app.inside import serve, static_handler
from pcf_core.app.lists import all_topics, fitting_first, lists_of_runs, usual_lists
from pcf_core.app.notes import neutral_distances_of
from pcf_core.app.present import FIRST_PRESENT, asks_to_present
from pcf_core.app.results.overview import model_rows, read_runs, runs_alike, with_letters
from pcf_core.app.styles import FIRST_PRESENTED, FIRST_STYLE
from pcf_core.models.presets import presets
from pcf_core.models.registry import list_models

# In the order of a page, without the large parts that draw charts and tables.
PARTS = (
    "StreamlitMarkdown", "ButtonGroup", "Multiselect", "Selectbox", "Checkbox", "PageLink", "Button",
    "Metric", "NumberInput", "TextInput", "DownloadButton", "Html",
)  # fmt: skip
LARGE_PARTS = ("DataFrame", "PlotlyChart")
WITHOUT_CHARTS = ("", "index.html", "overview")  # addresses
# Against clickjacking: no other site may show the app in a frame.
UNFRAMED = {"Content-Security-Policy": "frame-ancestors 'self'", "X-Frame-Options": "SAMEORIGIN"}
HEAD = 20_000  # characters of a script that hold its imports
log = logging.getLogger("pcf_core.app.serve")  # __name__ differs when run as a script
PATIENCE = 10.0  # seconds; hashing large models and asking endpoints may take longer
IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


# Starts a part once the page's script has finished; Safari lacks requestIdleCallback.
ONCE_AT_REST = """
const waiting = setInterval(() => {{
  if (document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"] h1')) {{
    clearInterval(waiting);
    (window.requestIdleCallback ?? setTimeout)(() => {{ {imports} }});
  }}
}}, 250);
"""


def _part_files(static: Path, *parts: str) -> list[Path]:
    return [file for part in parts for file in sorted((static / "js").glob(f"{part}.*.js"))]


def preloads(static: Path, large_parts: Sequence[str] = LARGE_PARTS) -> str:
    """Return HTML that preloads Streamlit's scripts, of large parts at once only ``large_parts``."""
    scripts: dict[str, str] = {}  # file -> attributes

    def add(file: Path, attributes: str) -> None:
        if file.name not in scripts and file.is_file():
            scripts[file.name] = attributes
            for name in IMPORTED.findall(file.read_text(encoding="utf8")[:HEAD]):
                add(file.parent / name, attributes)

    small, large = _part_files(static, *PARTS), _part_files(static, *large_parts)
    later = _part_files(static, *(part for part in LARGE_PARTS if part not in large_parts))
    for file in small:
        add(file, "")
    for file in large:
        add(file, " fetchpriority=low")
    return "".join(
        [
            *(
                f'<link rel="preload" as="font" crossorigin href="./static/media/{font.name}">'
                for font in sorted((static / "media").glob("MaterialSymbols-*.woff2"))
            ),
            *(
                f'<link rel="modulepreload" crossorigin href="./static/js/{name}"{attributes}>'
                for name, attributes in scripts.items()
            ),
            '<script type="module">',
            _imports([*small, *large]),
            ONCE_AT_REST.format(imports=_imports(later)) if later else "",
            "</script>",
        ]
    )


def _imports(files: Sequence[Path]) -> str:
    return "".join(f'import("./static/js/{file.name}");' for file in files)


def styled(directory: str, base_url: str | None) -> StaticFiles:
    """Return Streamlit's handler of static files, with the style sheet and preloads in its documents."""
    handler = static_handler(directory, base_url)
    plain_response = handler.get_response
    document = (Path(directory) / "index.html").read_text(encoding="utf8")
    charted, first, presented = (
        # The style must come after Streamlit's.
        document.replace("</head>", f"{preloads(Path(directory) / 'static', parts)}</head>", 1).replace(
            "</body>", f"{style}</body>", 1
        )
        for parts, style in (
            (LARGE_PARTS, FIRST_STYLE),
            (LARGE_PARTS[:1], FIRST_STYLE),
            (LARGE_PARTS, FIRST_PRESENTED + FIRST_PRESENT),
        )
    )

    async def get_response(path: str, scope: MutableMapping[str, Any]) -> Response:
        response = await plain_response(path, scope)
        if isinstance(response, FileResponse) and Path(response.path).name == "index.html":
            request = scope["path"].rstrip("/").rpartition("/")[2]
            page = first if request in WITHOUT_CHARTS else charted
            if asks_to_present(scope["query_string"].decode("latin-1")):
                page = presented
            return HTMLResponse(page, headers={"Cache-Control": "no-cache", **UNFRAMED})
        return response

    handler.get_response = get_response  # type: ignore[method-assign]
    return handler


def warm_up() -> None:
    """Compute what Overview shows for the bare address, once for all visitors; errors are logged.

    What takes longer than ``PATIENCE`` goes on while the server already listens.
    """
    thread = Thread(target=_try, name="warm-up", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    Image.preinit()  # Streamlit reads the page's icon with it
    if thread.is_alive():
        return
    gc.collect()
    gc.freeze()  # modules and cached results are never garbage


def _try() -> None:
    try:
        _open_overview()
    except Exception as error:  # noqa: BLE001 - a failed warm-up must not stop the server
        log.warning("The first page is not computed in advance: %s", error)


def _open_overview() -> None:
    topic = next(iter(all_topics().values()))
    usual, scored = usual_lists(topic, lists_of_runs()), scored_models()
    fitting_first(topic)
    presets(scored)
    models = opening_models([*(spec.name for spec in list_models()), *scored], topic)
    parameters: dict[str, str | list[str]] = {
        "model": models,
        "topic": topic.name,
        "templates": usual.templates,
        "evidence": usual.evidence,
    }
    loaded = load(choice_of(parameters), brief=True)
    if loaded.runs:
        runs = runs_alike(loaded)
        read = read_runs(loaded, {name: runs[name] for name in loaded.runs if name in runs})
        with_letters(model_rows(read), read, loaded.options)
        neutral_distances_of(loaded)


if __name__ == "__main__":
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # the others keep freed memory
    # Load what pages, the first interval and the first test need, before anybody waits.
    import statsmodels.stats.multitest  # noqa: F401

    import pcf_core.app.probe
    import pcf_core.app.shell  # noqa: F401
    from pcf_core.show.wording import read_all

    read_all()
    serve(styled, warm_up)
