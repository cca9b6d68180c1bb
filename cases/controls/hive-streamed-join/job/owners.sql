create external table visits (site string, visitor string, seconds bigint, page string)
row format delimited fields terminated by '|'
location '${hivevar:input}/visits';

create external table sites (name string, owner string)
row format delimited fields terminated by '|'
location '${hivevar:input}/sites';

insert overwrite directory '${hivevar:output}'
select s.owner, v.visitor, v.page
from sites s
join visits v on s.name = v.site
where v.seconds > 1750000000;
