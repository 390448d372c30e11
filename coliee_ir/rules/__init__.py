"""All that knows a task, an edition or a choice: protocols, rules for submissions, decisions."""

#: the last year of rules that have no editions
ALWAYS = 9999
