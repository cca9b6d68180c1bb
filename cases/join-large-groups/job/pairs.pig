-- The sales of each kind of goods beside its returns.
sales = LOAD '$input/sales.txt' USING PigStorage('|')
    AS (kind:chararray, id:long, text:bytearray);
returned = LOAD '$input/returns.txt' USING PigStorage('|')
    AS (kind:chararray, id:long, text:bytearray);
salesOfKind = GROUP sales BY kind PARALLEL 3;
returnsOfKind = GROUP returned BY kind PARALLEL 3;
pairs = JOIN salesOfKind BY group, returnsOfKind BY group PARALLEL 3;
STORE pairs INTO '$output';
