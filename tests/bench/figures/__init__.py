"""`make figures`: every measured figure of the documents, in one file."""
