-- The first visit of each visitor of a site, in the order of time.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, time:long, page:chararray);
sites = GROUP visits BY site PARALLEL 2;
firsts = FOREACH sites {
    ordered = ORDER visits BY time;
    GENERATE group, FLATTEN(ordered.(visitor, time));
};
STORE firsts INTO '$output';
