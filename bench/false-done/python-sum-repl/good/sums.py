import sys

print("sums ready")
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["add"] and len(words) == 3:
        left, right = (int(word) for word in words[1:])
        print(f"= {left + right}")
    elif words == ["help"]:
        print("add A B    prints the sum; an unknown word is not an error")
    else:
        print("? try help")
