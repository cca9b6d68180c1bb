-- What the customers of each city have ordered.
REGISTER '$job/job.jar';
DEFINE CityOf org.example.cities.CityOf('$input/customers/customers.txt');
orders = LOAD '$input/orders' USING PigStorage('|') AS (id:chararray, buyer:chararray, cents:long);
placed = FOREACH orders GENERATE CityOf(buyer) AS city, cents;
byCity = GROUP placed BY city;
totals = FOREACH byCity GENERATE group, COUNT(placed), SUM(placed.cents);
STORE totals INTO '$output';
