/*
table: home_near_station
doc: Homes within 400 m of a train stop that lie outside every flood layer, with what is estimated for them.
inputs: [property, property_proximity, property_risk, property_avm]
key: [gnaf_pid]
columns:
  gnaf_pid: { type: text, doc: Property. }
  state: { type: text, doc: State or territory. }
  sal: { type: text, nullable: true, doc: Suburb; null where the home has none. }
  address: { type: text, doc: Address in one line. }
  lon: { type: float8, doc: "Longitude, GDA2020 degrees." }
  lat: { type: float8, doc: "Latitude, GDA2020 degrees." }
  train_m: { type: int4, doc: Whole metres to the nearest train stop. }
  predicted_price: { type: int4, nullable: true, doc: "Estimated value, whole dollars; null where there is none." }
timeout_s: 60
*/
SELECT gnaf_pid, p.state, p.sal, p.address, p.lon, p.lat, train_m, predicted_price
FROM property p
  JOIN property_proximity USING (gnaf_pid)
  LEFT JOIN property_avm USING (gnaf_pid)
WHERE train_m <= 400
  AND NOT EXISTS (
    SELECT FROM property_risk r
    WHERE r.gnaf_pid = p.gnaf_pid AND r.layer LIKE 'flood%' AND r.on_property
  )
