create external table customers (customer string, name string, city string)
row format delimited fields terminated by '|'
location '${hivevar:input}/customers';

create external table orders (id string, buyer string, cents bigint)
row format delimited fields terminated by '|'
location '${hivevar:input}/orders';

insert overwrite directory '${hivevar:output}'
select c.city, count(*) as times, sum(o.cents) as cents
from orders o
join customers c on o.buyer = c.customer
where o.cents > 5000
group by c.city
order by cents desc;
