import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

public class Main {
    private static final Logger LOG = Logger.getLogger("greeter");
    private static final Map<String, String> GREETINGS = Map.of("en", "Hello", "fr", "Bonjour");
    private static final String LANGUAGE = "english";

    public static void main(String[] args) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 18144), 0);
        server.createContext("/greet", exchange -> answer(exchange, () -> GREETINGS.get(LANGUAGE).toUpperCase()));
        server.createContext("/health", exchange -> answer(exchange, () -> "ok, no exceptions"));
        server.start();
        LOG.info("greeter listens on port 18144");
        LOG.warning("no configuration file, ErrorHandler uses its defaults");
    }

    private static void answer(HttpExchange exchange, Supplier<String> page) throws IOException {
        int status = 200;
        String body;
        try {
            body = page.get();
        } catch (RuntimeException problem) {
            LOG.log(Level.SEVERE, "request failed", problem);
            status = 500;
            body = "internal";
        }
        exchange.sendResponseHeaders(status, body.length());
        exchange.getResponseBody().write(body.getBytes());
        exchange.close();
    }
}
