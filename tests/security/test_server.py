"""How Streamlit is set up: as it comes where that protects, and nothing opened beside."""

from __future__ import annotations

import re
import tomllib
from inspect import signature

from streamlit import config

from pcf_core.__main__ import run as open_app
from pcf_core.core.settings import ROOT

KEPT = {
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "server.enableStaticServing": False,
}
TABLE = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf8"))
FILES = ("Makefile", "Containerfile", "compose.yaml")
SAID = {name: (ROOT / name).read_text(encoding="utf8") for name in FILES}
# What the commands and the environment of these files may say to Streamlit beside the configuration.
FLAGS = {"server.address", "server.port", "server.headless"}
VARIABLES = {"STREAMLIT_SECRETS_FILES", "STREAMLIT_SERVER_MAX_UPLOAD_SIZE"}


def test_cookies_and_cross_site_requests_are_as_streamlit_has_them() -> None:
    """XSRF protection ties an upload to the session's cookie; CORS lets no other site connect."""
    options = {f"{section}.{name}" for section, table in TABLE.items() for name in table}
    assert not options & {*KEPT, "server.cookieSecret"}  # a secret in a file would be everybody's
    for name, value in KEPT.items():
        assert config.get_option(name) is value
    for file, text in SAID.items():
        flags = set(re.findall(r"--((?:global|server|client|browser|runner|logger|theme)\.\w+)", text))
        assert flags <= FLAGS, file
        assert set(re.findall(r"STREAMLIT_[A-Z_]+", text)) <= VARIABLES, file


def test_nobody_sees_tracebacks_and_uploads_have_a_bound() -> None:
    assert TABLE["client"]["showErrorDetails"] == "none"
    assert TABLE["server"]["maxUploadSize"] <= 500  # MB of a corpus; every other field takes less
    assert TABLE["browser"]["gatherUsageStats"] is False


def test_the_app_listens_to_its_own_machine_alone() -> None:
    """Other addresses are the operator's word: docs/operating.md."""
    assert TABLE["server"]["address"] == "127.0.0.1"
    assert re.search(r"^ADDRESS \?= 127\.0\.0\.1$", SAID["Makefile"], re.MULTILINE)
    (run,) = re.findall(r"^\t(.* pcf_core run .*)$", SAID["Makefile"], re.MULTILINE)
    assert re.findall(r"--address (\S+)", run) == ["$(ADDRESS)"]
    assert signature(open_app).parameters["address"].default == "127.0.0.1"
