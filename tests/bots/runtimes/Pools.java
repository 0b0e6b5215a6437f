import java.nio.channels.Selector;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** Uses what programs in Java use for parallel work, and prints `ok`. */
class Pools {
    public static void main(String[] words) throws Exception {
        IntStream.range(0, 1_000_000).parallel().sum();
        var pool = Executors.newFixedThreadPool(4);
        pool.submit(() -> 42).get();
        pool.shutdown();
        Selector.open().close();
        new ProcessBuilder("/bin/echo", "child").start().waitFor();
        System.out.println("ok");
    }
}
