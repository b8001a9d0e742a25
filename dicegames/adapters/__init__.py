"""Games as other projects want them: Gymnasium, PettingZoo, and OpenSpiel's view of play.

Each module needs its project only (`pip install 'dicegames[rl]'`); nothing else here does.
"""
