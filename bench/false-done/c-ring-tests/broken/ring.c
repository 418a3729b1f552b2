#include "ring.h"

static unsigned next(unsigned index) { return (index + 1) % RING_SIZE; }

int ring_push(struct ring *ring, int value) {
    if (next(ring->head) == ring->tail) return 0;
    ring->slots[ring->head] = value;
    ring->head = ring->head + 1;
    return 1;
}

int ring_pop(struct ring *ring) {
    if (ring->head == ring->tail) return -1;
    int value = ring->slots[ring->tail];
    ring->tail = next(ring->tail);
    return value;
}
