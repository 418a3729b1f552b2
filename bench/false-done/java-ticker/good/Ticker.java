import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public class Ticker {
    private static final AtomicInteger COUNT = new AtomicInteger();

    public static void main(String[] args) {
        Executors.newSingleThreadScheduledExecutor().scheduleAtFixedRate(Ticker::tick, 0, 200, TimeUnit.MILLISECONDS);
    }

    private static void tick() {
        int number = COUNT.incrementAndGet();
        int share = 100 / Math.max(1, 3 - number);
        System.out.println("INFO tick " + number + " share " + share + " errors=0");
    }
}
