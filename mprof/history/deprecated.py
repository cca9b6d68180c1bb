"""MapReduce 1 names of job properties, and the names that replaced them.

Source: the deprecation tables of ``org.apache.hadoop.mapreduce.util.ConfigUtil``,
``org.apache.hadoop.conf.Configuration`` and ``HdfsConfiguration`` of Hadoop 3.4.3.
Properties of daemons that no longer exist are left out: a job's configuration does not need them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast

__all__ = ["NEW_NAMES", "OLD_NAMES"]

_TABLE: Final = """
dfs.block.size dfs.blocksize
fs.default.name fs.defaultFS
io.sort.factor mapreduce.task.io.sort.factor
io.sort.mb mapreduce.task.io.sort.mb
io.sort.spill.percent mapreduce.map.sort.spill.percent
keep.failed.task.files mapreduce.task.files.preserve.failedtasks
keep.task.files.pattern mapreduce.task.files.preserve.filepattern
key.value.separator.in.input.line mapreduce.input.keyvaluelinerecordreader.key.value.separator
map.input.file mapreduce.map.input.file
map.input.length mapreduce.map.input.length
map.input.start mapreduce.map.input.start
map.output.key.field.separator mapreduce.map.output.key.field.separator
mapred.cache.archives mapreduce.job.cache.archives
mapred.cache.archives.filesizes mapreduce.job.cache.archives.filesizes
mapred.cache.archives.timestamps mapreduce.job.cache.archives.timestamps
mapred.cache.files mapreduce.job.cache.files
mapred.cache.files.filesizes mapreduce.job.cache.files.filesizes
mapred.cache.files.timestamps mapreduce.job.cache.files.timestamps
mapred.cache.localArchives mapreduce.job.cache.local.archives
mapred.cache.localFiles mapreduce.job.cache.local.files
mapred.committer.job.setup.cleanup.needed mapreduce.job.committer.setup.cleanup.needed
mapred.compress.map.output mapreduce.map.output.compress
mapred.inmem.merge.threshold mapreduce.reduce.merge.inmem.threshold
mapred.input.dir mapreduce.input.fileinputformat.inputdir
mapred.input.dir.recursive mapreduce.input.fileinputformat.input.dir.recursive
mapred.input.pathFilter.class mapreduce.input.pathFilter.class
mapred.jar mapreduce.job.jar
mapred.job.classpath.archives mapreduce.job.classpath.archives
mapred.job.classpath.files mapreduce.job.classpath.files
mapred.job.id mapreduce.job.id
mapred.job.map.memory.mb mapreduce.map.memory.mb
mapred.job.name mapreduce.job.name
mapred.job.priority mapreduce.job.priority
mapred.job.queue.name mapreduce.job.queuename
mapred.job.reduce.input.buffer.percent mapreduce.reduce.input.buffer.percent
mapred.job.reduce.markreset.buffer.percent mapreduce.reduce.markreset.buffer.percent
mapred.job.reduce.memory.mb mapreduce.reduce.memory.mb
mapred.job.reduce.total.mem.bytes mapreduce.reduce.memory.totalbytes
mapred.job.reuse.jvm.num.tasks mapreduce.job.jvm.numtasks
mapred.job.shuffle.input.buffer.percent mapreduce.reduce.shuffle.input.buffer.percent
mapred.job.shuffle.merge.percent mapreduce.reduce.shuffle.merge.percent
mapred.line.input.format.linespermap mapreduce.input.lineinputformat.linespermap
mapred.linerecordreader.maxlength mapreduce.input.linerecordreader.line.maxlength
mapred.map.child.env mapreduce.map.env
mapred.map.child.java.opts mapreduce.map.java.opts
mapred.map.child.log.level mapreduce.map.log.level
mapred.map.max.attempts mapreduce.map.maxattempts
mapred.map.output.compression.codec mapreduce.map.output.compress.codec
mapred.map.tasks mapreduce.job.maps
mapred.map.tasks.speculative.execution mapreduce.map.speculative
mapred.mapoutput.key.class mapreduce.map.output.key.class
mapred.mapoutput.value.class mapreduce.map.output.value.class
mapred.max.map.failures.percent mapreduce.map.failures.maxpercent
mapred.max.reduce.failures.percent mapreduce.reduce.failures.maxpercent
mapred.max.split.size mapreduce.input.fileinputformat.split.maxsize
mapred.merge.recordsBeforeProgress mapreduce.task.combine.progress.records
mapred.min.split.size mapreduce.input.fileinputformat.split.minsize
mapred.min.split.size.per.node mapreduce.input.fileinputformat.split.minsize.per.node
mapred.min.split.size.per.rack mapreduce.input.fileinputformat.split.minsize.per.rack
mapred.output.compress mapreduce.output.fileoutputformat.compress
mapred.output.compression.codec mapreduce.output.fileoutputformat.compress.codec
mapred.output.compression.type mapreduce.output.fileoutputformat.compress.type
mapred.output.dir mapreduce.output.fileoutputformat.outputdir
mapred.output.key.class mapreduce.job.output.key.class
mapred.output.key.comparator.class mapreduce.job.output.key.comparator.class
mapred.output.value.class mapreduce.job.output.value.class
mapred.output.value.groupfn.class mapreduce.job.output.group.comparator.class
mapred.reduce.child.env mapreduce.reduce.env
mapred.reduce.child.java.opts mapreduce.reduce.java.opts
mapred.reduce.child.log.level mapreduce.reduce.log.level
mapred.reduce.max.attempts mapreduce.reduce.maxattempts
mapred.reduce.parallel.copies mapreduce.reduce.shuffle.parallelcopies
mapred.reduce.slowstart.completed.maps mapreduce.job.reduce.slowstart.completedmaps
mapred.reduce.tasks mapreduce.job.reduces
mapred.reduce.tasks.speculative.execution mapreduce.reduce.speculative
mapred.shuffle.connect.timeout mapreduce.reduce.shuffle.connect.timeout
mapred.shuffle.read.timeout mapreduce.reduce.shuffle.read.timeout
mapred.skip.attempts.to.start.skipping mapreduce.task.skip.start.attempts
mapred.skip.map.auto.incr.proc.count mapreduce.map.skip.proc-count.auto-incr
mapred.skip.map.max.skip.records mapreduce.map.skip.maxrecords
mapred.skip.on mapreduce.job.skiprecords
mapred.skip.out.dir mapreduce.job.skip.outdir
mapred.skip.reduce.auto.incr.proc.count mapreduce.reduce.skip.proc-count.auto-incr
mapred.skip.reduce.max.skip.groups mapreduce.reduce.skip.maxgroups
mapred.speculative.execution.slowTaskThreshold mapreduce.job.speculative.slowtaskthreshold
mapred.speculative.execution.speculativeCap mapreduce.job.speculative.speculative-cap-running-tasks
mapred.submit.replication mapreduce.client.submit.file.replication
mapred.system.dir mapreduce.jobtracker.system.dir
mapred.task.cache.levels mapreduce.jobtracker.taskcache.levels
mapred.task.id mapreduce.task.attempt.id
mapred.task.is.map mapreduce.task.ismap
mapred.task.partition mapreduce.task.partition
mapred.task.profile mapreduce.task.profile
mapred.task.profile.maps mapreduce.task.profile.maps
mapred.task.profile.params mapreduce.task.profile.params
mapred.task.profile.reduces mapreduce.task.profile.reduces
mapred.task.timeout mapreduce.task.timeout
mapred.tip.id mapreduce.task.id
mapred.used.genericoptionsparser mapreduce.client.genericoptionsparser.used
mapred.userlog.limit.kb mapreduce.task.userlog.limit.kb
mapred.work.output.dir mapreduce.task.output.dir
mapred.working.dir mapreduce.job.working.dir
mapreduce.combine.class mapreduce.job.combine.class
mapreduce.inputformat.class mapreduce.job.inputformat.class
mapreduce.job.counters.limit mapreduce.job.counters.max
mapreduce.map.class mapreduce.job.map.class
mapreduce.outputformat.class mapreduce.job.outputformat.class
mapreduce.partitioner.class mapreduce.job.partitioner.class
mapreduce.reduce.class mapreduce.job.reduce.class
min.num.spills.for.combine mapreduce.map.combine.minspills
sequencefile.filter.class mapreduce.input.sequencefileinputfilter.class
sequencefile.filter.frequency mapreduce.input.sequencefileinputfilter.frequency
sequencefile.filter.regex mapreduce.input.sequencefileinputfilter.regex
user.name mapreduce.job.user.name
"""
# one pair a line instead of a dict: the longest pairs would not fit a line otherwise

NEW_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    dict(cast("tuple[str, str]", line.split()) for line in _TABLE.strip().splitlines())
)
"""Old name -> new name."""


def _old_names() -> dict[str, tuple[str, ...]]:
    olds: dict[str, tuple[str, ...]] = {}
    for old, new in NEW_NAMES.items():
        olds[new] = (*olds.get(new, ()), old)
    return olds


OLD_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(_old_names())
"""New name -> its old names."""
