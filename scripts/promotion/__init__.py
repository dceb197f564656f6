"""Labels that move by proof: what is proved today, the certificate, the move, and its recomputation later."""

__all__ = ["promote", "undo", "verify"]
