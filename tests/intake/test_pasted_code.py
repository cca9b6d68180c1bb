"""What code that somebody pasted keeps, and which code keeps nothing.

Each text is of its own making; a truth stands beside it that a reader of Java or Python would give.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.intake.pasted_code import kept_in_code
from mprof.messages import read_messages

_REDUCE = "protected void reduce(Text key, Iterable<Text> values, Context ctx)"
"""What ``@Reduce`` stands for below."""

_KEEPS = {
    "a list of a method": (
        """
@Reduce {
  List<String> rows = new ArrayList<>();
  for (Text v : values) {
    rows.add(v.toString());
  }
}
""",
        ("rows", "ArrayList<String>", "values", "call"),
    ),
    "the lines inside alone": (
        """
Map<String, Integer> n = new HashMap<String, Integer>();
while (values.hasNext()) {
  String w = values.next().toString();
  n.merge(w, 1, Integer::sum);
}
""",
        ("n", "HashMap<String, Integer>", "values", "call"),
    ),
    "a field for each record": (
        """
public class M extends Mapper<LongWritable, Text, Text, IntWritable> {
  private Map<String, Integer> counts = new HashMap<>();
  public void map(LongWritable k, Text v, Context c) {
    counts.put(v.toString(), 1);
  }
  protected void cleanup(Context c) {
    for (String s : counts.keySet()) {
      c.write(new Text(s), ONE);
    }
  }
}
""",
        ("counts", "HashMap<String, Integer>", "", "task"),
    ),
    "a field and the method apart": (
        """
private final Set<String> seen = new TreeSet<String>();

and further down

@Reduce {
  for (Text t : values)
    seen.add(t.toString());
}
""",
        ("seen", "TreeSet<String>", "values", "task"),
    ),
    "a field that is emptied for each key": (
        """
private List<Text> rows = new LinkedList<Text>();
@Reduce {
  rows.clear();
  for (Text t : values) {
    rows.add(new Text(t));
  }
}
""",
        ("rows", "LinkedList<Text>", "values", "call"),
    ),
    "a builder with commas": (
        """
@Reduce {
  StringBuilder sb = new StringBuilder();
  for (Text t : values) {
    if (sb.length() > 0) sb.append(",");
    sb.append(t.toString());
  }
  ctx.write(key, new Text(sb.toString()));
}
""",
        ("sb", "StringBuilder", "values", "call"),
    ),
    "a text": (
        """
@Reduce {
  String all = "";
  for (Text t : values)
    all += t.toString() + ";";
}
""",
        ("all", "String", "values", "call"),
    ),
    "lists by a map": (
        """
@Reduce {
  Map<String, List<String>> by = new TreeMap<>();
  for (Text t : values) {
    List<String> of = by.get(id(t));
    if (of == null) {
      of = new ArrayList<>();
      by.put(id(t), of);
    }
    of.add(t.toString());
  }
}
""",
        ("by", "TreeMap<String, List<String>>", "values", "call"),
    ),
    "a table of setup": (
        """
protected void setup(Context c) {
  table = new HashMap<String, String[]>();
  while ((line = in.readLine()) != null) {
    table.put(line.split(SEP)[0], line.split(SEP));
  }
}
private Map<String, String[]> table;
""",
        ("table", "Map<String, String[]>", "(line = in.readLine()) != null", "task"),
    ),
    "quoted by a mail, numbered": (
        """
> 41   List<Text> kept = new ArrayList<Text>();
> 42   for (Text v : values) {
> 43     kept.add(new Text(v));
> 44   }
""",
        ("kept", "ArrayList<Text>", "values", "call"),
    ),
    "a set of Python": (
        """
seen = set()
for line in sys.stdin:
    key = line.split()[0]
    if key not in seen:
        seen.add(key)
        print(line)
""",
        ("seen", "set", "sys.stdin", "task"),
    ),
    "a list of Python for each key": (
        """
rows = []
last = None
for line in sys.stdin:
    k, v = line.split(None, 1)
    if last and k != last:
        emit(last, rows)
        rows = []
    rows.append(v)
    last = k
""",
        ("rows", "list", "sys.stdin", "call"),
    ),
}
_KEEPS |= {
    "a loop to the end of a file": (
        """
protected void setup(Context c) throws IOException {
  while (true) {
    String line = in.readLine();
    if (line == null) break;
    names.add(line);
  }
}
private Set<String> names = new HashSet<>();
""",
        ("names", "HashSet<String>", "true", "task"),
    ),
    "a static of a class": (
        """
