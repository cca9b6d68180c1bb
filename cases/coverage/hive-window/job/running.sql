create external table visits (site string, visitor string, seconds bigint, page string)
row format delimited fields terminated by '|'
location '${hivevar:input}';

insert overwrite directory '${hivevar:output}'
select site, visitor, seconds,
  lead(seconds, 1) over (partition by site order by seconds),
  sum(seconds) over (partition by site)
from visits;
