"""What is shown, without where: charts and sentences from records, no statistics inside.

Layer: imports records of what is below; never Streamlit.
"""
