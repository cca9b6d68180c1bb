"""The words by which a sentence in Chinese says what became of a setting, in English.

Half of the notes that people publish about such deaths are in Chinese. What a sentence says of its
values hangs on few words (set to, raised to, still, recommended, solved), and these are put in the
place of the Chinese ones, so that what is known of sentences in English is asked of these as well.
Of other words it says "something". This is no translation, and nothing of it is shown to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from mprof.intake.sentences import HEADING, is_of_a_log

__all__ = ["from_chinese"]

_MOST_UNKNOWN: Final = 0.5
"""Of a line's Chinese characters: among more the word may be that denies what the others say."""
_IDEOGRAPHS: Final = re.compile("[\u4e00-\u9fff]+")
_OF_JAPANESE: Final = re.compile("[\u3040-\u30ff]")
_PUNCTUATION: Final = str.maketrans(
    dict(zip("\uff0c\u3002\uff1b\uff1a\uff1f\uff01\uff08\uff09\u3001\u201c\u201d\u3010\u3011",
             (", ", ". ", "; ", ": ", "? ", "! ", " (", ") ", ", ", '"', '"', "[", "]"),
             strict=True))
)  # fmt: skip
# the word in English, a full stop for none, and those in Chinese: of those that begin alike the
# longest counts
_WORDS: Final = """
solution = 解决方案 解决办法 解决方法 解决方式 解决思路 解决措施 处理方法 处理方式 处理办法
solution = 解决途径
fix = 修正 改进 优化
solved = 解决 解决了 搞定 修复 修复了
how to solve = 如何解决 怎么解决 怎样解决
set to = 设置成值为 设置值为 设置为 设置成 设为 设成 配置为 配置成 设置到 配成 设到
we set to = 设置成了 设置为了 设成了 设为了
changed to = 调整为 改为 改成 修改为 修改成 调整成 调整到 调成 换成 更改为 改到
we changed to = 改成了 改为了 调整到了 调成了 换成了 调整为了
raised to = 增大至 增加至 调大至 提高至 加大至 提升至 调高至 调至 扩大至
raised to = 调大到 增大到 增加到 提高到 加大到 提升到 调高到 加到 调到 扩大到 增大为 增加为 升到
we raised to = 加到了 调到了 增加到了 提高到了 调大到了 提升到了
lowered to = 减小至 降低至 减少至 调低至 减小到 调小到 降低到 减少到 降到 调低到 减到
set = 设置 设定 指定 配置
we set = 设置了 配置了 指定了
add = 添加 加上 加入 追加 新增 加
we added = 添加了 加上了 加入了 加了
raise = 增大 调大 增加 加大 提高 提升 扩大 调高
we raised = 增大了 调大了 增加了 加大了 提高了 提升了 调高了
lower = 减小 调小 降低 减少 调低
we lowered = 减小了 调小了 降低了 减少了 调低了
change = 修改 更改 调整 改 调节
we changed = 修改了 更改了 调整了 改了
turn off = 关闭 禁用 关掉 取消
we turned off = 关闭了 禁用了 关掉了
turn on = 开启 打开 启用
recommended = 建议 推荐 最好
try = 可以 可设 可调 可改 可将 可把 尝试 试试 试着 试一下
could = 可能 也许 或许
throws = 抛 抛出
same = 同样 同样的 一样 一样的 相同 相同的
should = 应该 应当 即可 就好了 就可以了 就行了 就好 就行
we = 我们把 我把 我们将 我将 我们 咱们
must = 需要 必须
want = 想 想要 希望 打算
tried = 试过 试了 尝试了 尝试过
if = 如果 若 假如 要是
for example = 比如 例如 譬如
default = 默认 缺省
previously = 之前 以前 原来 原先 原本 最初 一开始 起初 此前 之前的 原来的
afterwards = 后来 之后 然后 随后 接着 再
finally = 最终 终于 最后
currently = 现在 目前 当前 如今
still = 仍然 依然 还是 仍 依旧 还
fails = 报错 出错 失败 挂掉 挂了 崩溃
error = 错误 异常 错
killed = 杀死 杀掉 被杀
still fails = 没有成功 没成功 不成功 未成功 不能成功 无法成功 没能成功 未能成功 不能正常
still fails = 无法正常 没有正常 未能正常 没能正常 不正常 没有解决 没解决 未解决 没能解决
still fails = 未能解决 无法解决 不能解决 问题依旧 问题依然存在 问题仍然存在 问题还是存在
still fails = 问题还在 没有跑通 没跑通 跑不通 没有跑完 没跑完 跑不完
, it went through = 成功 问题解决 问题得到解决 问题解决了 解决了问题 解决了该问题 解决了这个问题
, it went through = 跑通 跑完 运行正常 执行正常 任务正常 作业正常 一切正常 恢复正常 正常运行
, it went through = 就可以正常运行 可以正常运行 能正常运行 就能正常运行 就正常了 不再抛出 没有再报
, it went through = 正常执行 正常完成 顺利完成 顺利执行 没有再出现 不再报错 不再出现
. = 提交成功 启动成功 重启成功 编译成功 安装成功 连接成功 配置成功 部署成功 创建成功 上传成功
. = 加载成功 修改成功 了 将 把 被 在 中 里 上 下 也 都 就 则 过 着 对 给 用 使用 通过 的 会 来
. = 里面 能够 去 一个 个 一下 一些 等 其 它 以 而 后 前 有 些
no effect = 无效 没用 没有效果 不起作用 没有作用 没效果 不生效 没有生效 无济于事 未生效
not = 不 没有 没 未 无 非
cause = 原因
because = 因为 由于
so = 所以 因此 于是
but = 但是 但 不过 然而 可是
I = 我 本人 笔者
memory = 内存
heap = 堆内存 堆 堆空间
out of memory = 内存溢出 内存不足 内存不够 溢出
exceeds = 超过 超出 大于 超
container = 容器
task = 任务
job = 作业 程序 应用
physical memory = 物理内存
virtual memory = 虚拟内存
cluster = 集群
node = 节点 机器 服务器
setting = 参数 属性 配置项 选项
we ran = 执行 运行 跑
we ran again with = 重跑 重新跑 再跑 重新执行 重新运行
and = 和 与 以及 并且 并 及 同时
or = 或者 或
is = 是 为 等于 即
from = 从 由 由原来的 从原来的
to = 到 至 变为
when = 时 时候 当
file = 文件
the following = 如下 以下 下面
this = 这个 这 该 此 本
restart = 重启
check = 检查 检测 查看
size = 大小
value = 值
too small = 太小 过小 偏小
too large = 太大 过大 偏大
problem = 问题
data = 数据 数据量
limit = 限制 上限
per = 每 每个
only = 只 仅 只有
more = 更多 更 多
all = 所有 全部
log = 日志
query = 查询 语句
table = 表
partition = 分区
method = 方法 办法 方案 方式
script = 脚本
session = 会话
effective = 有效 生效
two = 两个
first = 首先 第一 先
second = 其次 第二
again = 再次 重新
"""

