-- What the customers of each city have ordered.
customers = LOAD '$input/customers' USING PigStorage('|')
    AS (customer:chararray, name:chararray, city:chararray);
orders = LOAD '$input/orders' USING PigStorage('|') AS (id:chararray, buyer:chararray, cents:long);
placed = JOIN orders BY buyer, customers BY customer PARALLEL 2;
byCity = GROUP placed BY city;
totals = FOREACH byCity GENERATE group, COUNT(placed), SUM(placed.cents);
STORE totals INTO '$output';
