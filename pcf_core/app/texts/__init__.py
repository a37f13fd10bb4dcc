"""What the tabs of *Written text* share, its Summary, and the known benchmarks."""
