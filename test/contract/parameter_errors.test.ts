import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readParams } from '../../contract/answers/ask.ts';
import { propertyFinder } from '../../contract/finder/property_finder.ts';
import { avmOf } from '../../contract/geocode/by_address.ts';
import { geocodeAddress } from '../../contract/geocode/geocode_v1.ts';
import { amenitiesNearby } from '../../contract/property/amenities_nearby.ts';
import { publications } from '../../contract/service/service.ts';
import { suburbList } from '../../contract/suburb/suburb_list.ts';

const radius = (radius_m: unknown) => readParams(amenitiesNearby, { radius_m });
const finder = (query: Record<string, unknown>) => readParams(propertyFinder, { suburbs: 'X', ...query });

describe('errors of parameters', () => {
  it.each([
    [radius('99'), 'greater_than_equal', ['query', 'radius_m'], '99', { ge: 100 }],
    [radius('5001'), 'less_than_equal', ['query', 'radius_m'], '5001', { le: 5000 }],
    [radius('near'), 'int_parsing', ['query', 'radius_m'], 'near', undefined],
    [radius(''), 'int_parsing', ['query', 'radius_m'], '', undefined],
    [radius(' '), 'int_parsing', ['query', 'radius_m'], ' ', undefined],
    [radius('1e3'), 'int_parsing', ['query', 'radius_m'], '1e3', undefined],
    [radius('500.0'), 'int_parsing', ['query', 'radius_m'], '500.0', undefined],
    [finder({ limit: '' }), 'int_parsing', ['query', 'limit'], '', undefined],
    [finder({ max_price: '' }), 'float_parsing', ['query', 'max_price'], '', undefined],
    [readParams(publications, { before: '1e1' }), 'int_parsing', ['query', 'before'], '1e1', undefined],
    [readParams(suburbList, { state: 'XX' }), 'literal_error', ['query', 'state'], 'XX', expect.anything()],
    [radius(100.5), 'int_from_float', ['query', 'radius_m'], 100.5, undefined],
    [
      readParams(amenitiesNearby, { colour: 'red' }),
      'extra_forbidden',
      ['query', 'colour'],
      'red',
      undefined,
    ],
    [readParams(geocodeAddress, {}), 'missing', ['query', 'address'], null, undefined],
    [
      readParams(geocodeAddress, { address: 'x' }),
      'string_too_short',
      ['query', 'address'],
      'x',
      { min_length: 2 },
    ],
    [readParams(avmOf, {}, 'body'), 'missing', ['body', 'id'], null, undefined],
    [finder({ sort_by: 'colour' }), 'literal_error', ['query', 'sort_by'], 'colour', expect.anything()],
    [finder({ max_price: 'low' }), 'float_parsing', ['query', 'max_price'], 'low', undefined],
    [finder({ neighbors: 'perhaps' }), 'bool_parsing', ['query', 'neighbors'], 'perhaps', undefined],
  ])('%# is named as pydantic names it', (read, type, loc, input, ctx) => {
    const { detail } = read as Exclude<typeof read, { params: unknown }>;
    expect(detail).toHaveLength(1);
    expect(detail[0]).toMatchObject({ type, loc, input });
    expect(detail[0]!.ctx).toEqual(ctx);
    expect(detail[0]!.msg.length).toBeGreaterThan(5);
  });

  it('do not occur for a signed number, a float with an exponent, or other capitals', () => {
    expect(radius('+500')).toEqual({ params: { radius_m: 500 } });
    expect(finder({ max_price: '1e6' })).toMatchObject({ params: { max_price: 1e6 } });
    for (const state of ['vic', 'VIC', ' Vic '])
      expect(readParams(suburbList, { state })).toEqual({ params: { state: 'VIC' } });
    expect(z.toJSONSchema(suburbList.params, { io: 'output' })).toMatchObject({
      properties: { state: { enum: expect.arrayContaining(['NSW', 'VIC']) } },
    });
  });

  it('list every unknown parameter separately', () => {
    const read = readParams(amenitiesNearby, { a: '1', b: '2', radius_m: '1' });
    expect('detail' in read && read.detail.map(({ type }) => type).sort()).toEqual([
      'extra_forbidden',
      'extra_forbidden',
      'greater_than_equal',
    ]);
  });
});
