-- The visits of each page, with its rank.
pages = LOAD '$input/pages.txt' USING PigStorage('|') AS (url:chararray, pageRank:int);
visits = LOAD '$input/visits.txt' USING PigStorage('|')
    AS (ip:chararray, url:chararray, seconds:int);
ranked = JOIN pages BY url, visits BY url PARALLEL 8;
result = FOREACH ranked GENERATE ip, pageRank, seconds;
STORE result INTO '$output';
