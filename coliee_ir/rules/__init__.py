"""All that knows a task, an edition or a choice: protocols, rules for submissions, decisions."""
