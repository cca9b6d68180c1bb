-- How many pages there are of each rank, and how long they were looked at, in two light steps.
rankings = LOAD '$input' USING PigStorage('|')
    AS (pageRank:int, pageURL:chararray, duration:int);
pages = GROUP rankings BY (pageRank, pageURL) PARALLEL 2;
durations = FOREACH pages
    GENERATE FLATTEN(group) AS (pageRank, pageURL), SUM(rankings.duration) AS duration;
grouped = GROUP durations BY pageRank PARALLEL 2;
counts = FOREACH grouped GENERATE group, COUNT(durations), SUM(durations.duration);
STORE counts INTO '$output';
