import { finderMarketAsset } from '../../schema/assets/api.ts';
import { FINDER_DEFAULTS } from '../../schema/serving/finder_defaults.ts';
import { FINDER_FEATURES, type FinderFeature } from '../../schema/serving/finder_features.ts';
import { propertyTable } from '../../schema/serving/property.ts';
import { propertyAvmTable } from '../../schema/serving/property_avm.ts';
import { propertyBasicsTable } from '../../schema/serving/property_basics.ts';
import { propertyCoverageTable } from '../../schema/serving/property_coverage.ts';
import { propertyFinderTable } from '../../schema/serving/property_finder.ts';
import { propertyProfileTable } from '../../schema/serving/property_profile.ts';
import { propertyProximityTable } from '../../schema/serving/property_proximity.ts';
import { defaultScore, finderType, pricePerSqm, streetLine } from '../../transforms/finder_row.ts';
import { input } from '../engine/input.ts';
import { stage } from '../engine/stage.ts';
import { byPid } from './by_key.ts';

type Features = Record<FinderFeature, boolean>;

const NO_FEATURES = Object.fromEntries(FINDER_FEATURES.map((name) => [name, false])) as Features;

/** The features of a property; what nothing says is false. */
function featuresOf(basics: Partial<Record<FinderFeature, boolean | null>> | undefined): Features {
  if (basics === undefined) return NO_FEATURES;
  const features = { ...NO_FEATURES };
  for (const name of FINDER_FEATURES) features[name] = basics[name] ?? false;
  return features;
}

export const servePropertyFinderStage = stage({
  name: 'serve_property_finder',
  version: 4,
  doc: 'Rows of serving.property_finder: what other serving tables hold of a property, side by side.',
  subject: 'property',
  by: 'key',
  inputs: {
    property: input(propertyTable, [
      'gnaf_pid',
      'state',
      'sa2',
      'sa3',
      'sal',
      'address',
      'flat_number',
      'number_first',
      'number_last',
      'lot_number',
      'street',
      'postcode',
      'lon',
      'lat',
      'dwelling_type',
      'land_area_sqm',
    ]),
    profile: input(propertyProfileTable, ['gnaf_pid', 'sa4', 'gccsa', 'lga']),
    coverage: input(propertyCoverageTable, ['gnaf_pid', 'covered']),
    proximity: input(propertyProximityTable, [
      'gnaf_pid',
      'school_m',
      'public_housing_m',
      'supermarket_m',
      'park_m',
      'beach_m',
      'railway_m',
    ]),
    basics: input(propertyBasicsTable, [
      'gnaf_pid',
      'bedrooms',
      'bathrooms',
      'parking',
      'dwelling_type',
      'listing_date',
      ...FINDER_FEATURES,
    ]),
    avm: input(propertyAvmTable, ['gnaf_pid', 'predicted_price', 'rent_aud_pw', 'yield_percent']),
    market: input(finderMarketAsset, ['sal', 'market', 'growth_percent', 'growth_forecast_percent']),
  },
  output: propertyFinderTable,
  params: () => ({ FINDER_DEFAULTS, FINDER_FEATURES }),
  compute({ property, profile, coverage, proximity, basics, avm, market }, { cell, emit }) {
    const profiles = byPid(profile);
    const covered = byPid(coverage);
    const distances = byPid(proximity);
    const listings = byPid(basics);
    const estimates = byPid(avm);
    const growth = new Map(market.map((each) => [`${each.sal}|${each.market}`, each]));
    for (const row of property) {
      const { gnaf_pid, state, sa2, sa3, sal, address, postcode, lon, lat, land_area_sqm } = row;
      const { sa4, gccsa, lga } = profiles.get(gnaf_pid)!;
      const { school_m, public_housing_m, supermarket_m, park_m, beach_m, railway_m } =
        distances.get(gnaf_pid)!;
      const stated = listings.get(gnaf_pid);
      const estimate = estimates.get(gnaf_pid);
      const price = estimate?.predicted_price ?? null;
      const dwelling_type = stated?.dwelling_type ?? row.dwelling_type;
      const property_type = finderType(dwelling_type);
      const public_housing_covered = covered.get(gnaf_pid)!.covered.includes('public_housing');
      const trend = growth.get(`${sal}|${property_type}`);
      emit({
        gnaf_pid,
        cell,
        state,
        sa2,
        sa3,
        sa4,
        gccsa,
        lga,
        sal,
        address,
        street: streetLine(row),
        postcode,
        lon,
        lat,
        is_located: lon !== null,
        property_type,
        dwelling_type,
        beds: stated?.bedrooms ?? null,
        baths: stated?.bathrooms ?? null,
        cars: stated?.parking ?? null,
        land_area_sqm,
        listing_date: stated?.listing_date ?? null,
        price,
        price_per_sqm: pricePerSqm(price, land_area_sqm),
        rent_aud_pw: estimate?.rent_aud_pw ?? null,
        yield_percent: estimate?.yield_percent ?? null,
        growth_percent: trend?.growth_percent ?? null,
        growth_forecast_percent: trend?.growth_forecast_percent ?? null,
        school_m,
        public_housing_m,
        public_housing_covered,
        supermarket_m,
        park_m,
        beach_m,
        railway_m,
        ...featuresOf(stated),
        default_score: defaultScore({ lon, price, school_m, public_housing_m, public_housing_covered }),
      });
    }
    return { account: { in: property.length, out: property.length, drops: {} } };
  },
});
