/*
doc: Few homes are worth more than ten million dollars
level: warning
*/
SELECT gnaf_pid, predicted_price FROM serving.property_avm WHERE predicted_price > 10000000
