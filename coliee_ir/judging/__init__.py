"""From a run's lines to Judged: where the judged documents are ranked. Everything else about the run is forgotten."""