static final Map<String, Geo> CACHE = new HashMap<>();
public void map(LongWritable k, Text v, Context c) {
  if (!CACHE.containsKey(id(v))) {
    CACHE.put(id(v), load(v));
  }
}
""",
        ("CACHE", "HashMap<String, Geo>", "", "task"),
    ),
    "an iterator of its own": (
        """
@Reduce {
  Iterator<Text> it = values.iterator();
  List<Text> all = new ArrayList<Text>();
  while (it.hasNext()) {
    all.add(new Text(it.next()));
  }
}
""",
        ("all", "ArrayList<Text>", "values", "call"),
    ),
    "all values at once": (
        """
@Reduce {
  List<Text> all = Lists.newArrayList(values);
  Collections.sort(all);
}
""",
        ("all", "List<Text>", "values", "call"),
    ),
    "a stream of the values": (
        """
@Reduce {
  List<String> all = StreamSupport.stream(values.spliterator(), false)
      .map(Text::toString)
      .collect(Collectors.toList());
}
""",
        ("all", "List<String>", "values", "call"),
    ),
    "a multimap": (
        """
private final Multimap<String, String> by = ArrayListMultimap.create();
public void map(LongWritable k, Text v, Context c) {
  by.put(id(v), v.toString());
}
""",
        ("by", "ArrayListMultimap<String, String>", "", "task"),
    ),
    "all of the input, of Python": (
        """
lines = sys.stdin.readlines()
for one in sorted(lines):
    print(one)
""",
        ("lines", "list", "", "task"),
    ),
}
_KEEPS |= {
    "a list whose size is logged alone": (
        """
@Reduce {
  List<String> rows = new ArrayList<>();
  for (Text v : values) {
    rows.add(v.toString());
    if (rows.size() % 100000 == 0) {
      LOG.info("key " + key + " has " + rows.size());
      ctx.progress();
    }
  }
}
""",
        ("rows", "ArrayList<String>", "values", "call"),
    ),
    "numbered lines of Python": (
        """
 1  import sys
 2  pages = {}
 3
 9  for line in sys.stdin:
10      user, page = line.split()
11      pages.setdefault(user, []).append(page)
""",
        ("pages", "dict", "sys.stdin", "task"),
    ),
    "a file before the input, of Python": (
        """
names = {}
with open("names.tsv") as f:
    for line in f:
        k, v = line.split()
        names[k] = v
for line in sys.stdin:
    print(names.get(line))
""",
        ("names", "dict", "f", "task"),
    ),
    "all rows of a partition": (
        """
def tag(rows):
    table = list(rows)
    return [mark(r) for r in table]
out = rdd.mapPartitions(tag)
""",
        ("table", "list", "rows", "call"),
    ),
    "all lines of a key, of Python": (
        """
for key, lines in itertools.groupby(sys.stdin, key=first):
    all_of_key = sorted(lines)
    print(key, len(all_of_key))
""",
        ("all_of_key", "list", "lines", "call"),
    ),
    "a pool at each record": (
        """
public void map(LongWritable k, Text v, Context c) {
  ExecutorService pool = Executors.newFixedThreadPool(8);
  pool.submit(() -> ask(v));
}
""",
        ("pool", "ExecutorService", "", "call"),
    ),
}
_KEEPS_NOTHING = {
    "at whose size a method is called": """
@Reduce {
  for (Text v : values) {
    rows.add(v.toString());
    if (rows.size() % 1000 == 0) {
      LOG.info("flush");
      flush();
    }
  }
}
private List<String> rows = new ArrayList<>();
""",
    "no more than a thousand, else a warning": """
@Reduce {
  List<Text> some = new ArrayList<>();
  for (Text v : values) {
    if (some.size() > 1000) {
      LOG.warn("too many");
    } else {
      some.add(new Text(v));
    }
  }
}
""",
    "a file of which a part is read, of Python": """
names = {}
for line in open("names.tsv"):
    names[line] = 1
    if line > "m":
        break
for line in sys.stdin:
    print(line in names)
""",
    "a file that another program reads": """
names = {}
for line in open("names.tsv"):
    names[line] = 1
print(len(names))
""",
    "a list in a function that no partition is handed to": """
def tag(rows):
    table = list(rows)
    return table
out = rdd.map(tag).mapPartitions(other)
""",
    "a pool that is shut down": """
