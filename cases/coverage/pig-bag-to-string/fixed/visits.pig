-- The visits of each site, a line each.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, time:long, page:chararray);
lines = ORDER visits BY site, time PARALLEL 2;
STORE lines INTO '$output';
