"""The solver: takes a model, a control graph over axes, and solves it exactly and fast.

`model` describes the input and imports no compiled code; everything else is loaded when used.
"""
