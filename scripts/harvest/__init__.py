"""What users said, made into drafts of scenarios, and drafts that a person accepted made into scenarios."""
