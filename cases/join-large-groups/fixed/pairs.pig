-- The sales of each kind of goods beside its returns, article by article.
sales = LOAD '$input/sales.txt' USING PigStorage('|')
    AS (kind:chararray, id:long, text:bytearray);
returned = LOAD '$input/returns.txt' USING PigStorage('|')
    AS (kind:chararray, id:long, text:bytearray);
salesOfArticle = GROUP sales BY (kind, id) PARALLEL 3;
returnsOfArticle = GROUP returned BY (kind, id) PARALLEL 3;
pairs = JOIN salesOfArticle BY group, returnsOfArticle BY group PARALLEL 3;
STORE pairs INTO '$output';
