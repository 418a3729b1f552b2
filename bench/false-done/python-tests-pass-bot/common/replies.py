"""What the bot says, without any network."""


def length_of(text):
    letters = len(text)
    return f"{letters} letter" + ("" if letters == 1 else "s")
