"""The tails page: each picture, the table of fits, and sentences that say what the library computes."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.app.results.risk import OCCUPATION_COLUMNS
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import matrix_report
from pcf_core.measure.tails import normal_shape, tail_shape
from pcf_core.report.sections.tails import caprice_figures
from pcf_core.show.findings.models import normal_finding, shape_finding
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app

MODELS = ("mini-bert", "mini-gpt")


def column(app: App, model: str, name: str) -> list[float]:
    """Values of a model, as the page's own table shows them."""
    table = app.dataframe[-1].value
    return list(table.loc[table["model"] == model, name])


def test_caprice_is_shown_with_fits_verdicts_and_three_pictures(full_store: Store) -> None:
    app = open_app("caprice", tail_view="survival")
    fits = app.dataframe[0].value.set_index(["model", "distribution"])
    shapes = [metric for metric in app.metric if metric.label.startswith("Tail shape")]
    for model, figure in zip(MODELS, shapes, strict=True):
        caprice = column(app, model, "caprice_risk")
        expected = tail_shape(caprice, 1.0)
        assert len(caprice) == 120
        assert shape_finding(model, expected) in app.texts
        assert expected.tail is not None
        assert float(figure.value.replace("−", "-")) == pytest.approx(expected.tail.shape, abs=0.005)
        upper = "generalised Pareto, upper tail"
        assert list(fits.loc[model].index) == ["generalised Pareto", "lognormal", "exponential", upper]
        assert fits.loc[(model, upper), "threshold"] == expected.tail.threshold
        assert fits.loc[(model, upper), "ratio_p"] == expected.tail.p_value
        for fit in expected.fits:
            row = fits.loc[(model, fit.distribution)]
            assert (row["aic"], row["beyond"]) == pytest.approx((fit.aic, fit.beyond))
            assert row["p_value"] == fit.p_value
        assert np.isnan(fits.loc[(model, "generalised Pareto"), "ratio"])
    assert "Caprice cannot exceed 1, so its tail must end" in app.texts
    named = [OCCUPATION_COLUMNS.get(name, {"label": name})["label"] for name in app.dataframe[-1].value]
    assert named == ["model", "occupation", "risk", "prejudice", "caprice", "s.d."]
    assert not [toggle for toggle in app.toggle if toggle.key == "log_count"]
    for view in ("Hill plot", "histogram"):
        app.segmented_control(key="tail_view").set_value(view).run()
        assert len(app.get("plotly_chart")) == 1
    assert app.toggle(key="log_count").value is False


@pytest.mark.slow
def test_prejudice_is_shown_with_its_normal_fit_and_two_pictures(full_store: Store) -> None:
    app = open_app("caprice", part="prejudice", normal_view="QQ plot")
    assert "a normal distribution (Shapiro–Wilk, p" in app.texts
    for model in MODELS:
        expected = normal_shape(column(app, model, "prejudice_risk"))
        assert normal_finding(model, expected) in app.texts
    labels = app.figures
    assert labels == [f"Prejudice · {model}" for model in MODELS]
    app.segmented_control(key="normal_view").set_value("histogram").run()
    assert len(app.get("plotly_chart")) == 1
    app.segmented_control(key="part").set_value("caprice").run()
    assert "With mini-gpt, no occupation stands out" in app.texts
    assert "The prejudice of mini-gpt" not in app.texts


@pytest.mark.slow
def test_the_bound_follows_the_scale_and_models_without_room_are_named(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.app.results.risk.MOST", 1)
    app = open_app("caprice", scale="bvf", reference="labour")
    assert "Caprice is bounded, so its tail" in app.texts
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    assert "Fitted and drawn are the first models alone; not shown: mini-gpt." in captions
    assert "With mini-gpt" not in app.texts
    app.selectbox(key="reference").set_value("an even split").run()
    assert "Caprice cannot exceed 1," in app.texts


def test_where_nothing_is_fitted_no_bound_and_no_empty_panel(
    full_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcf_core.measure.tails.FEWEST_FITTED", 1000)
    app = open_app("caprice", tail_view="Hill plot")
    assert "tail must end" not in app.texts
    assert not app.get("plotly_chart")
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    assert "Too few different values above 0 for a Hill plot: mini-bert, mini-gpt." in captions


def test_a_caprice_of_zero_does_not_read_as_certain() -> None:
    document = {"preferences": [[[0.9, 0.1], [0.8, 0.2]]], "groups": ["male", "female"], "occupations": ["a"]}
    steady = matrix_report(document, ViewOptions(), resamples=20)
    detail = caprice_figures({"m": steady}, {"m": tail_shape([0.0])}, "templates")[0].detail
    assert detail == "Rᶜ 0, up to 78 % unseen"
