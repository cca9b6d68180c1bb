"""What `java` says in other languages of a main class that is not found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.hadoop.java import java_home
from mprof.trace.launcher_words import in_english

CLASS = "com.example.app.Main"
# java.launcher.cls.error1 of sun.launcher.resources, JDK 8
SAID = {
    "zh_CN": "错误: 找不到或无法加载主类 {}",
    "zh_TW": "錯誤: 找不到或無法載入主要類別 {}",
    "ja": "エラー: メイン・クラス{}を検出およびロードできませんでした",
    "ko": "오류: 기본 클래스 {}을(를) 찾거나 로드할 수 없습니다.",
    "de": "Fehler: Hauptklasse {} konnte nicht gefunden oder geladen werden",
    "fr": "Erreur : impossible de trouver ou charger la classe principale {}",
    "es": "Error: no se ha encontrado o cargado la clase principal {}",
    "it": "Errore: impossibile trovare o caricare la classe principale {}",
    "pt_BR": "Erro: Não foi possível localizar nem carregar a classe principal {}",
    "sv": "Fel: kunde inte hitta eller ladda huvudklassen {}",
}


@pytest.mark.parametrize("language", SAID)
def test_each_is_read_as_in_english(language: str) -> None:
    line = SAID[language].format(CLASS)

    read = in_english(f"a line\n{line}\nanother\n".encode()).decode()

    assert f"\nError: Could not find or load main class {CLASS}" in read
    assert read.startswith("a line\n")
    assert read.endswith("\nanother\n")


@pytest.mark.jvm
@pytest.mark.parametrize("language", ["", *SAID])
def test_what_this_java_says_is_read(language: str) -> None:
    name, _, country = language.partition("_")
    said = subprocess.run(
        [
            java_home() / "bin" / "java", f"-Duser.language={name or 'en'}",
            f"-Duser.country={country}", "-Dfile.encoding=UTF-8", "-Dsun.stderr.encoding=UTF-8",
            "-Dstderr.encoding=UTF-8", "-Xmx16m", CLASS,
        ],
        capture_output=True,
        check=False,
    ).stderr  # fmt: skip

    assert in_english(said).splitlines()[0] == (
        f"Error: Could not find or load main class {CLASS}".encode()
    )


def test_a_sentence_with_such_words_stays_as_it_is() -> None:
    text = b"Die Hauptklasse com.example.Main konnte nicht gefunden werden, sagt er.\n"

    assert in_english(text) == text


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    assert in_english(b"Hauptklasse \xff\xfe\n") == b"Hauptklasse \xff\xfe\n"


def test_a_master_that_did_not_start_is_told_so(tmp_path: Path) -> None:
    text = (
        "Application application_1700000000000_0042 failed 2 times due to AM Container for "
        "appattempt_1700000000000_0042_000002 exited with  exitCode: 1\n"
        "Last 4096 bytes of stderr :\n"
        f"{SAID['zh_CN'].format('org.apache.hadoop.mapreduce.v2.app.MRAppMaster')}\n"
    )

    _, report = told_of(tmp_path, text)

    assert "mapreduce.application.classpath" in report


def test_a_part_of_an_option_that_is_taken_for_the_main_class_is_no_class(tmp_path: Path) -> None:
    text = (
        "Container exited with a non-zero exit code 1. Error file: prelaunch.err.\n"
        "Last 4096 bytes of stderr :\n"
        "Error: Could not find or load main class java.base.sun.nio.ch=ALL-UNNAMED\n"
    )

    _, report = told_of(tmp_path, text)

    assert "java took java.base.sun.nio.ch=ALL-UNNAMED" in report
    assert "No jar is missing" in report
    assert "jar tf" not in report