public void map(LongWritable k, Text v, Context c) {
  ExecutorService pool = Executors.newFixedThreadPool(8);
  try {
    pool.submit(() -> ask(v));
  } finally {
    pool.shutdown();
  }
}
""",
    "a pool of setup()": """
protected void setup(Context c) {
  pool = Executors.newFixedThreadPool(8);
}
public void map(LongWritable k, Text v, Context c) {
  pool.submit(() -> ask(v));
}
""",
    "a pool that is made once": """
public void map(LongWritable k, Text v, Context c) {
  if (pool == null) {
    pool = Executors.newFixedThreadPool(8);
  }
}
""",
    "the first hundred": """
@Reduce {
  List<Text> first = new ArrayList<Text>();
  int n = 0;
  for (Text v : values) {
    if (n++ >= 100) {
      break;
    }
    first.add(new Text(v));
  }
}
""",
    "a driver's copy of its arguments": """
public static void main(String[] args) {
  List<String> all = Lists.newArrayList(args);
}
""",
    "a count of a stream": """
@Reduce {
  long n = StreamSupport.stream(values.spliterator(), false).count();
}
""",
    "a sum": """
@Reduce {
  long n = 0;
  for (Text t : values) {
    n += t.getLength();
  }
}
""",
    "written out at a size": """
@Reduce {
  List<Text> rows = new ArrayList<>();
  for (Text t : values) {
    rows.add(new Text(t));
    if (rows.size() >= 500) {
      write(rows);
      rows.clear();
    }
  }
}
""",
    "handed to a method": """
@Reduce {
  List<Text> rows = new ArrayList<>();
  for (Text t : values) {
    rows.add(new Text(t));
    writeIfFull(rows);
  }
}
""",
    "the ten largest": """
@Reduce {
  TreeMap<Long, String> top = new TreeMap<>();
  for (Text t : values) {
    top.put(size(t), t.toString());
    if (top.size() > 10) top.remove(top.firstKey());
  }
}
""",
    "no more than a hundred": """
@Reduce {
  List<Text> some = new ArrayList<>();
  for (Text t : values) {
    if (some.size() < 100) {
      some.add(new Text(t));
    }
  }
}
""",
    "made for each value": """
@Reduce {
  for (Text t : values) {
    List<String> words = new ArrayList<>();
    words.add(t.toString());
    ctx.write(key, join(words));
  }
}
""",
    "emptied for each value": """
private StringBuilder sb = new StringBuilder();
@Reduce {
  for (Text t : values) {
    sb.setLength(0);
    sb.append(t.toString());
    ctx.write(key, new Text(sb.toString()));
  }
}
""",
    "drops its eldest": """
private Map<String, String> cache = new LinkedHashMap<String, String>(16, .75f, true) {
  protected boolean removeEldestEntry(Map.Entry<String, String> e) {
    return size() > 1000;
  }
};
public void map(LongWritable k, Text v, Context c) {
  cache.put(id(v), v.toString());
}
""",
    "a driver's": """
conf.set("mapreduce.map.java.opts", "-Xmx2g");
List<Path> in = new ArrayList<>();
in.add(new Path(args[0]));
""",
    "a queue that another loop empties": """
@Reduce {
  Deque<Text> near = new ArrayDeque<>();
  for (Text t : values) {
    near.addLast(new Text(t));
    while (isOld(near.peekFirst(), t)) near.pollFirst();
  }
}
""",
    "made by none of the lines": """
for (Text t : values) {
  sketch.add(t.toString());
  ctx.write(key, t);
}
""",
    "a constant": """
private static final Set<String> STOP = new HashSet<>();
STOP.add(a);
""",
    "emptied at a size, of Python": """
n = {}
for line in sys.stdin:
    n[line] = 1
    if len(n) > 1000:
        flush(n)
        n = {}
""",
    "made for each line, of Python": """
for line in sys.stdin:
    f = line.split('\\t')
    d = {}
    d[f[0]] = 1
    print(d)
""",
    "a sentence and a session": """
