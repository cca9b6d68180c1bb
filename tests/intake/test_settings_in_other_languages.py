"""What became of a setting, said in German, French, Spanish or Portuguese."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.translated import in_english

_DEATH = (
    "\n2019-05-02 11:22:31,120 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
    "child : java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Join.reduce(Join.java:110)\n"
    "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
    "\tat org.apache.hadoop.mapred.ReduceTask.runNewReducer(ReduceTask.java:627)\n"
)
_OPTS = "mapreduce.reduce.java.opts"
_MORE = "mapreduce.job.reduces=40"

_TOLD = {
    "German": (
        "Unser Job stirbt im Reducer, und ich weiß nicht warum.\n"
        f"Wir haben {_OPTS}=-Xmx1638m gesetzt.\n"
        f"Danach haben wir {_OPTS} auf -Xmx3276m erhöht, derselbe Fehler.\n"
        f"Jetzt mit {_MORE} läuft der Job durch.\n"
    ),
    "German without umlauts": (
        "Unser Job stirbt im Reducer, und ich weiss nicht warum.\n"
        f"Wir haben {_OPTS}=-Xmx1638m gesetzt.\n"
        f"Danach haben wir {_OPTS} auf -Xmx3276m erhoeht, derselbe Fehler.\n"
        f"Jetzt mit {_MORE} laeuft der Job durch.\n"
    ),
    "French": (
        "Notre job plante dans le reducer et nous ne savons pas pourquoi.\n"
        f"Nous avons {_OPTS}=-Xmx1638m. Essai 2 : {_OPTS}=-Xmx3276m, sans succès.\n"
        f"Essai 3 : {_MORE} -> ça passe\n"
    ),
    "Spanish": (
        "El job falla en el reducer con este error y no sé por qué.\n"
        f"En la configuración tenemos {_OPTS}=-Xmx1638m.\n"
        f"Probé con {_OPTS}=-Xmx3276m y no ayudó.\n"
        f"Al final, con {_MORE} terminó bien.\n"
    ),
    "Portuguese": (
        "Nosso job morre no reducer, não sei mais o que fazer com ele.\n"
        f"Usamos {_OPTS}=-Xmx1638m. Tentei com {_OPTS}=-Xmx3276m, mesmo erro.\n"
        "Depois aumentei mapreduce.job.reduces para 40 e funcionou.\n"
    ),
}


@pytest.mark.parametrize("language", _TOLD)
def test_what_was_in_force_what_failed_and_what_helped(language: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_TOLD[language]}{_DEATH}")

    assert "it was -Xmx1638m" in report
    assert f"With {_MORE} it went through, as the text says" in report
    assert "-Xmx3276m" not in report.partition("GAPS")[0]


@pytest.mark.parametrize(
    "text",
    [
        (
            f"Aktuell ist {_OPTS}=-Xmx1638m, aber der Job stirbt. Ein Kollege schlägt vor, "
            f"{_OPTS}=-Xmx4g zu nehmen, ich habe es noch nicht versucht.\n"
        ),
        (
            f"Nous avons {_OPTS}=-Xmx1638m et le job est mort. On me conseille {_OPTS}=-Xmx4g, "
            "mais nous ne sommes pas sûrs.\n"
        ),
        (
            f"Tenemos {_OPTS}=-Xmx1638m y el job falla con este error. Hay que poner {_OPTS}=-Xmx4g"
            " según los foros, pero no lo probé.\n"
        ),
        (
            f"Temos {_OPTS}=-Xmx1638m e o job morre com um erro. O suporte recomenda "
            f"{_OPTS}=-Xmx4g, mas não testamos.\n"
        ),
    ],
)
def test_what_is_proposed_was_not_in_force(text: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{text}{_DEATH}")

    assert "it was -Xmx1638m" in report
    assert f"{_OPTS}=-Xmx4g; mprof has not checked that" in report


@pytest.mark.parametrize(
    "text",
    [
        (
            "The job fails in the reducer with this error, and we have not changed anything. The "
            "log says: 'der Fehler ist nicht neu, und wir haben auch mit 4096 keine Lösung'"
        ),
        "We have de facto no limit; the value is on a par with that of the others, but not for us",
        "mapreduce.map.memory.mb=4096",
    ],
)
def test_a_text_in_english_stays_as_it_is(text: str) -> None:
    lines = [*enumerate(text.splitlines(), 1)]

    assert [*in_english(lines)] == lines


def test_lines_of_a_log_stay_as_they_are() -> None:
    lines = [*enumerate(f"{_TOLD['German']}{_DEATH}".splitlines(), 1)]

    log = lines[_TOLD["German"].count("\n") :]
    assert [*in_english(lines)][-len(log) :] == log


def test_a_size_with_de_before_it_is_no_former_value() -> None:
    said = "El contenedor de la tarea es de 2048 MB, y los datos no son más con una tabla para él"
    changed = "Lo subimos de 2048 a 4096, pero no ayudó, y con una más para los datos también"

    (_, one), (_, other) = in_english([(1, said), (2, changed)])

    assert "from" not in one
    assert "from 2048 to 4096" in other


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("Der Job und ein Task, 4096 erhöht", False),  # three words that nearly every sentence has
        ("Der Job und ein Task nach 4096 erhöht", True),
    ],
)
def test_four_words_of_a_language_show_it(text: str, *, is_read: bool) -> None:
    assert ([*in_english([(1, text)])] != [(1, text)]) is is_read
