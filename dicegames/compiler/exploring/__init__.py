"""The rules run with the axes left open: from the flow of a turn to a control graph."""
