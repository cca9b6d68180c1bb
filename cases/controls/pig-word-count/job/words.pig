-- How often each word occurs.
lines = LOAD '$input' USING TextLoader() AS (line:chararray);
words = FOREACH lines GENERATE FLATTEN(TOKENIZE(line)) AS word;
byWord = GROUP words BY word PARALLEL 2;
counts = FOREACH byWord GENERATE group, COUNT(words);
STORE counts INTO '$output';
