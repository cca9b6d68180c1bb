create external table visits (site string, visitor string, seconds bigint, page string)
row format delimited fields terminated by '|'
location '${hivevar:input}';

insert overwrite directory '${hivevar:output}'
select site, sum(seconds), max(seconds)
from visits
group by site;