# the object stands before its verb, with nobody who did it
_TO_BE_DONE: Final = re.compile("(?<![我们])[将把](?=[\\s`\"'(]{0,3}[A-Za-z])")
# "in FILE add": of the past where it says so, of somebody where it has a subject
_IN_PLACE: Final = re.compile(
    r"^(?![^\n]*(?:我|已|了|之前|原来))(?P<before>[^\n]{0,20})在(?P<place>[^\uff0c\u3002\uff1b,;\n]{1,60}?)"
    r"(?P<verb>添加|加入|增加|新增|追加|加上|加|设置|配置|修改)(?!过|如下|的|成功|文件|项|信息|参数如下)"
)
# "set the size of maps:", which heads what is to be done
_HEADS_ORDERS: Final = re.compile(
    r"^(?P<before>\W*(?:\d{1,2}[.、)]\s?)?)(?P<verb>设置|调整|修改|增加|增大|调大|提高|减小|调小|降低)"
    r"(?=(?!如下|为|成|了|过|的|到|至|是|好)[^了我已\n]{1,30}[\uff1a:]\s*$)"
)
# the verb stands between the values there
_FROM_ONE: Final = re.compile(
    r"(?:\bwe\s+)?(?<!\S)(\S{1,200})\s+from\s+(\S{1,200})\s+"
    r"(?:we\s+)?(changed|raised|lowered|set)\s+to\s+"
)
# behind the name, as "set to" stands
_TO_ONE: Final = re.compile(r"\b(?:changed|raised|lowered) to\b(?=\s+[^\s:])")
_UNKNOWN: Final = re.compile(r"[一-鿿]+(?:\s+[一-鿿]+)*")


@cache
def _words() -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds the words, and of each the one in English; nothing for what says nothing."""
    rows = (row.split(" = ") for row in _WORDS.strip().split("\n"))
    english = {one: "" if word == "." else word for word, ones in rows for one in ones.split()}
    longest_first = sorted(english, key=len, reverse=True)
    return re.compile("|".join(longest_first)), english


def from_chinese(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines with the words that are known in English, where a line is in Chinese.

    Args:
        lines: each with its number. What a log has, is in Japanese, or has too few known words
            stays as it is.

    >>> [*from_chinese([(1, "\u6211\u4eec\u628a\u5185\u5b58\u8c03\u5927\u5230 4g")])]
    [(1, 'we memory set to 4g')]
    """
    for number, line in lines:
        is_read = _IDEOGRAPHS.search(line) and not (
            _OF_JAPANESE.search(line) or HEADING.match(line) or is_of_a_log(line)
        )
        yield number, _of_line(line) if is_read else line


def _of_line(line: str) -> str:
    pattern, english = _words()
    said = _IN_PLACE.sub(r"\g<before>in \g<place>应该\g<verb>", line)
    said = _HEADS_ORDERS.sub(r"\g<before>应该\g<verb>", said)
    said = _TO_BE_DONE.sub("应该", said.translate(_PUNCTUATION))
    told = pattern.sub(lambda word: f" {english[word[0]]} ", said)
    if _count(told) > _MOST_UNKNOWN * _count(said):
        return line
    told = " ".join(_UNKNOWN.sub(" something ", told).split())
    told = _TO_ONE.sub("set to", _FROM_ONE.sub(r"we \3 \1 from \2 to ", told))
    indent = line[: len(line) - len(line.lstrip())]
    return indent + re.sub(r" (?=[,.;:?!](?:\s|$))", "", told)


def _count(text: str) -> int:
    """Chinese characters of a text."""
    return sum(map(len, _IDEOGRAPHS.findall(text)))
