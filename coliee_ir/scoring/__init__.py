"""A scoring session: read the files, find the task, judge, measure; the result is Scores."""
