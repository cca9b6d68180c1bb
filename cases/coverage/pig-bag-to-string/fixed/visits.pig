-- The visits of each site, a line each.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, time:long, page:chararray);
bySite = GROUP visits BY site PARALLEL 2;
lines = FOREACH bySite GENERATE group, FLATTEN(visits.(visitor, time, page));
STORE lines INTO '$output';
