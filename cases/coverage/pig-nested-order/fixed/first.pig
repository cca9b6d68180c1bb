-- The first visit of each visitor of a site, in the order of time.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, time:long, page:chararray);
ordered = ORDER visits BY site, time PARALLEL 2;
firsts = FOREACH ordered GENERATE site, visitor, time;
STORE firsts INTO '$output';