I made a list = new ArrayList and it is fine;
set mapreduce.map.memory.mb=2048;
""",
}


def _kept(text: str) -> list[tuple[str, str, str, str]]:
    found = kept_in_code(enumerate(text.replace("@Reduce", _REDUCE).split("\n"), 1))
    return [(one.name, one.type_name, one.over, one.lives) for one in found]


@pytest.mark.parametrize(("code", "kept"), _KEEPS.values(), ids=_KEEPS)
def test_code_that_keeps_is_told_with_its_loop_and_how_long_it_lives(
    code: str, kept: tuple[str, str, str, str]
) -> None:
    assert _kept(code) == [kept]


@pytest.mark.parametrize("code", _KEEPS_NOTHING.values(), ids=_KEEPS_NOTHING)
def test_code_that_keeps_nothing_is_not_named(code: str) -> None:
    assert _kept(code) == []


def test_a_table_that_is_only_asked_for_its_keys_is_told_from_one_whose_values_are_used() -> None:
    table = 'names = {}\nfor l in open("n.tsv"):\n    names[l[0]] = l\nfor line in sys.stdin:\n'
    uses = ("    print(line in names)", "    print(names[line])", "    print([n for n in names])")

    asked = [kept_in_code(enumerate((table + one).split("\n"), 1))[0] for one in uses]

    assert [(one.is_of_file, one.is_asked) for one in asked] == [
        (True, True),
        (True, False),
        (True, False),
    ]


def test_fields_that_a_call_empties_first_are_no_suspects() -> None:
    code = f"""
