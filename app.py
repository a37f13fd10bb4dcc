"""PCF Audit: the entry file.  `make run` starts it."""

from pcf_core.app.shell import open_frame

open_frame().run()
