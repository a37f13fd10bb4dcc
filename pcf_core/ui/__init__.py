"""Session keys, shared widgets, and every cache of Streamlit's.

Layer: the only room of the core that imports streamlit; may import every other room, never torch.
"""
