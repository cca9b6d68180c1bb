-- How many pages there are of each rank, and how long they were looked at.
rankings = LOAD '$input' USING PigStorage('|')
    AS (pageRank:int, pageURL:chararray, duration:int);
grouped = GROUP rankings BY pageRank PARALLEL 2;
counts = FOREACH grouped {
    urls = DISTINCT rankings.pageURL;
    GENERATE group, COUNT(urls), SUM(rankings.duration);
};
STORE counts INTO '$output';
