-- The 500 documents that are cited by most others.
citations = LOAD '$input' USING PigStorage('|') AS (citing:chararray, cited:chararray);
ofDocument = GROUP citations BY cited PARALLEL 3;
counts = FOREACH ofDocument {
    documents = DISTINCT citations.citing;
    GENERATE group AS cited, COUNT(documents) AS times;
};
ordered = ORDER counts BY times DESC;
top = LIMIT ordered 500;
STORE top INTO '$output';
