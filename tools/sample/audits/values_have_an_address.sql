/*
doc: Every estimated value belongs to a property with an address
level: error
*/
SELECT gnaf_pid FROM serving.property_avm LEFT JOIN serving.property p USING (gnaf_pid)
WHERE predicted_price IS NOT NULL AND COALESCE(p.address, '') = ''
