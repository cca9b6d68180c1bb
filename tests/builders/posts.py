"""Small posts about a death with settings in them, at random, whose truth is known.

A post has an error, and values of the same properties in one or two places: in force when the task
died, or wanted, tried, advised, of another time or of somebody else. What introduces a value, in
which form it stands, and whether above or below the error, are drawn independently.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

__all__ = ["FORMS", "Post", "draw_post"]

MEMORY: Final = "mapreduce.map.memory.mb"
OPTIONS: Final = "mapreduce.map.java.opts"

# right above a fragment
_LEADS: Final[dict[str, tuple[str, ...]]] = {
    "in force": (
        "This is what I have in mapred-site.xml now:",
        "Here is my configuration:",
        "Our settings:",
        "mapred-site.xml:",
        "Relevant part of mapred-site.xml:",
        "The job runs with these settings:",
        "Started with",
        "Command:",
        "I start it like this:",
        "Config (there are no other settings):",
        "We have set the following before the query:",
        "The cluster is configured like this, nothing else was changed from the vendor's values:",
        "These are the only properties that differ from the defaults:",
        "I currently use:",
        "Set in the session, even for the small tables:",
        "What we use on all nodes, like most people here:",
        "The values from the job page of the failed run:",
        "Job configuration at the time of the failure:",
        "My driver does:",
        "hadoop-env.sh and mapred-site.xml have the stock lines:",
        "",
        "The mapred-site.xml on every node:",
        "This is in our yarn-site.xml:",
        "Settings used:",
        "I run it as follows:",
        "Parameters (Cloudera Manager):",
        "Excerpt from the configuration of the job that died:",
        "We're running with:",
        "From the script:",
        "Environment and configuration",
        "I submit the job with this command",
        "Configured values are:",
        "hive session:",
        "What is set at the moment:",
        "Here's what I've got:",
        "With this configuration:",
        "My mapred-site.xml looks like this:",
        "The query was run with:",
        "conf of the failed job:",
        "mapred-site.xml on the slaves contains",
        "Job parameters as shown in the history server:",
        "Memory settings of the cluster:",
        "What the job got:",
        "This job was submitted as",
        "In mapred-site.xml I've got",
        "Options:",
        "Below is the config:",
        "Our admin has configured:",
        "Current values:",
        "Values in Ambari:",
        "the script contains",
        "I set these in the driver:",
        "Hive settings used for this query:",
        "Relevant settings:",
        "config is",
        "I have this in my mapred-site.xml:",
        "Here are the settings we run with in production:",
        "Our cluster:",
        "Submitted with:",
        "The properties I pass to the job:",
        "yarn/mapred settings on the nodes",
        "Script:",
        "The config that produces this error:",
        "My conf:",
        "Using",
        "Run with:",
        "To be safe, we use:",
        "Added to mapred-site.xml when the cluster was installed:",
    ),
    "wanted": (
        "Should I use this?",
        "I would like to set:",
        "I want to change it to:",
        "We are considering:",
        "Would it be better to have:",
        "We need something like this, but are not allowed to:",
        "Would this configuration make sense?",
        "Is it OK to use:",
        "What if I set:",
        "Maybe I should use:",
        "I'm planning to use:",
        "Do I have to configure:",
        "Would this help?",
        "What about",
        "I am thinking of",
        "Can somebody confirm that this is right?",
        "I was told to ask whether this is enough:",
        "Do we need",
        "My idea was:",
    ),
    "tried": (
        "I tried this, without success:",
        "I have also tried:",
        "We attempted it with:",
        "It makes no difference when I try:",
        "Tried with",
        "I've already tried the following without luck:",
        "Things I tried:",
        "Same error after trying:",
        "Attempts so far:",
        "No luck with",
        "What I tried so far:",
        "Did not help:",
        "I also experimented with:",
        "Tuning attempts:",
        "With this it failed as well:",
        "We already went through:",
        "Also tried",
    ),
    "advised": (
        "The documentation recommends:",
        "Cloudera suggests these values:",
        "A blog says one should set:",
        "You could use:",
        "Advice from the mailing list:",
        "In another thread they recommend:",
        "On StackOverflow people recommend:",
        "The book says to use:",
        "My admin suggests:",
        "The answer there was:",
        "Recommended:",
        "Somewhere I read one has to set:",
        "The Hortonworks script calculates:",
        "Rule of thumb from a blog:",
        "They told me to use",
        "From the Cloudera guide:",
        "The vendor's support wants us to set",
        "An answer suggests",
        "Suggested by a colleague:",
        "Add this to mapred-site.xml:",
        "Put the following into mapred-site.xml and restart the job:",
        "Set these:",
        "Ways out:",
        "How to fix it:",
        "To avoid this, use:",
        "If that does not help, raise them:",
        "Possible solutions",
        "Suppose the file has:",
    ),
    "past": (
        "Before the upgrade we had:",
        "Previously it was:",
        "Last month it was still:",
        "Originally we had:",
        "On the old cluster we used:",
        "A year ago we had:",
        "In the previous version of the job I had:",
        "It used to be:",
        "Until last Monday:",
        "The old configuration was:",
        "With the old version we ran with:",
        "It ran fine for years with:",
        "Back then:",
        "Earlier settings:",
        "Old values:",
        "In 2014 we used:",
        "Before:",
        "These were the values until the migration:",
    ),
    "later": (
        "It works after I changed it to:",
        "Fixed it with:",
        "This solved the problem:",
        "Then we changed it to:",
        "In the end we increased it to:",
        "EDIT: solved with:",
        "Update, it works with:",
        "What helped in the end was:",
        "I have since changed it to:",
        "Afterwards I set:",
        "Solution:",
        "The following change resolved it:",
        "As a workaround I set:",
        "It finally ran with:",
        "Resolved by",
        "Final solution:",
        "Since then we have:",
        "I fixed this with",
    ),
    "other": (
        "A colleague has this on his cluster:",
        "The other cluster, which works, has:",
        "Somebody on the list runs with:",
        "The defaults are:",
        "For example:",
        "On the test cluster, where it works, we have:",
        "Hadoop's default values:",
        "A similar job of another user has:",
        "In the example they use:",
        "My colleague uses:",
        "EMR's defaults for this instance type:",
        "On our dev cluster:",
        "A bigger job, which is fine, has:",
        "Default values:",
        "Example from the docs:",
        "Another user posted:",
        "On the cluster of our partner:",
    ),
}
# with the value in them
_SENTENCES: Final[dict[str, tuple[str, ...]]] = {
    "in force": (
        "{name} is {value}.",
        "I have {name}={value} in mapred-site.xml.",
        "{name} is set to {value} on all nodes.",
        "We run with {name}={value}, no other settings.",
        "The job has {name}={value} and nothing else.",
        "{name} is currently {value}, which worked for a year.",
        "Our {name} is {value} already.",
        "I've set {name} to {value}.",
        "{name}={value}",
        "{name}={value} and the default scheduler.",
        "In Ambari {name} is {value}.",
        "It fails with {name}={value}, even on small input.",
        "Hadoop 2.7.3, 8 nodes, {name}={value}, everything else is default.",
        "{name} has been {value} for months.",
        "{name} here is {value}.",
        "We're using {name}={value}.",
        "The failing job was started with {name}={value}.",
        "{name} = {value}",
        "Each mapper gets {name}={value}.",
        "My {name} is already at {value}.",
        "mapred-site.xml has {name} set to {value}.",
        "Please note that {name} is {value}.",
        "I am running with {name}={value} and still get this.",
        "I use {name}={value} on a 10 node cluster.",
        "It dies although {name} is {value}.",
        "Why does it die with {name}={value}?",
        "The task has {name} set to {value}, so it should be enough.",
        "I have set {name} to {value} in the driver.",
        "The mappers run with {name}={value}.",
        "{name} is {value} according to the job page.",
        "Currently {name}={value}.",
        "The cluster uses {name}={value} and 40 nodes.",
        "Config: {name}={value}",
        "job.xml says {name}={value}.",
        "We set {name}={value} when we installed the cluster.",
        "{name} ({value}) is the same on all nodes.",
        "With {name}={value} the map tasks die after ten minutes.",
        "{name} was {value} when it failed.",
        "At the moment {name} is {value}.",
        "Nodes have 64 GB, {name} is {value}.",
        "We have {name}={value} cluster-wide.",
        "The reducers are fine, the mappers ({name}={value}) are not.",
        "I run the job with {name}={value}.",
        "{name} is at {value}.",
        "My configuration has {name}={value}.",
        "Run with {name}={value}.",
        "Set in the job: {name}={value}.",
        "Increased {name} to {value}, and then it died.",
        "To be safe, we set {name} to {value}.",
    ),
    "wanted": (
        "Should I set {name} to {value}?",
        "Would {name}={value} be enough?",
        "I want to set {name}={value}.",
        "I could raise {name} to {value}.",
        "Do I need {name}={value}?",
        "Is {name}={value} a good idea?",
        "If {name} were {value}, would it work?",
        "We are thinking about {name}={value}.",
        "Is {name}={value} too much?",
        "How about {name}={value}?",
        "I'd like to use {name}={value}.",
        "Can I use {name}={value} here?",
        "I plan to set {name} to {value}.",
        "Will {name}={value} help?",
        "I was wondering about {name}={value}.",
        "Does {name} have to be {value}?",
        "I hope {name}={value} is enough, is it?",
        "Should it be {name}={value}?",
        "We might go for {name}={value}.",
        "Shall I use {name}={value}?",
    ),
    "tried": (
        "I tried {name}={value}.",
        "Trying {name}={value} did not help.",
        "I also tried to set {name} to {value}, no change.",
        "We even tested {name}={value}.",
        "I've tried with {name}={value} too.",
        "Same with {name}={value} when I tried that.",
        "I attempted {name}={value}.",
        "Tried {name}={value}, no luck.",
        "{name}={value} made no difference.",
        "I played with {name}={value}.",
        "Setting {name}={value} has no effect.",
        "I already tried {name}={value}.",
        "I tried raising {name} to {value}.",
        "{name}={value} did not change anything.",
        "A run with {name}={value} failed, too.",
    ),
    "advised": (
        "The manual recommends {name}={value}.",
        "Everybody says to set {name} to {value}.",
        "According to a blog {name} should be {value}.",
        "Try {name}={value}.",
        "A consultant told us to set {name}={value}.",
        "Just use {name}={value}.",
        "The tuning guide recommends {name}={value}.",
        "Someone on IRC told me to use {name}={value}.",
        "You should set {name}={value}.",
        "I read that {name} should be {value}.",
        "A common recommendation is {name}={value}.",
        "Best practice is {name}={value}.",
        "You have to set {name} to {value}.",
        "The wiki proposes {name}={value}.",
        "They recommend {name}={value}.",
        "I was told to use {name}={value}.",
        "It is often said that {name}={value} is right.",
        "Use {name}={value}.",
        "If that does not help, raise {name} to {value}.",
        "To be safe, set {name} to {value}.",
        "Increase {name} to {value} and run it again.",
        "- Raise {name} to {value}.",
        "2. Then set {name} to {value}.",
        "Make sure that {name} is {value}.",
        "Suppose {name} is {value}.",
        "Assume that {name}={value}.",
        "When tasks die, increase {name} to {value}.",
    ),
    "past": (
        "Before that, {name} was {value}.",
        "{name} used to be {value}.",
        "Last week {name} was {value}.",
        "Until yesterday we had {name}={value}.",
        "Formerly {name} was set to {value}.",
        "It was {name}={value} before.",
        "Previously {name} was {value}.",
        "Two months ago {name} was {value}.",
        "In the old cluster {name} was {value}.",
        "{name} was {value} at first.",
        "At that time {name} was {value}.",
        "Initially {name} was {value}.",
        "When it still worked {name} was {value}.",
        "Earlier we had {name}={value}.",
        "In the past {name} was {value}.",
        "It ran with {name}={value} last year.",
    ),
    "later": (
        "It was solved by setting {name} to {value}.",
        "After I set {name} to {value} it works.",
        "We then changed {name} to {value}.",
        "I increased {name} to {value} afterwards.",
        "Now {name} is {value} and it works.",
        "Update: {name}={value} fixed it.",
        "I have now changed {name} to {value}.",
        "In the end {name}={value} helped.",
        "With {name}={value} it works.",
        "The solution was {name}={value}.",
        "I ended up with {name}={value}, which works.",
        "Setting {name} to {value} fixes it.",
        "After that I set {name}={value}.",
        "I solved it with {name}={value}.",
        "{name}={value} made it work.",
        "Finally I set {name}={value}.",
    ),
    "other": (
        "The default of {name} is {value}.",
        "Another team has {name}={value}.",
        "On the other cluster {name} is {value}.",
        "My friend has {name} set to {value}.",
        "By default {name} is {value}.",
        "In the docs {name} is {value}.",
        "Other jobs use {name}={value}.",
        "For other users {name} is {value}.",
        "Elsewhere {name} is {value}.",
        "In production {name} is {value}, here it is not set.",
        "The reference configuration has {name}={value}.",
        "For the test job {name} was {value}.",
        "Their cluster has {name}={value}.",
        "{name} defaults to {value}.",
        "A bigger cluster has {name}={value}.",
    ),
}
FORMS: Final = ("assignment", "xml", "hive", "command", "code", "table", "sentence")
_FILL: Final = (
    "Hello everybody, we have a problem with a job.",
    "Our cluster has 8 nodes with 64 GB each.",
    "The input is about 400 GB of text.",
    "What can I do?",
    "Any help is welcome.",
    "Thanks in advance!",
    "It worked with a smaller file.",
    "",
)
_OF_A_CONSOLE: Final = (
    "16/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_1450000000000_0042_m_000004_0, "
    "Status : FAILED\nError: Java heap space"
)
_OF_A_LOG: Final = (
    "2016-03-01 10:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.JoinMapper.map(JoinMapper.java:57)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)"
)


@dataclass(frozen=True, slots=True)
class Post:
    """A text, and the values that were in force by what it says.

    Attributes:
        told: of each value in it, which words introduce it and of which kind.
    """

    text: str
    in_force: dict[str, str]
    told: tuple[tuple[str, str], ...]


def _fragment(form: str, values: dict[str, str]) -> str:
    rows = {
        "assignment": "{}={}",
        "xml": "    <property>\n      <name>{}</name>\n      <value>{}</value>\n    </property>",
        "hive": "set {}={};",
        "code": 'conf.set("{}", "{}");',
        "table": "{} | {}",
    }
    if form == "command":
        options = " ".join(f"-D{name}={value}" for name, value in values.items())
        return f"hadoop jar job.jar com.example.Join {options} /in /out"
    return "\n".join(rows[form].format(name, value) for name, value in values.items())


def _stated(rng: random.Random, kind: str, values: dict[str, str]) -> tuple[str, str]:
    """A part of a post that gives the values, and the words that introduce them."""
    form = rng.choice(FORMS)
    if form == "sentence":
        words = rng.choice(_SENTENCES[kind])
        return "\n".join(words.format(name=n, value=v) for n, v in values.items()), words
    lead = rng.choice(_LEADS[kind])
    gap = "\n\n" if rng.random() < 0.5 else "\n"
    return f"{lead}{gap if lead else ''}{_fragment(form, values)}", f"{lead} [{form}]"


def draw_post(rng: random.Random) -> Post:
    """A post by a generator of chance."""
    names = rng.choice(((MEMORY,), (OPTIONS,), (MEMORY, OPTIONS)))
    other_kinds = [kind for kind in _LEADS if kind != "in force"]
    kinds = rng.choice(
        (["in force"], ["in force", rng.choice(other_kinds)], [rng.choice(other_kinds)])
    )
    parts, in_force, told = [], {}, []
    for kind in kinds:
        size = rng.randrange(8, 80) * 128 + (64 if kind == "in force" else 0)
        values = {name: str(size) if name == MEMORY else f"-Xmx{size - 100}m" for name in names}
        part, words = _stated(rng, kind, values)
        parts.append(part)
        told.append((kind, words))
        in_force |= values if kind == "in force" else {}
    rng.shuffle(parts)
    parts.insert(rng.randrange(len(parts) + 1), rng.choice((_OF_A_CONSOLE, _OF_A_LOG)))
    filled = [one for part in parts for one in (rng.choice(_FILL), part)]
    return Post("\n\n".join([*filled, rng.choice(_FILL)]) + "\n", in_force, tuple(told))
