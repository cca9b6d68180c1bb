"""The words by which a sentence says what became of a setting, in English: four languages more.

As `mprof.intake.chinese` does for Chinese. In which language somebody writes is seen by the words
that every sentence has; in a text in English no word is touched. What is not known stays as it is.
Nothing of it is shown to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from mprof.intake.sentences import Lines, is_of_a_log

__all__ = ["from_european"]

_FEWEST: Final = 4
"""Different words of a language: an id, a name or a quoted message may have one or two."""

# words that nearly every sentence has. Few are shared by two of the languages, none with English
_COMMON: Final = {
    "German": "der und ist nicht mit wir eine auf für haben wird dem bei aber auch ein nach mein",
    "French": "le les et est avec nous une sur pour des dans mais aussi je sont pas notre ça",
    "Spanish": "el los las con una para del pero también por está nuestro y más cuando hay",
    "Portuguese": "não com uma para dos mas também foi está nosso nossa ele são mais quando um em",
}
_OF_ENGLISH: Final = frozenset({
    "the", "is", "was", "and", "with", "for", "of", "to", "it", "this", "that", "we", "my", "but",
    "not", "are", "have", "has", "on", "in",
})  # fmt: skip

# the word in English, then those of German, French, Spanish and Portuguese; @ is a word or two
_WORDS: Final = """
try = Versuch / Essai|Tentative / Intento|Prueba / Tentativa|Teste
we tried = versucht|probiert|ausprobiert / essayé|testé|tenté / probado|intentado|probamos|probé|\
intenté|intentamos / tentei|tentamos|testei|testamos|testado
we have = wir haben|haben wir|wir verwenden|wir nutzen / nous avons|nous utilisons|on a|\
on utilise / tenemos|usamos|utilizamos / temos|usamos|utilizamos
it is = es ist|ist es|steht auf|ist / c'est|est / está|es / está|é
not tried = nicht versucht|nicht probiert|nicht getestet / pas testé|pas encore testé|pas essayé|\
pas encore essayé / no lo probé|no lo he probado|sin probar / não testei|não tentei|não testamos
we set = gesetzt|eingestellt|konfiguriert / mis|configuré|réglé|positionné / puesto|configurado|\
pusimos|puse|configuramos|configuré / configurado|configurei|configuramos|definimos|colocamos|\
coloquei
we raised = erhöht|hochgesetzt|vergrößert|verdoppelt / augmenté|doublé|monté / aumentado|\
aumentamos|aumenté|subido|subimos|subí / aumentamos|aumentei|aumentado|subimos|dobramos
we lowered = reduziert|verringert|gesenkt|verkleinert|halbiert / réduit|baissé|diminué / \
reducido|reducimos|bajado|bajamos|bajé|reduje / reduzimos|reduzi|reduzido|diminuímos|baixamos
we changed = geändert / changé|modifié / cambiado|cambiamos|cambié / mudamos|mudei|alteramos|\
alterei
died = gestorben|stirbt|starb|abgestürzt|stürzt ab|bricht ab|abgebrochen|scheitert|gescheitert|\
fehlgeschlagen|schlägt fehl / mort|meurt|plante|planté|échoue|échoué / muere|murió|falla|falló|\
se cae|se cayó|terminó con error / morre|morreu|falha|falhou|caiu|quebra|quebrou
also = auch|ebenfalls / aussi|également / también / também
the same error = derselbe Fehler|der gleiche Fehler|gleicher Fehler|denselben Fehler|\
dieselbe Meldung|dasselbe / la même erreur|même erreur|le même problème|pareil / el mismo error|\
mismo error|lo mismo|mismo problema / o mesmo erro|mesmo erro|a mesma coisa|mesmo problema
the error remains = der Fehler bleibt|Fehler bleibt|besteht weiterhin|bleibt bestehen / \
l'erreur persiste|le problème persiste|l'erreur reste / el error persiste|el problema persiste|\
sigue el error / o erro persiste|o problema persiste|o erro continua
still = immer noch|weiterhin|trotzdem|nach wie vor / toujours|quand même / todavía|aún|sigue|\
siguió / ainda|continua|continuou|mesmo assim
it passes = läuft durch|läuft @ durch|lief durch|lief @ durch|durchgelaufen|läuft jetzt|\
läuft wieder|hat funktioniert|funktioniert jetzt|funktioniert es|hat geklappt|ging durch / \
ça passe|le job passe|est passé|a fonctionné|ça marche|ça fonctionne|a réussi|a marché|\
est allé au bout / funcionó|ya funciona|ahora funciona|pasó|terminó bien|terminó con éxito|\
terminó sin errores|ha funcionado / funcionou|agora funciona|passou|terminou com sucesso|\
terminou bem|rodou até o fim|deu certo
did not help = hat nicht geholfen|half nicht|hilft nicht|ohne Erfolg|bringt nichts|\
brachte nichts|nichts gebracht|funktioniert nicht|läuft nicht durch|keine Änderung|\
keine Besserung|kein Unterschied / n'a rien changé|ne change rien|sans succès|n'a pas aidé|\
n'aide pas|ne marche pas|ne fonctionne pas|n'a pas marché|n'a pas fonctionné|ne passe pas|\
aucun effet|aucun changement / no funciona|no funcionó|sin éxito|no sirvió|no ayudó|\
no cambió nada|no pasó / não funciona|não funcionou|não adiantou|não ajudou|não resolveu|\
não mudou nada|sem sucesso|não passou
solved = hat geholfen|gelöst|behoben / a résolu|résolu|a aidé|a corrigé / solucionado|solucionó|\
resuelto|resolvió|ayudó|se arregló / resolveu|resolvido|ajudou|solucionou|corrigiu
solution = Lösung|Abhilfe / Correction / Solución / Solução
should = sollte|sollten|solltest|müsste / devrait|devrais|il faut|il faudrait / debería|deberías|\
hay que|habría que / deveria|deveríamos|é preciso|tem que
could = könnte|könnten / pourrait|pourrais / podría|podrías / poderia
recommended = empfohlen|empfiehlt|empfehlen|schlägt @ vor|schlägt vor|vorgeschlagen|Vorschlag / \
recommandé|recommande|conseille|conseillé|propose|proposé|suggère / recomendado|recomienda|\
sugiere|sugirió|propone|propuso / recomendado|recomenda|sugere|sugeriu|propõe|propôs
want = wollen|möchten / voulons|on veut|je veux / queremos|quiero / queremos|quero
before = vorher|früher|bisher|zuvor / avant|auparavant|précédemment / antes|anteriormente / \
antes|anteriormente
afterwards = danach|dann|anschließend / ensuite|après|puis / después|luego / depois|em seguida
later = später / plus tard / más tarde / mais tarde
currently = aktuell|derzeit / actuellement / actualmente / atualmente
now = jetzt|nun|inzwischen / maintenant|désormais / ahora / agora
again = wieder|nochmal|erneut|noch einmal / de nouveau|à nouveau|encore une fois / otra vez|\
de nuevo|nuevamente / de novo|novamente|outra vez
default = Standard|Standardwert|Voreinstellung / par défaut|défaut / por defecto|predeterminado / \
por padrão|padrão
finally = schließlich|endlich / finalement|enfin / finalmente|por fin / finalmente|por fim
not = nicht|kein|keine / pas / no / não
with = mit / avec / con / com
without = ohne / sans / sin / sem
and = und / et / y / e
or = oder / ou / o / ou
but = aber|jedoch / mais / pero / mas
if = wenn|falls / si / si / se
too small = zu klein|zu niedrig / trop petit|trop faible / demasiado pequeño|muy pequeño / \
pequeno demais|muito pequeno
too large = zu groß|zu hoch / trop grand|trop gros / demasiado grande|muy grande / grande demais|\
muito grande
we = wir / nous|on / nosotros / nós
I = ich / je|j'ai / yo / eu
"""
_TO: Final = re.compile(r"(?i)(?<![\w.])(?:auf|à|a|para|em)(?=\s+(?:-Xmx)?\d)")
# "de 2048 MB" alone is a size, and not what it was before
_FROM: Final = re.compile(
    r"(?i)(?<![\w.])(?:von|de)(?=\s+(?:-Xmx)?\d\S{0,20}\s+(?:[mg]i?b\s+)?(?:auf|à|a|para)\s+\S)"
)
_WORD: Final = re.compile(r"(?<![\w.=/-])[^\W\d_]+(?![\w=/-]|\.\w)")
_WITHOUT_ACCENTS: Final = {
    "ä": "(?:ä|ae)", "ö": "(?:ö|oe)", "ü": "(?:ü|ue)", "ß": "(?:ß|ss)", "é": "[ée]", "è": "[èe]",
    "ê": "[êe]", "à": "[àa]", "ç": "[çc]", "á": "[áa]", "í": "[íi]", "ó": "[óo]", "ú": "[úu]",
    "ñ": "[ñn]", "ã": "[ãa]", "õ": "[õo]", "ô": "[ôo]", "'": "['\u2019]", " ": r"\s+",
    "@": r"[^\W\d_]+(?:\s[^\W\d_]+)?",
}  # fmt: skip


class _Language(NamedTuple):
    common: frozenset[str]
    words: re.Pattern[str]
    english: tuple[str, ...]


@cache
def _languages() -> tuple[_Language, ...]:
    rows = [row.split(" = ") for row in _WORDS.strip().split("\n")]
    made: list[_Language] = []
    for at, common in enumerate(_COMMON.values()):
        said = [(one.strip(), english) for english, ones in rows
                for one in ones.split(" / ")[at].split("|")]  # fmt: skip
        said.sort(key=lambda one: len(one[0]), reverse=True)
        either = "|".join(f"({_pattern(one)})" for one, _ in said)
        words = re.compile(rf"(?i)(?<![\w.=/-])(?:{either})(?![\w=/-]|\.\w)")
        made.append(
            _Language(frozenset(common.split()), words, tuple(english for _, english in said))
        )
    return tuple(made)


def _pattern(words: str) -> str:
    return "".join(_WITHOUT_ACCENTS.get(one, one) for one in words)


def from_european(lines: Lines) -> Iterator[tuple[int, str]]:
    """Lines with the words that are known in English, where somebody writes in another language.

    Args:
        lines: of one text, each with its number. What a log has stays as it is.

    >>> said = "Wir haben es auf 4096 erhöht, aber der Fehler ist nicht weg, und mit 8192 auch"
    >>> [*from_european([(1, said)])]
    [(1, 'We have es to 4096 we raised, but der Fehler it is not weg, and with 8192 also')]
    """
    prose = {number for number, line in lines if not is_of_a_log(line)}
    used = {
        word.lower() for number, line in lines if number in prose for word in _WORD.findall(line)
    }
    counted = [(len(used & one.common), one) for one in _languages()]
    most, language = max(counted, key=lambda one: one[0])
    if most < _FEWEST or most <= len(used & _OF_ENGLISH):
        yield from lines
        return
    for number, line in lines:
        yield number, _of_line(line, language) if number in prose else line


def _of_line(line: str, language: _Language) -> str:
    line = _TO.sub("to", _FROM.sub("from", line))
    return language.words.sub(lambda found: _as_begun(found, language.english), line)


def _as_begun(found: re.Match[str], english: Sequence[str]) -> str:
    word = english[(found.lastindex or 1) - 1]
    return word.capitalize() if found[0][0].isupper() else word
