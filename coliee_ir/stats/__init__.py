"""Statistics on sums over queries: resampling, classical tests, corrections for multiple testing."""
