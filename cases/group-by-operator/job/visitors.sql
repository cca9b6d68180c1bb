create external table visits (day string, visitor string, page string, seconds int)
row format delimited fields terminated by '|'
location '${hivevar:input}';

insert overwrite directory '${hivevar:output}'
select visitor, count(*), sum(seconds), max(day)
from visits
group by visitor;
