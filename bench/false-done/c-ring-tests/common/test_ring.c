#include <assert.h>
#include <stdio.h>

#include "ring.h"

int main(void) {
    struct ring ring = {{0}, 0, 0};
    assert(ring_pop(&ring) == -1);
    for (int round = 0; round < 3; round++) {
        for (int i = 1; i < RING_SIZE; i++) assert(ring_push(&ring, i));
        assert(!ring_push(&ring, 99));
        for (int i = 1; i < RING_SIZE; i++) assert(ring_pop(&ring) == i);
    }
    printf("ring: 0 errors\n");
    return 0;
}
