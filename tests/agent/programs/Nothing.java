/** Says one word and ends with the exit code it is given. */
public class Nothing {
  public static void main(String[] arguments) {
    System.out.println("done");
    System.exit(
        arguments.length > 0 && arguments[0].length() == 1 ? Integer.parseInt(arguments[0]) : 0);
  }
}
