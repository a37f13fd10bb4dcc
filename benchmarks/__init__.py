"""Speed, measured: `make bench` prints every table in one run on one machine."""
