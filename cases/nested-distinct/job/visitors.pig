-- How many visitors each site has, and what they did there.
visits = LOAD '$input' USING PigStorage('|') AS (site:chararray, visitor:chararray,
    pages:int, seconds:int, clicks:int, orders:int, cents:int);
bySite = GROUP visits BY site;
totals = FOREACH bySite {
    visitors = DISTINCT visits.visitor;
    GENERATE group, COUNT(visitors), SUM(visits.pages), SUM(visits.seconds),
        SUM(visits.clicks), SUM(visits.orders), SUM(visits.cents);
};
STORE totals INTO '$output';
