"""What is set, tried once before anything is paid for: each check says ok, wrong or not checked, and what to do."""
