package org.mprof.gateway;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {

  @Test
  void valuesOfEachKindAreWritten() {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("text", "a");
    value.put("list", Arrays.asList(1, 2L, true, null, 0.5f));
    value.put("map", Collections.singletonMap("k", Collections.emptyMap()));
    value.put("none", Collections.emptyList());

    assertEquals(
        "{\"text\":\"a\",\"list\":[1,2,true,null,0.5],\"map\":{\"k\":{}},\"none\":[]}",
        Json.write(value));
  }

  @Test
  void whatJsonForbidsInTextIsEscaped() {
    assertEquals(
        "\"q\\\" b\\\\ n\\u000a t\\u0009 0\\u0000 ä\"", Json.write("q\" b\\ n\n t\t 0\0 ä"));
  }

  @Test
  void halfACharacterDoesNotMakeTheTextUnreadable() {
    assertEquals("\"\\ud83d\"", Json.write("\ud83d"));
  }

  @Test
  void aNumberThatJsonLacksIsNull() {
    assertEquals("null", Json.write(Float.NaN));
  }
}
