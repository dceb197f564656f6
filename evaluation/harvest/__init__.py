"""What users said in production, made into drafts of scenarios: masked, without repetitions, with proposals."""