private final Set<String> seen = new HashSet<>();
private final Set<String> late = new HashSet<>();
{_REDUCE} {{
  seen.clear();
  List<String> rows = new ArrayList<>();
  for (Text v : values) {{
    if (late.add(v.toString())) late.clear();
    rows.add(v.toString());
  }}
}}
"""
    (rows,) = (one for one in kept_in_code(enumerate(code.split("\n"), 1)) if one.name == "rows")

    assert rows.emptied == ("seen",)


def test_code_that_goes_through_all_pairs_is_known() -> None:
    code = f"""
{_REDUCE} {{
  List<String> rows = new ArrayList<>();
  for (Text v : values) rows.add(v.toString());
  for (int i = 0; i < rows.size(); i++) {{
    for (@) ctx.write(rows.get(i), rows.get(j));
  }}
}}
"""
    heads = ("int j = i + 1; j < rows.size(); j++", "int j = 0; j < 3; j++")
    read = [kept_in_code(enumerate(code.replace("@", one).split("\n"), 1)) for one in heads]

    assert [one.is_paired for (one,) in read] == [True, False]


_ID = "1730000000000_0031"


def _text(kind: str, frame: str, code: str, *, words: str = "Java heap space") -> str:
    side, runs = ("r", "Reducer") if kind == "reduce" else ("m", "Mapper")
    return (
        f"Task Id : attempt_{_ID}_{side}_000004_1, Status : FAILED\nError: {words}\n\n"
        "2024-03-01 10:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: "
        f"Error running child : java.lang.OutOfMemoryError: {words}\n"
        "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
        f"\tat {frame}\n"
        f"\tat org.apache.hadoop.mapreduce.{runs}.run({runs}.java:171)\n\n"
        f"This is the code:\n\n{code}\n"
    )


_LIST = (
    f"{_REDUCE} {{\n  List<String> rows = new ArrayList<>();\n  for (Text v : values) {{\n"
    "    rows.add(v.toString());   // line 47\n  }\n}"
)
_FIELD = (
    "private Map<String, Integer> counts = new HashMap<>();\n"
    "public void map(LongWritable k, Text v, Context c) {\n"
    "  counts.put(v.toString(), 1);\n}"
)


def _told(tmp_path: Path, text: str) -> str:
    return told_of(tmp_path, text)[1]


def test_the_code_at_the_line_of_the_stack_is_said_with_how_long_it_keeps(tmp_path: Path) -> None:
    told = _told(tmp_path, _text("reduce", "a.B.reduce(B.java:47)", _LIST))

    assert (
        "fills `rows` (ArrayList<String>) by `rows.add(v.toString())` (line 47, where the thread "
        "that died stood), for each of `values`." in told
    )
    assert "the key with most of them decides how large it becomes" in told


@pytest.mark.parametrize(
    ("made", "adds", "differs"),
    [
        ("Set<String> kept = new HashSet<>();", "kept.add(v.toString());", True),
        ("List<String> kept = new ArrayList<>();", "kept.add(v.toString());", False),
        ("Multimap<String, Text> kept = ArrayListMultimap.create();", "kept.put(id(v), v);", False),
        ("Map<String, List<Text>> kept = new HashMap<>();", "kept.get(id(v)).add(v);", False),
    ],
)
def test_what_differs_alone_is_said_of_sets_and_tables_and_not_of_lists_in_them(
    tmp_path: Path, made: str, adds: str, *, differs: bool
) -> None:
    code = f"{_REDUCE} {{\n  {made}\n  for (Text v : values) {{\n    {adds}\n  }}\n}}"

    told = _told(tmp_path, _text("reduce", "a.B.reduce(B.java:47)", code))

    assert ("keeps every different entry that the values of one key make" in told) is differs
    assert ("keeps what all values of one key add to it" in told) is not differs


def test_a_field_is_said_to_live_as_long_as_the_task(tmp_path: Path) -> None:
    told = _told(tmp_path, _text("map", "a.B.map(B.java:12)", _FIELD))

    assert "fills `counts` (HashMap<String, Integer>) by `counts.put(v.toString(), 1)`" in told
    assert "It is a field, and nothing that is shown empties it" in told


@pytest.mark.parametrize(
    ("kind", "frame", "code"),
    [
        ("map", "a.B.map(B.java:47)", _LIST.replace("   // line 47", "")),  # a reducer's code
        ("reduce", "a.B.reduce(B.java:20)", _FIELD),  # a mapper's
        ("reduce", "a.B.reduce(B.java:20)", _LIST),  # the thread stood elsewhere
        ("reduce", "org.apache.hadoop.mapred.Merger.merge(Merger.java:9)", _LIST),  # in Hadoop
        ("map", "a.Table.load(Table.java:20)", _FIELD),
    ],
)
def test_code_of_another_step_is_not_accused(
    tmp_path: Path, kind: str, frame: str, code: str
) -> None:
    assert "The code in the text" not in _told(tmp_path, _text(kind, frame, code))


def test_code_beside_an_ordinary_exception_is_not_accused(tmp_path: Path) -> None:
    text = _text("reduce", "a.B.reduce(B.java:47)", _LIST).replace(
        "java.lang.OutOfMemoryError: Java heap space", "java.lang.IllegalStateException: no"
    )

    assert "The code in the text" not in _told(tmp_path, text.replace("Error: Java heap", "Error:"))


_TREE = (
    "Container [pid=10,containerID=container_{id}_01_000005] is running beyond physical memory "
    "limits. Current usage: 2.1 GB of 2 GB physical memory used; 4.0 GB of 4.2 GB virtual memory "
    "used. Killing container.\n"
    "Dump of the process-tree for container_{id}_01_000005 :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
    "\t|- 10 9 10 10 (java) 8 2 2231103488 {java} /usr/bin/java -Xmx512m "
    "org.apache.hadoop.mapred.YarnChild 10.9.2.21 33817 attempt_{id}_m_000003_0 5\n"
    "\t|- 20 10 10 10 (python3) 2 1 1768620032 {python} python3 agg.py\n\n"
    "agg.py:\n\nseen = {{}}\nfor line in sys.stdin:\n    seen[line] = 1\nfor one in seen:\n"
    "    print(one)\n"
)


@pytest.mark.parametrize(
    ("java", "python", "is_told"), [(100_000, 450_000, True), (500_000, 50_000, False)]
)
def test_a_script_is_told_where_it_took_the_container(
    tmp_path: Path, java: int, python: int, *, is_told: bool
) -> None:
    told = _told(tmp_path, _TREE.format(id=_ID, java=java, python=python))

    assert ("The script in the text fills `seen` (dict)" in told) is is_told


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("Set<String> ids = new HashSet<>();", "HyperLogLog"),
        ("List<String> ids = new ArrayList<>();", "a number that is raised for each value"),
    ],
)
def test_of_what_only_its_size_is_asked_nothing_need_be_kept(
    tmp_path: Path, made: str, said: str
) -> None:
    code = (
        f"{_REDUCE} {{\n  {made}\n  for (Text v : values) {{\n    ids.add(v.toString());\n  }}\n"
        "  ctx.write(key, new LongWritable(ids.size()));\n}"
    )

    assert said in _told(tmp_path, _text("reduce", "a.B.reduce(B.java:47)", code))


_ONE_KEY = {
    "in a sentence": ("Reduce input groups when dying = 1, records = 21,405 (others: 400k)", 21405),
    "counters": (
        "\tReduce input groups=1\n\tReduce shuffle bytes=9\n\tReduce input records=77",
        77,
    ),
    "a page": ("Reduce input groups   1\nReduce input records   61,204\n", 61204),
    "several": ("Reduce input groups 1,411\nReduce input records 61,204\n", None),
    "of the output": ("Reduce input groups=1\nReduce output records=214\n", None),
    "of two tasks": (
        "Reduce input groups=1\nReduce input records=4\nReduce input groups=9\nreduce records=9\n",
        None,
    ),
}


@pytest.mark.parametrize("case", _ONE_KEY)
def test_counters_of_one_group_say_how_many_values_its_key_has(case: str, tmp_path: Path) -> None:
    counters, values = _ONE_KEY[case]
    text = f"{_text('reduce', 'a.B.reduce(B.java:47)', _LIST)}\nWhen it died:\n{counters}\n"

    words = " ".join(_told(tmp_path, text).split())

    assert ("one key alone had" in words) == (values is not None)
    assert values is None or f"one key alone had {values:,} values by then" in words


def test_counters_of_one_group_say_nothing_of_a_map_task(tmp_path: Path) -> None:
    counters = _ONE_KEY["counters"][0]

    told = _told(tmp_path, f"{_text('map', 'a.B.map(B.java:4)', _FIELD)}\n{counters}\n")

    assert "one key alone" not in told


_UDF = """\
21  public class Top extends EvalFunc<DataBag> {{
22    public DataBag exec(Tuple input) throws IOException {{
23      DataBag bag = (DataBag) input.get(0);
24      Iterator<Tuple> it = bag.iterator();
25      List<Tuple> all = new ArrayList<Tuple>();
26      while (it.hasNext()) {{
27        all.add(it.next());{bound}
28      }}
29      Collections.sort(all);
30    }}

2013-07-08 15:30:46,114 FATAL org.apache.hadoop.mapred.Child: Error running child : \
java.lang.OutOfMemoryError: Java heap space
\tat org.apache.pig.data.BinInterSedes.readDatum(BinInterSedes.java:333)
\tat com.example.Top.exec(Top.java:26)
\tat org.apache.pig.backend.hadoop.executionengine.physicalLayer.expressionOperators.\
POUserFunc.getNext(POUserFunc.java:330)
"""


def test_a_function_of_pig_that_copies_its_bag_keeps_all_of_it(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _UDF.format(bound=""))

    assert "fills `all` (ArrayList<Tuple>) by `all.add(it.next())`" in report
    assert "what all tuples of one bag add to it" in report
    assert "Pig can spill a bag to disk, but not this" in report


@pytest.mark.parametrize("change", ["bounded", "no bag"])
def test_a_function_of_pig_that_keeps_a_part_does_not(change: str, tmp_path: Path) -> None:
    text = _UDF.format(bound=" if (all.size() > 100) break;" if change == "bounded" else "")
    text = text.replace("DataBag bag", "Records bag") if change == "no bag" else text

    _, report = told_of(tmp_path, text)

    assert "of one bag" not in report


_OF_STREAMING = (
    "Task Id : attempt_17300000000{0}_m_000002_0, Status : FAILED\n"
    "Container [pid=7,containerID=container_17300000000{0}_01_000004] is running beyond physical "
    "memory limits. Current usage: {1} GB of {1} GB physical memory used; 3.2 GB of 7.0 GB virtual "
    "memory used. Killing container.\nDump of the process-tree for container :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
    "\t|- 8 7 7 7 (java) 9120 1377 2052587520 82911 /usr/bin/java -Xmx800m "
    "org.apache.hadoop.mapred.YarnChild\n"
    "\t|- 9 8 7 7 ({2}) 197331 2460 1243013120 291702 {2} ./mapper\n\n"
)
_SCRIPT = (
    "import sys\nfrom collections import defaultdict\nseen = defaultdict(set)\n"
    "for line in sys.stdin:\n    uid, url = line.split()\n    seen[uid].add(url)\n"
    "for uid in seen:\n    print uid, len(seen[uid])\n\n"
)


@pytest.mark.parametrize(("second", "times"), [("python", 2), ("perl", 1)])
def test_a_script_is_of_each_job_of_its_text_that_ran_one(
    second: str, times: int, tmp_path: Path
) -> None:
    first = _OF_STREAMING.format("00_0071", "1.4", "python")
    again = _OF_STREAMING.format("00_0072", "2", second)

    (tmp_path / "pasted.txt").write_text(f"{first}{_SCRIPT}With 2048:\n{again}")
    told = found(tmp_path / "pasted.txt").told
    said = [{one.id for one, _ in read_messages(each.diagnosed.evidence)} for each in told]

    assert sum("script_keeps" in each for each in said) == times
