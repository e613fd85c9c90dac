import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../../sources/formats/vector/feature_shape.ts';
import type { OsmObject } from '../../../sources/places/osm/osm_object.ts';
import { OsmPlaces } from '../../../sources/places/osm/osm_places.ts';
import { TagRules } from '../../../sources/places/osm/tag_rules.ts';
import { RowTally } from '../../../sources/tally.ts';
import { square } from './osm_reading.ts';

const PARK = { leisure: 'park', name: 'Ring Park' };
const object = (no: number, tags: Record<string, string>, over: Partial<OsmObject> = {}): OsmObject => ({
  no,
  id: `way/${no}`,
  tags,
  shape: () => shapeOf('polygon', Float64Array.from(square(145, -37.8, 0.01).flat()), [5]),
  ...over,
});

describe('ways of a relation', () => {
  it.each([
    [PARK, []],
    [{ leisure: 'park' }, ['way/2']],
    [{ leisure: 'playground', name: 'Ring Park' }, ['way/2']],
    [{ leisure: 'playground', name: 'Inner' }, ['way/2']],
  ])('on a hole with the tags %j', (tags, kept) => {
    const tally = new RowTally('a.pbf', 'place');
    const places = new OsmPlaces(new TagRules(), tally, 'x');
    const relation = object(1, PARK, { id: 'relation/1', parts: ['way/3'], holes: ['way/2'] });
    expect(places.take(relation)).toHaveLength(1);
    expect(places.take(object(2, tags)).map(({ place_id }) => place_id)).toEqual(
      kept.map((id) => `osm:${id}`),
    );
    // the outline is the relation, whatever its name
    expect(places.take(object(3, { leisure: 'park', name: 'Outline' }))).toEqual([]);
  });
});

describe('an object that is rejected', () => {
  const rejectOf = (tags: Record<string, string>, over: Partial<OsmObject> = {}) => {
    const tally = new RowTally('a.pbf', 'place');
    new OsmPlaces(new TagRules(), tally, 'x').take(object(1, { ...PARK, ...tags }, over));
    return tally.takeRejects()[0];
  };

  it.each([
    [{ 'addr:suburb': 'Kew' }, { state: null, postcode: null, suburb: 'KEW' }],
    [
      { 'addr:postcode': '3101', 'addr:state': 'VIC' },
      { state: 'VIC', postcode: '3101', suburb: null },
    ],
    [{ 'addr:state': 'VIC' }, undefined],
    [{}, undefined],
  ])('without a shape and with the tags %j names the area %j', (tags, area) => {
    const reject = rejectOf(tags, { shape: () => ({ kind: 'none' }) });
    expect(reject).toMatchObject({ code: 'no_geometry' });
    expect(reject!.area).toEqual(area);
  });
});
