public class MoneyTest {
    public static void main(String[] args) {
        long[] parts = Money.split(1000, 3);
        assert parts.length == 3 : "three parts";
        assert parts[0] + parts[1] + parts[2] == 1000 : "no cent is lost, but the sum is " + (parts[0] + parts[1] + parts[2]);
        assert parts[0] - parts[2] <= 1 : "the parts are fair";
        try {
            Money.split(10, 0);
            assert false : "no parts is an error";
        } catch (IllegalArgumentException expected) {
            System.out.println("expected: " + expected.getMessage());
        }
        System.out.println("4 tests, 0 failures, 0 errors");
    }
}
