final class Money {
    private Money() {}

    /** Splits cents into parts that differ by one cent at most. */
    static long[] split(long cents, int count) {
        if (count < 1) {
            throw new IllegalArgumentException("at least one part is needed");
        }
        long[] parts = new long[count];
        for (int i = 0; i < count; i++) {
            parts[i] = cents / count;
        }
        return parts;
    }
}
