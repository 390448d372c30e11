"""COLIEE's files and foreign tools on one side, plain records on the other."""
