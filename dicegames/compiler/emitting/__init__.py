"""From a control graph to the arrays of the solver's model, and back from positions."""
