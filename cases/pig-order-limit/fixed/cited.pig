-- The 500 documents that are cited by most others, counted in two light steps.
citations = LOAD '$input' USING PigStorage('|') AS (citing:chararray, cited:chararray);
pairs = DISTINCT citations PARALLEL 3;
ofDocument = GROUP pairs BY cited PARALLEL 3;
counts = FOREACH ofDocument GENERATE group AS cited, COUNT(pairs) AS times;
ordered = ORDER counts BY times DESC;
top = LIMIT ordered 500;
STORE top INTO '$output';
