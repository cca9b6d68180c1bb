create external table visits (site string, visitor string, seconds bigint, page string)
row format delimited fields terminated by '|'
location '${hivevar:input}';

insert overwrite directory '${hivevar:output}'
select site, count(*), percentile_approx(cast(seconds as double), 0.5, 1000)
from visits
where site is not null
group by site;
