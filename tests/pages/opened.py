"""The app opened at a page, through Streamlit's AppTest, and what tests ask of an open page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from benchmarks.fakes import FakeScorer
from pcf_core.app.addresses import OLD, leads_to
from pcf_core.audit.preferences import build_run
from pcf_core.audit.results import load_result
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.queue import Job, Queue
from pcf_core.work.scoring import score_run
from tests.conftest import SMALL

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES: dict[str, Any] = {}  # what the app registers, the same in every test


class App(AppTest):
    """The app in a session of one visitor; an exception on a page fails the test, in whichever run it comes.

    Texts are read without the signs that keep them from being markup, and with plain spaces.
    """

    def __init__(self) -> None:
        super().__init__(ROOT / "app.py", default_timeout=60)

    def _run(self, *arguments: Any, **options: Any) -> App:
        super()._run(*arguments, **options)
        assert not self.exception, self.exception
        return self

    def go_to(self, page: str) -> App:
        """Go from the open page to another as a browser does, which sends nothing of the page that it leaves.

        AppTest's own ``switch_page(…).run()`` sends the widgets of the old page once more.
        """
        self.switch_page(f"pages/{page}.py")
        return self._run(WidgetStates())

    def follow(self, page: str, **link: str | list[str]) -> App:
        """Open another page in the session, at an address that says this and nothing else."""
        self.query_params.clear()
        self.query_params.update(link)
        self.switch_page(f"pages/{page}.py").run()
        return self

    def open_foot(self, part: str = "Method and provenance") -> App:
        """Open a tab below the picture of a page, which is drawn only then."""
        for key in self.session_state._state.filtered_state:
            if key.endswith("_foot"):
                self.session_state[key] = part
        self.run()
        return self

    def press(self, key: str) -> App:
        self.button(key=key).click().run()
        return self

    def press_label(self, label: str) -> App:
        """Press the one button with a label."""
        (button,) = (one for one in self.button if _plain(one.label) == label)
        button.click().run()
        return self

    def upload(self, key: str, name: str, data: str | bytes) -> App:
        content = data.encode() if isinstance(data, str) else data
        self.file_uploader(key=key).set_value([(name, content, "text/plain")]).run()
        return self

    @property
    def texts(self) -> str:
        return _joined(self.markdown)

    @property
    def captions(self) -> str:
        return _joined(self.caption)

    @property
    def said(self) -> str:
        """Texts and captions."""
        return f"{self.texts}\n{self.captions}"

    @property
    def errors(self) -> str:
        return _joined(self.error)

    @property
    def warnings(self) -> str:
        return _joined(self.warning)

    @property
    def infos(self) -> str:
        return _joined(self.info)

    @property
    def link_warnings(self) -> list[str]:
        """What the page says of parts of its address that it cannot use."""
        return [_plain(one.value) for one in self.warning if "The link" in one.value]

    @property
    def titles(self) -> list[str]:
        return [title.value for title in self.title]

    @property
    def figures(self) -> list[str]:
        """The labels of the key figures."""
        return [_plain(metric.label) for metric in self.metric]

    @property
    def button_keys(self) -> set[str]:
        return {str(button.key) for button in self.button}

    def field(self, label: str) -> Any:
        """The field with a label; some keys are made anew in every session."""
        fields = (*self.text_input, *self.text_area, *self.selectbox, *self.radio, *self.checkbox)
        return next(one for one in fields if _plain(one.label) == label)

    def table_with(self, column: str) -> Any:
        """The first table that has a column."""
        return next(frame.value for frame in self.dataframe if column in frame.value)

    def pictures(self, page: str) -> Sequence[Any]:
        """What a page shows of results: charts, and on Overview the table of models."""
        return self.dataframe if page == "overview" else self.get("plotly_chart")


def _joined(elements: Sequence[Any]) -> str:
    return _plain("\n".join(str(element.value) for element in elements))


def _plain(text: str) -> str:
    return text.replace("\\", "").replace("\u00a0", " ")


def open_app(page: str, **parameters: str | list[str]) -> App:
    """The app at a page, as a link opens it; on gender with the templates that ``full_store`` is scored on.

    A tab goes by the name of the page that it once was: "sensitivity" is a tab of *Why?*.

    AppTest learns the pages of an app by running its first one.  That is done once: each test then runs the
    page that it is about and no other.
    """
    if "topic" not in parameters:
        parameters = {"templates": "gender-nineteen", **parameters}
    if page in OLD and page != "overview":
        page, parameters = leads_to(page, parameters)
    return open_address("" if page == "overview" else page, **parameters)


def open_address(address: str, **parameters: str | list[str]) -> App:
    """The app at an address, old ones among them: what is behind the last slash, as somebody types it."""
    if not PAGES:
        PAGES.update(App().run()._registered_pages)
    app = App()
    for name, value in parameters.items():
        app.query_params[name] = value
    app._registered_pages = PAGES
    (app._page_hash,) = (key for key, info in PAGES.items() if info["url_pathname"] == address)
    app.run()
    return app


def set_environment(patch: pytest.MonkeyPatch, **values: str) -> None:
    """Set variables of the environment, without their prefix, and read the settings again."""
    for name, value in values.items():
        patch.setenv(f"PCF_{name}", value)
    settings.cache_clear()


def own_store() -> Store:
    """The store of the cache that the pages use."""
    return Store.open(settings().cache)


def own_queue() -> Queue:
    return Queue.open(settings().catalogue)


def claimed_job() -> Job:
    """The next job, taken by some worker."""
    job = own_queue().claim("somebody")
    assert job is not None
    return job


def score_with(run: RunSpec, probability: Callable[[str, str], float], store: Store | None = None) -> None:
    """Score a run by a fake that gives a word of a prompt this probability, and keep its result."""
    store = store or own_store()
    score_run(run, store, lambda spec, protocol: FakeScorer(probability, key=run.scoring))
    load_result(store, run)


def usual_run(model: str, topic_name: str = "gender", templates: str = "") -> RunSpec:
    """The run that pages show of a shipped model under the address of :func:`open_app`."""
    topic = load_topic(topic_name)
    used = load_templates(templates or SMALL.get(topic_name, topic.templates))
    return build_run(resolve(model), topic, load_evidence(topic.evidence), used)
