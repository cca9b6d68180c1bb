"""A trained Bayes model of Mahout 0.6, and documents to classify with it.

The model is written as the training jobs leave it: the sums, the weights and the normalisers as
sequence files of ``StringTuple`` and ``DoubleWritable``, in the folders that the reader expects.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from mprof.catalogue.sequence_file import text_bytes, write_sequence_file
from mprof.catalogue.text import random_words, zipf_ranks

LABELS = tuple(f"country-{number:02d}" for number in range(20))
LABELS_A_FEATURE = 2
FEATURE_BYTES = 140
WORDS_A_DOCUMENT = 60
DOCUMENTS = 4_000
LINES_A_FILE = 2_000
# Names of org.apache.mahout.classifier.bayes.mapreduce.common.BayesConstants.
FEATURE_SUM, LABEL_SUM, TOTAL_SUM = "__SJ", "__SK", "_SJSK"
WEIGHT, LABEL_NORMALISER = "__WT", "_LTN"


def generate(folder: Path, *, seed: int, size_bytes: int) -> None:
    """Write ``model/`` and ``documents/``."""
    rng = np.random.default_rng(seed)
    features = np.unique(random_words(rng, size_bytes // FEATURE_BYTES, shortest=6, longest=14))
    names = [feature.decode() for feature in rng.permutation(features).tolist()]
    weights = rng.random((len(names), LABELS_A_FEATURE)) * 10
    labels = rng.integers(0, len(LABELS), size=(len(names), LABELS_A_FEATURE))

    model = folder / "model"
    _write(
        model / "trainer-weights/Sigma_j",
        (
            ((FEATURE_SUM, name), of_feature)
            for name, of_feature in zip(names, weights.sum(axis=1).tolist(), strict=True)
        ),
    )
    of_labels = [float(weights[labels == number].sum()) for number in range(len(LABELS))]
    _write(
        model / "trainer-weights/Sigma_k",
        (((LABEL_SUM, label), of_label) for label, of_label in zip(LABELS, of_labels, strict=True)),
    )
    _write(model / "trainer-weights/Sigma_kSigma_j", [((TOTAL_SUM,), float(weights.sum()))])
    _write(
        model / "trainer-thetaNormalizer",
        (
            ((LABEL_NORMALISER, label), -of_label)
            for label, of_label in zip(LABELS, of_labels, strict=True)
        ),
    )
    _write(
        model / "trainer-tfIdf/trainer-tfIdf",
        (
            ((WEIGHT, LABELS[label], name), weight)
            for name, mine, theirs in zip(names, labels.tolist(), weights.tolist(), strict=True)
            for label, weight in dict(zip(mine, theirs, strict=True)).items()
        ),
    )

    documents = folder / "documents"
    documents.mkdir()
    ranks = zipf_ranks(rng, DOCUMENTS * WORDS_A_DOCUMENT, ranks=len(names), exponent=0.8)
    lines = [
        f"{LABELS[label]}\t{' '.join(names[rank] for rank in chosen)}\n"
        for label, chosen in zip(
            rng.integers(0, len(LABELS), size=DOCUMENTS).tolist(),
            ranks.reshape(DOCUMENTS, WORDS_A_DOCUMENT).tolist(),
            strict=True,
        )
    ]
    for number, start in enumerate(range(0, len(lines), LINES_A_FILE)):
        text = "".join(lines[start : start + LINES_A_FILE])
        (documents / f"documents-{number}.txt").write_text(text)


def _write(folder: Path, records: Iterable[tuple[tuple[str, ...], float]]) -> None:
    folder.mkdir(parents=True)
    write_sequence_file(
        folder / "part-00000",
        (
            (
                struct.pack(">i", len(names)) + b"".join(text_bytes(name) for name in names),
                struct.pack(">d", value),
            )
            for names, value in records
        ),
        key_class="org.apache.mahout.common.StringTuple",
        value_class="org.apache.hadoop.io.DoubleWritable",
    )
