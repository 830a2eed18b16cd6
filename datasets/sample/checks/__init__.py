"""Checks of the sample set; each module checks some files and reports to `reading.FAILURES`."""
