"""Print a free port: Streamlit's usual one if it can be had, else any."""

import socket

for port in (8501, 0):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(probe.getsockname()[1])  # noqa: T201
        break
