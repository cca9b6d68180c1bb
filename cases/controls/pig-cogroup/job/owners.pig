-- Who owns the sites that were visited.
visits = LOAD '$input/visits' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, time:long, page:chararray);
sites = LOAD '$input/sites' USING PigStorage('|') AS (name:chararray, owner:chararray);
together = COGROUP sites BY name, visits BY site PARALLEL 2;
known = FILTER together BY NOT IsEmpty(sites);
visited = FOREACH known GENERATE FLATTEN(visits), FLATTEN(sites.owner);
STORE visited INTO '$output';
