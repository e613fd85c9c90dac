import { describe, expect, it } from 'vitest';
import { GeometryAudit } from '../../../pipelines/ingest/geometry_audit.ts';
import { zonePieceRecord } from '../../../schema/records/zone.ts';
import { encodePointWkb, encodeWkb } from '../../../transforms/geo/wkb.ts';
import { multiPolygon, rectangle } from '../../transforms/shapes.ts';

describe('the audit of stored shapes', () => {
  const row = (zone_id: string, geom: Uint8Array) => ({ cell: 7, zone_id, source_no: 1, geom });
  const good = encodeWkb(multiPolygon([[rectangle(0, 0, 4, 4)]]));
  const bad = encodeWkb(multiPolygon([[rectangle(0, 0, 4, 4), rectangle(0, 1, 2, 2)]]));

  it('accepts valid polygons and shapes of other kinds', () => {
    const audit = new GeometryAudit();
    audit.add(zonePieceRecord, [row('a', good), row('b', encodePointWkb({ coords: Float64Array.of(1, 1) }))]);
    expect(audit.notes()).toEqual([]);
  });

  it('names invalid shapes, with their place', () => {
    const audit = new GeometryAudit();
    audit.add(zonePieceRecord, [row('a', good), row('b', bad)]);
    expect(audit.notes()).toEqual([
      expect.stringMatching(
        /^1 of 2 checked shapes of zone_piece\.geom are invalid under the OGC rules: 7 b: rings cross or share an edge at \d \d\.$/,
      ),
    ]);
  });
});
