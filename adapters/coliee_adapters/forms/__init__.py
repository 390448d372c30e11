"""The formats of golds and runs, one module each, and what their readers share: columns, rows, words, lines."""
