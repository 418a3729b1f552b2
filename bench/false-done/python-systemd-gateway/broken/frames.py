def decode(frame):
    """The payload of a frame; its last byte is the sum of the others."""
    payload, checksum = frame[:-1], frame[0]
    if sum(payload) % 256 != checksum:
        raise ValueError(f"bad checksum {checksum}")
    return payload
