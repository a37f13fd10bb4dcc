"""Visitors of the app without a browser: Streamlit's protocol over real websockets.

A visitor sends what a browser tab sends: the first run of a page, page changes, and the reruns of fragments
that the server requests.  It reads the answers to the end of each run to detect errors, without drawing them.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from tests.browser import ROOT, unused_port, wait_until_healthy

LIMIT = 200 * 2**20  # bytes of a message, as Streamlit's


@contextmanager
def app_process(
    variables: Mapping[str, str], log: Path, port: int = 0
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the app as a process until the block ends; yield the address of its websocket once healthy."""
    port = port or unused_port()
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", *options],
            cwd=ROOT,
            env={**os.environ, **variables},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}", process, log)
        yield process, f"ws://127.0.0.1:{port}/_stcore/stream"
    finally:
        process.kill()
        process.wait()


@dataclass
class Visitor:
    """One tab.  ``errors``: errors and exceptions it was shown; ``charts``: drawn so far."""

    address: str
    query: str = ""
    errors: list[str] = field(default_factory=list)
    pages: dict[str, str] = field(default_factory=dict)
    page: str = ""
    charts: int = 0
    received: int = 0
    _socket: ClientConnection | None = None
    _fragments: dict[str, tuple[float, float]] = field(default_factory=dict)

    async def open(self) -> float:
        """Connect and run the first page; return the seconds that took."""
        begun = time.monotonic()
        self._socket = await connect(self.address, subprotocols=["streamlit"], max_size=LIMIT)  # type: ignore[list-item]
        await self._send("")
        await self._settle()
        return time.monotonic() - begun

    async def go(self, name: str) -> float:
        """Choose a page by the end of its address; return the seconds until all of it was there."""
        begun = time.monotonic()
        self.page = name
        self._fragments.clear()
        await self._send(self.pages[name])
        await self._settle()
        return time.monotonic() - begun

    async def again(self) -> None:
        """Run the page's script again, as every touch of a widget does, until all of it was there."""
        self._fragments.clear()
        await self._send(self.pages[self.page])
        await self._settle()

    async def stay(self, seconds: float) -> None:
        """Look at the page for a while: its fragments run again as often as the server asked for."""
        until = time.monotonic() + seconds
        while (now := time.monotonic()) < until:
            due = min([until, *(at for at, _ in self._fragments.values())])
            try:
                async with asyncio.timeout(max(0.0, due - now)):
                    self._take(await self._receive())
            except TimeoutError:
                for name, (at, interval) in list(self._fragments.items()):
                    if at <= time.monotonic():
                        self._fragments[name] = time.monotonic() + interval, interval
                        await self._send(self.pages.get(self.page, ""), fragment=name)

    async def close(self) -> None:
        if self._socket is not None:
            await self._socket.close()

    async def _send(self, page_hash: str, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_script_hash = page_hash
        message.rerun_script.fragment_id = fragment
        message.rerun_script.is_auto_rerun = bool(fragment)
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())

    async def _receive(self) -> ForwardMsg:
        assert self._socket is not None
        data = await self._socket.recv()
        assert isinstance(data, bytes)
        self.received += len(data)
        message = ForwardMsg()
        message.ParseFromString(data)
        return message

    async def _settle(self) -> None:
        """Read until a run of the whole script has ended well, or with an error of Python's parser."""
        ended = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)
        while True:
            message = await self._receive()
            self._take(message)
            if message.WhichOneof("type") == "script_finished" and message.script_finished in ended:
                return

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self.pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "auto_rerun":
            interval = float(message.auto_rerun.interval)
            self._fragments[message.auto_rerun.fragment_id] = time.monotonic() + interval, interval
        elif kind == "page_not_found":
            self.errors.append(f"{self.page}: page not found")
        elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.errors.append(f"{self.page}: a script that cannot be read")
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            shown = element.WhichOneof("type")
            if shown == "exception":
                self.errors.append(f"{self.page}: {element.exception.type}: {element.exception.message}")
            elif shown == "alert" and element.alert.format == Alert.ERROR:
                self.errors.append(f"{self.page}: {element.alert.body}")
            elif shown == "plotly_chart":
                self.charts += 1
