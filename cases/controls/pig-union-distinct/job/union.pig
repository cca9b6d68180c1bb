-- Every pair of a site and a visitor, from the visits of the one large site and of all others.
visits = LOAD '$input' USING PigStorage('|')
    AS (site:chararray, visitor:chararray, time:long, page:chararray);
SPLIT visits INTO large IF site == 'site0000', others OTHERWISE;
ofLarge = FOREACH large GENERATE site, visitor;
ofOthers = FOREACH others GENERATE site, visitor;
pairs = UNION ofLarge, ofOthers;
different = DISTINCT pairs PARALLEL 2;
STORE different INTO '$output';
