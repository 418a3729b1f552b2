import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.LocalDate;

public class TimeServer {
    public static void main(String[] args) throws IOException {
        try (ServerSocket server = new ServerSocket(18148, 16, InetAddress.getLoopbackAddress())) {
            System.err.println("time server ready, exceptions so far: 0");
            while (true) {
                Socket client = server.accept();
                new Thread(() -> serve(client)).start();
            }
        }
    }

    private static void serve(Socket client) {
        try (client; BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream()))) {
            PrintWriter out = new PrintWriter(client.getOutputStream(), false);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println("time".equals(line.trim()) ? "year " + LocalDate.now().getYear() : "?");
            }
        } catch (IOException gone) {
            System.err.println("client left: " + gone.getMessage());
        }
    }
}
