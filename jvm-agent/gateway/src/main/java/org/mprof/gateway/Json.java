package org.mprof.gateway;

import java.util.Map;

/**
 * Values to JSON text. Answers cross to Python as one string, because py4j would ask the JVM again
 * for each element of a collection. No library, so that nothing clashes with the cluster's own.
 */
final class Json {

  private Json() {}

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    append(value, out);
    return out.toString();
  }

  private static void append(Object value, StringBuilder out) {
    if (value == null) {
      out.append("null");
    } else if (value instanceof Map) {
      appendMap((Map<?, ?>) value, out);
    } else if (value instanceof Iterable) {
      appendList((Iterable<?>) value, out);
    } else if (value instanceof Float || value instanceof Double) {
      double number = ((Number) value).doubleValue();
      out.append(Double.isNaN(number) || Double.isInfinite(number) ? "null" : value.toString());
    } else if (value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      appendString(value.toString(), out);
    }
  }

  private static void appendMap(Map<?, ?> map, StringBuilder out) {
    char separator = '{';
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      appendString(String.valueOf(entry.getKey()), out);
      out.append(':');
      append(entry.getValue(), out);
      separator = ',';
    }
    out.append(separator == '{' ? "{}" : "}");
  }

  private static void appendList(Iterable<?> list, StringBuilder out) {
    char separator = '[';
    for (Object element : list) {
      out.append(separator);
      append(element, out);
      separator = ',';
    }
    out.append(separator == '[' ? "[]" : "]");
  }

  private static void appendString(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
