#define RING_SIZE 4

struct ring { int slots[RING_SIZE * 2]; unsigned head, tail; };

/* Returns 0 when the ring is full. */
int ring_push(struct ring *ring, int value);
/* Returns -1 when the ring is empty. */
int ring_pop(struct ring *ring);
