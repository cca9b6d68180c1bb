-- Different visitors of each site, and sums over its visits.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, clicks:long, pages:long, seconds:long);
bySite = GROUP visits BY site PARALLEL 2;
sums = FOREACH bySite {
    visitors = DISTINCT visits.visitor;
    GENERATE group, COUNT(visitors), SUM(visits.clicks), SUM(visits.pages), SUM(visits.seconds);
};
STORE sums INTO '$output';
