import { z } from 'zod';
import { coveredText } from '../../transforms/hazards/risk_value.ts';
import { whyNone } from '../answers/coverage.ts';
import { type NoParams, noParams, ofProperty } from '../answers/operation.ts';

/** Specification, section 2.2: ZoningOverlay. */
export const zoningOverlaysPayload = z.array(z.strictObject({ layer: z.string(), value: z.string() }));

/** development/zoning-overlays: every overlay on the parcel, largest share first. */
export const zoningOverlays = ofProperty<z.infer<typeof zoningOverlaysPayload>, NoParams>({
  subpath: 'development/zoning-overlays',
  price_cents: 5,
  tool: {
    title: 'Planning overlays',
    use: 'Use properties_development_zoning_code instead for the zone, and properties_risks_all for hazards.',
  },
  doc: 'Every overlay on the parcel, largest share first.',
  noun: 'zoning_overlays',
  payload: zoningOverlaysPayload,
  params: noParams,
  async query(db, gnafId) {
    const data = await db
      .selectFrom('serving.property_overlay')
      .select(['layer', 'value'])
      .where('gnaf_pid', '=', gnafId)
      .orderBy('share', (order) => order.desc().nullsLast())
      .orderBy('layer')
      .orderBy('value')
      .orderBy('overlay_id')
      .execute();
    if (data.length > 0) return { data };
    return { no_data: await whyNone(db, gnafId, 'overlay') };
  },
});

/** Describes how much of a property an overlay or zone covers, by the share of the parcel. Null: determined at the point. */
export const coverOf = (share: number | null): string =>
  share === null ? 'at its point' : coveredText(share).replace(/^covers /, '');
