"""What was handed in: each file with its team, task, tag and part, or why it is none, grouped to submissions."""
