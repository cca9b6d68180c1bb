"""The table of messages and of known leaks, and what those that a death bears say of it."""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.messages.known import (
    application_master_died,
    array_limit,
    class_memory,
    client_heap,
    container_larger_than_the_cluster_allows,
    container_over_its_limit,
    container_over_virtual_memory,
    direct_memory,
    exit_abort,
    exit_failure,
    exit_of_yarn,
    exit_sigkill,
    exit_sigterm,
    gc_overhead,
    heap_leaves_no_room,
    heap_words_only,
    line_does_not_fit,
    map_output_does_not_fit,
    native_memory_refused,
    no_more_threads,
    pipes_program_lost,
    shuffle_settings_invalid,
    sort_buffer_does_not_fit,
    sort_buffer_invalid,
    split_list_too_large,
    streaming_program_failed,
    task_timeout,
    too_many_counters,
)
from mprof.messages.leaks import (
    codec_never_returned,
    configuration_copies,
    counters_of_the_data,
    file_system_never_closed,
    interned_strings,
    jdbc_result_without_fetch_size,
    multithreaded_mapper,
    object_output_stream_without_reset,
    thread_local_values,
    writer_per_key,
)
from mprof.messages.message import Message, Reading

__all__ = ["MESSAGES", "read_messages"]

MESSAGES: tuple[Message, ...] = (
    sort_buffer_does_not_fit.MESSAGE,
    sort_buffer_invalid.MESSAGE,
    map_output_does_not_fit.MESSAGE,
    shuffle_settings_invalid.MESSAGE,
    line_does_not_fit.MESSAGE,
    array_limit.MESSAGE,
    gc_overhead.MESSAGE,
    heap_words_only.MESSAGE,
    direct_memory.MESSAGE,
    class_memory.MESSAGE,
    no_more_threads.MESSAGE,
    native_memory_refused.MESSAGE,
    heap_leaves_no_room.MESSAGE,
    container_over_its_limit.MESSAGE,
    container_over_virtual_memory.MESSAGE,
    container_larger_than_the_cluster_allows.MESSAGE,
    split_list_too_large.MESSAGE,
    too_many_counters.MESSAGE,
    task_timeout.MESSAGE,
    streaming_program_failed.MESSAGE,
    pipes_program_lost.MESSAGE,
    exit_sigterm.MESSAGE,
    exit_sigkill.MESSAGE,
    exit_abort.MESSAGE,
    exit_failure.MESSAGE,
    exit_of_yarn.MESSAGE,
    application_master_died.MESSAGE,
    client_heap.MESSAGE,
    codec_never_returned.MESSAGE,
    configuration_copies.MESSAGE,
    counters_of_the_data.MESSAGE,
    file_system_never_closed.MESSAGE,
    interned_strings.MESSAGE,
    jdbc_result_without_fetch_size.MESSAGE,
    multithreaded_mapper.MESSAGE,
    object_output_stream_without_reset.MESSAGE,
    thread_local_values.MESSAGE,
    writer_per_key.MESSAGE,
)
"""In the order in which they are told: what proves most first, known leaks last."""


def read_messages(evidence: Evidence) -> tuple[tuple[Message, Reading], ...]:
    """What the messages and frames of a death say, those that prove something first."""
    if evidence.death.kind == "none" and evidence.job.driver_error is None:
        return ()
    read = [(one, found) for one in MESSAGES if (found := one.reads(evidence)) is not None]
    order = ("proves", "suggests", "known to")
    return tuple(sorted(read, key=lambda pair: order.index(pair[1].proof)))
