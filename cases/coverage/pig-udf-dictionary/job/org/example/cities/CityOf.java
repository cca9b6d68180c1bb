package org.example.cities;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.pig.EvalFunc;
import org.apache.pig.data.Tuple;
import org.apache.pig.impl.util.UDFContext;

/** The city of a customer, of which a file has a line each. */
public class CityOf extends EvalFunc<String> {
  private final Path customers;
  private Map<String, String> cities;

  public CityOf(String customers) {
    this.customers = new Path(customers);
  }

  @Override
  public String exec(Tuple input) throws IOException {
    if (cities == null) {
      load();
    }
    return cities.get((String) input.get(0));
  }

  private void load() throws IOException {
    cities = new HashMap<>();
    FileSystem files = customers.getFileSystem(UDFContext.getUDFContext().getJobConf());
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(files.open(customers), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] fields = line.split("\\|");
        cities.put(fields[0], fields[2]);
      }
    }
  }
}
