-- How many visitors each site has, and what they did there.
visits = LOAD '$input' USING PigStorage('|') AS (site:chararray, visitor:chararray,
    pages:int, seconds:int, clicks:int, orders:int, cents:int);
byVisitor = GROUP visits BY (site, visitor);
perVisitor = FOREACH byVisitor GENERATE FLATTEN(group) AS (site, visitor),
    SUM(visits.pages) AS pages, SUM(visits.seconds) AS seconds, SUM(visits.clicks) AS clicks,
    SUM(visits.orders) AS orders, SUM(visits.cents) AS cents;
bySite = GROUP perVisitor BY site;
totals = FOREACH bySite GENERATE group, COUNT(perVisitor), SUM(perVisitor.pages),
    SUM(perVisitor.seconds), SUM(perVisitor.clicks), SUM(perVisitor.orders),
    SUM(perVisitor.cents);
STORE totals INTO '$output';
