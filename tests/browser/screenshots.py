"""Pictures of pages for the documentation: ``python tests/browser/screenshots.py [heap]``.

Writes ``docs/images/*.png``: a simulated cluster with one problem of each kind, Mumak's trace, and
the heap of a program with a planted leak; with ``heap`` only the last.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser.driving import browser
from builders.job_histories import Job, Machine, SimulatedCluster
from builders.jvm import compile_java
from builders.shared_data import SHARED_DATA
from heap.test_planted_leak import planted
from mprof.cli.heap_text import headline
from mprof.hadoop.java import java_home
from mprof.heap.browse import picture_of as picture_of_heap
from mprof.objects.summary import summarise_dump
from mprof.report.heap import page_of
from mprof.runs import SilentObserver
from mprof.triage import Cluster
from mprof.sources import import_files
from mprof.store import Store
from mprof.views import Site, Wanted, make_site, write_site
from mprof.views.picture import picture_of

IMAGES = ROOT / "docs" / "images"
FAILING, SKEWED = "job_1700000000_0021", "job_1700000000_0033"
SHOTS = (
    ("heatmap", "zoom=14"),
    ("stream", f"view=stream&job={FAILING}"),
    ("detail", f"view=detail&job={SKEWED}"),
    ("tasks", f"view=tasks&job={SKEWED}&kind=reduce"),
)


def training() -> Cluster:
    """Forty nodes and sixty jobs: a node that turns slow, one that turns bad, a job, a skew."""
    work = [Job(f"user{i % 6}", 600.0 * i, maps=90, reduces=36) for i in range(60)]
    work[20] = Job("mallory", 12_000.0, maps=200, reduces=36, fails={"map": 0.85})
    work[32] = Job("skye", 19_200.0, maps=90, reduces=36, skewed={"reduce": (1, 9.0)})
    machines = {11: Machine(slower=4.0, since_s=15_000), 27: Machine(fails=0.6, since_s=9_000)}
    return SimulatedCluster(nodes=40, seed=5, machines=machines).run(work)


def shoot_heap(folder: Path) -> None:
    """The page of a heap, its tree and its flame graph."""
    compile_java(java_home(), [ROOT / "tests/heap/java/PlantedLeak.java"], folder)
    heap, summary = summarise_dump(planted(java_home(), folder, sessions=20_000))
    text = page_of(picture_of_heap(heap, summary, headline(summary)))
    (folder / "index.html").write_text(text, encoding="utf-8")
    with browser(width=1280, height=1010) as page:
        page.open(folder)
        page.run("[...document.querySelectorAll('.tree .what')].find((one) => "
                 "one.textContent.startsWith('ended')).querySelector('a').click()")  # fmt: skip
        page.settle()
        page.run("window.scrollTo(0, 0)")
        page.shot(IMAGES / "heap-tree.png")
        page.open(folder, "flame")
        page.run("window.scrollTo(0, document.getElementById('views').offsetTop - 12)")
        page.shot(IMAGES / "heap-flame.png")
    print("docs/images/heap-tree.png docs/images/heap-flame.png")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        shoot_heap(Path(scratch))
    if sys.argv[1:] == ["heap"]:
        return
    with tempfile.TemporaryDirectory() as scratch, browser(width=1440, height=820) as page:
        site = Path(scratch) / "training"
        site.mkdir()
        write_site(Site("training cluster", picture_of(training())), site)
        for name, fragment in SHOTS:
            page.open(site, fragment)
            page.shot(IMAGES / f"views-{name}.png")
            print(f"docs/images/views-{name}.png")
        if SHARED_DATA.is_dir():
            store = Store(Path(scratch) / "store")
            for _ in import_files([SHARED_DATA / "jobtraces" / "mumak"], store):
                pass
            mumak = Path(scratch) / "mumak"
            make_site(store, mumak, Wanted("Mumak's 19 jobs", alarms=False), SilentObserver())
            page.open(mumak, "order=trouble")
            page.shot(IMAGES / "views-mumak.png")
            print("docs/images/views-mumak.png")


if __name__ == "__main__":
    main()
