create external table visits (site string, visitor string, seconds bigint, page string)
row format delimited fields terminated by '|'
location '${hivevar:input}/visits';

create external table sites (site string, owner string)
row format delimited fields terminated by '|'
location '${hivevar:input}/sites';

insert overwrite directory '${hivevar:output}'
select v.site, v.visitor, s.owner
from visits v
join sites s on v.site = s.site;
