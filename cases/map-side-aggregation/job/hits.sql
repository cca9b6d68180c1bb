create external table hits (time string, host string, uri string, status int, bytes bigint)
row format delimited fields terminated by ' '
location '${hivevar:input}';

-- hits of each page in May, the most frequent first
insert overwrite directory '${hivevar:output}'
select concat(host, page), hits
from (
  select host, substr(uri, 1, 40) as page, count(*) as hits
  from hits
  where time like '2014-05-%' and status < 400
  group by host, substr(uri, 1, 40)
) counted
order by hits desc;
