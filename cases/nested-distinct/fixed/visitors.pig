-- Different visitors of each site, and sums over its visits, in two light steps.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, clicks:long, pages:long, seconds:long);
byVisitor = GROUP visits BY (site, visitor) PARALLEL 2;
ofVisitor = FOREACH byVisitor GENERATE FLATTEN(group) AS (site, visitor),
    SUM(visits.clicks) AS clicks, SUM(visits.pages) AS pages, SUM(visits.seconds) AS seconds;
bySite = GROUP ofVisitor BY site PARALLEL 2;
sums = FOREACH bySite GENERATE group, COUNT(ofVisitor),
    SUM(ofVisitor.clicks), SUM(ofVisitor.pages), SUM(ofVisitor.seconds);
STORE sums INTO '$output';
