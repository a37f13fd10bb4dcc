"""The core of PCF Audit: everything but the browser."""

__version__ = "0.2.0"
