"""What applications left in Langfuse: sampled, scored by rule, and written back where that is asked for."""
