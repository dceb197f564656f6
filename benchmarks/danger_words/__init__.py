"""The weights of words by which companion-v3 sees hinted danger: the messages behind them, and how they are fitted."""
