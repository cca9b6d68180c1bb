create external table customers (customer string, name string, city string)
row format delimited fields terminated by '|'
location '${hivevar:input}/customers';

create external table orders (id string, buyer string, cents bigint)
row format delimited fields terminated by '|'
location '${hivevar:input}/orders';

insert overwrite directory '${hivevar:output}'
select o.id, c.name, c.city, o.cents
from orders o
join customers c on o.buyer = c.customer
where o.cents > 5000;
