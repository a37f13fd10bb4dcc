"""The public board: the risk of every model on every topic."""

from pcf_core.app.board import draw_board
from pcf_core.app.shell import show

show(draw_board)
