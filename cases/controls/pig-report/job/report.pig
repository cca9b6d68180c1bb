-- The cities whose customers have ordered most.
customers = LOAD '$input/customers' USING PigStorage('|')
    AS (customer:chararray, name:chararray, city:chararray);
orders = LOAD '$input/orders' USING PigStorage('|') AS (id:chararray, buyer:chararray, cents:long);
large = FILTER orders BY cents > 5000;
joined = JOIN large BY buyer, customers BY customer PARALLEL 2;
byCity = GROUP joined BY city PARALLEL 2;
totals = FOREACH byCity GENERATE group AS city, COUNT(joined) AS times, SUM(joined.cents) AS cents;
ordered = ORDER totals BY cents DESC;
STORE ordered INTO '$output';
