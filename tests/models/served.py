"""What tests of asking a server share: a key, a few texts, and who asks."""

from __future__ import annotations

from typing import Any

from pydantic import SecretStr

from pcf_core.models.completions import Server
from tests.models.scoring.completions_server import CompletionsServer

KEY = "sk-a-secret-of-the-operator"
TEXTS = ["The nurse said", "The engineer said that he", "he"]


def client(server: CompletionsServer, **options: Any) -> Server:
    return Server(server.url, "tiny", key=SecretStr(KEY), **{"pauses": (0.01,), "timeout": 5, **options})
