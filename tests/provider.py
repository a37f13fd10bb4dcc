"""A small OpenID provider on loopback: discovery, authorisation with PKCE, signed tokens, its keys, the end.

Whom it logs in is chosen on its own page, as with any provider.  It checks what a client sends: the client's
secret, the address to go back to, the code (once) and its verifier.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlparse

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "pcf-audit", "a-secret-of-the-client"


class Provider(ThreadingHTTPServer):
    """``people``: the claims of each account by name; ``forged``: sign with a key that nobody publishes."""

    daemon_threads = True

    def __init__(self, people: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.people = people
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.forged = False
        self.codes: dict[str, dict[str, str]] = {}
        self.seen: list[str] = []
        self.issuer = f"http://127.0.0.1:{self.server_port}"

    def id_token(self, asked: Mapping[str, str]) -> str:
        """The signed claims of the account that was chosen."""
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "sub": asked["account"], "iat": now, "exp": now + 600,
            "nonce": asked.get("nonce", ""), **self.people[asked["account"]],
        }  # fmt: skip
        key = RSAKey.generate_key(2048) if self.forged else self.key
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        url = urlparse(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        provider, issuer = self.server, self.server.issuer
        provider.seen.append(url.path)
        if url.path == "/.well-known/openid-configuration":
            self._json(
                {
                    "issuer": issuer,
                    "authorization_endpoint": f"{issuer}/authorize",
                    "token_endpoint": f"{issuer}/token",
                    "jwks_uri": f"{issuer}/keys",
                    "end_session_endpoint": f"{issuer}/end",
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif url.path == "/keys":
            self._json({"keys": [provider.key.as_dict(private=False)]})
        elif url.path == "/authorize" and asked.get("client_id") == CLIENT:
            links = [
                f'<p><a href="/chosen?{html.escape(urlencode({**asked, "account": name}))}">{name}</a></p>'
                for name in provider.people
            ]
            self._send(200, "text/html", "".join(["<h1>Who are you?</h1>", *links]).encode())
        elif url.path == "/chosen" and asked.get("account") in provider.people:
            code = secrets.token_urlsafe()
            provider.codes[code] = asked
            back = urlencode({"code": code, "state": asked["state"]})
            self._redirect(f"{asked['redirect_uri']}?{back}")
        elif url.path == "/end":
            self._redirect(asked["post_logout_redirect_uri"])
        elif url.path == "/favicon.ico":
            self._send(204, "image/x-icon", b"")
        else:
            self._send(404, "text/plain", b"nothing here")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.server.seen.append(self.path)
        asked = self.server.codes.pop(form.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        known = self.headers.get("Authorization") == f"Basic {basic}"
        verifier = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if asked is None or not known or challenge != asked.get("code_challenge"):
            self._json({"error": "invalid_grant"}, 400)
            return
        token = self.server.id_token(asked)
        self._json(
            {
                "access_token": "none",
                "token_type": "Bearer",
                "expires_in": 600,
                "id_token": token,
                "scope": "openid",
            }
        )

    def _json(self, value: object, status: int = 200) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _redirect(self, address: str) -> None:
        self.send_response(302)
        self.send_header("Location", address)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Tests are quiet."""


@contextmanager
def running_provider(people: Mapping[str, Mapping[str, Any]]) -> Iterator[Provider]:
    """A provider that answers until the block ends."""
    provider = Provider(people)
    thread = Thread(target=provider.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.shutdown()
        provider.server_close()
        thread.join()
