create external table visits (site string, visitor string, seconds bigint, page string)
row format delimited fields terminated by '|'
location '${hivevar:input}/visits';

create external table sites (name string, owner string)
row format delimited fields terminated by '|'
location '${hivevar:input}/sites';

insert overwrite directory '${hivevar:output}'
select owner, site, visitors, rank() over (partition by owner order by visitors desc)
from (
  select s.owner as owner, v.site as site, count(distinct v.visitor) as visitors
  from visits v
  join sites s on v.site = s.name
  group by s.owner, v.site
) counted;
