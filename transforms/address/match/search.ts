import type { AddressIndex } from './address_index.ts';
import type { MatchHints } from './match_result.ts';
import { addInsideRange } from './number_rules.ts';
import type { AddressQuery } from './query.ts';
import { type AddressReading, readingsOf } from './readings.ts';
import { EXACT, type MatchPath, type Reason, step, typoCost } from './reasons.ts';
import { addFrom, type FoundStreet, isSameStreet, streetsNamed, streetsWithTypo } from './street_search.ts';
import { misspeltType, type StreetReading, streetReadings } from './street_words.ts';

/** A possible locality of a text. */
interface LocalityCandidate {
  readonly locality: number;
  readonly path: MatchPath;
}

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

/** Returns whether the hints have coordinates. */
const hasPoint = (hints: MatchHints): hints is MatchHints & { lon: number; lat: number } =>
  Number.isFinite(hints.lon) && Number.isFinite(hints.lat);

/** Returns the neighbours of the given localities. */
const nearBy = ({ all }: AddressIndex['localities'], of: Iterable<number>): Set<number> =>
  new Set([...of].flatMap((locality) => all[locality]!.near));

/** Maximum streets of a name to look at if no location is known. */
const ANYWHERE = 200;

/**
 * Searches for one text. For each reading: the street in the stated locality; if that has no such street, typos of the name there
 * and the exact name in bordering localities, which compete.
 */
export class AddressSearch {
  readonly #index: AddressIndex;
  readonly #query: AddressQuery;
  readonly #hints: MatchHints;
  /** Streets of other localities already looked at, with their cost. */
  readonly #searched = new Set<string>();

  constructor(index: AddressIndex, query: AddressQuery, hints: MatchHints) {
    this.#index = index;
    this.#query = query;
    this.#hints = hints;
  }

  /** Adds candidates to the query; returns the readings tried, likeliest first. */
  run(): AddressReading[] {
    const readings = readingsOf(this.#query.parsed, this.#index.localities);
    for (const reading of readings) this.#reading(reading);
    return readings;
  }

  #reading(reading: AddressReading): void {
    const streets = streetReadings(reading.street);
    const places = this.#places(reading);
    if (places.length === 0) {
      this.#anywhere(reading, streets);
      return;
    }
    this.#query.facts.locality = true;
    const statedPlaces = places.filter(({ path }) => !path.reasons.includes('locality_alias'));
    const others = places.filter(({ path }) => path.reasons.includes('locality_alias'));
    const streetsHere = statedPlaces.flatMap(({ locality, path }) =>
      streetsNamed(this.#index, streets, locality, path),
    );
    const same = streetsHere.filter(isSameStreet);
    if (same.length > 0) this.#query.facts.street = true;
    addFrom(this.#query, this.#index, streetsHere);
    for (const { locality, path } of others)
      this.#add(streetsNamed(this.#index, streets, locality, path), same);
    if (this.#isFound()) {
      if (this.#hasPostcodeConflict()) this.#byPostcode(streets, same);
      return;
    }
    if (!this.#query.facts.number)
      for (const { street, path } of same) addInsideRange(this.#query, this.#index, street, path);
    if (same.length === 0) this.#misspelt(reading, streets, places);
    this.#near(streets, places, same);
  }

  /** Returns whether an address was found whose path does not rule it out. */
  #isFound(): boolean {
    return this.#query.hits.some(({ path }) => path.cost < 0.2);
  }

  #hasPostcodeConflict(): boolean {
    const { addresses } = this.#index;
    const { parsed, postcode, hits } = this.#query;
    return parsed.postcode !== null && !hits.some(({ row }) => addresses.value('postcode', row) === postcode);
  }

  #places(reading: AddressReading): LocalityCandidate[] {
    const { localities } = this.#index;
    const { state, postcode } = this.#query.parsed;
    const { placeKey: key } = reading;
    if (key === null) return this.#unstatedPlaces(reading.path);
    const places = localities.named(key, state).map((locality) => ({ locality, path: reading.path }));
    const localityIds = new Set(places.map(({ locality }) => locality));
    for (const locality of localities.aliased(key, state))
      if (!localityIds.has(locality)) places.push({ locality, path: step(reading.path, 'locality_alias') });
    if (places.length > 0) return places;
    for (const { key: near, edits } of localities.similar(key, state))
      for (const locality of [...localities.named(near, state), ...localities.aliased(near, state)])
        places.push({
          locality,
          path: step(reading.path, 'locality_typo', typoCost(edits, key.length)),
        });
    if (places.length > 0 || postcode === null) return places;
    return localities
      .withPostcode(postcode, state)
      .map((locality) => ({ locality, path: step(reading.path, 'postcode_only') }));
  }

  /** Returns the localities if none is stated: by postcode, else around the coordinates. */
  #unstatedPlaces(path: MatchPath): LocalityCandidate[] {
    const { localities } = this.#index;
    const { state, postcode } = this.#query.parsed;
    if (postcode !== null)
      return localities
        .withPostcode(postcode, state)
        .map((locality) => ({ locality, path: step(path, 'no_suburb') }));
    if (!hasPoint(this.#hints)) return [];
    const { lon, lat } = this.#hints;
    return localities
      .around(lon, lat)
      .map((locality) => ({ locality, path: step(path, 'place_by_coordinates') }));
  }

  /**
   * Adds streets of another locality. If the stated one also has the street, a postcode of another locality must point there, and
   * the number must be outside its street's range.
   */
  #add(newStreets: readonly FoundStreet[], same: readonly FoundStreet[]): void {
    const { streets, localities } = this.#index;
    const { postcode } = this.#query.parsed;
    const certain = same.every(
      ({ street }) =>
        postcode !== null &&
        !localities.all[streets.localityOf(street)]!.postcodes.has(postcode) &&
        !streets.spans(street, this.#query.value),
    );
    for (const { street, path } of newStreets) {
      if (this.#searched.has(`${street} ${path.cost}`)) continue;
      this.#searched.add(`${street} ${path.cost}`);
      const crossingPath =
        same.length === 0 ? path : step(path, certain ? 'street_crosses_border' : 'neighbour_not_certain');
      addFrom(this.#query, this.#index, [{ street, path: crossingPath }]);
    }
  }

  #misspelt(
    reading: AddressReading,
    streets: readonly StreetReading[],
    places: readonly LocalityCandidate[],
  ): void {
    const type = misspeltType(reading.street);
    const all = type === null ? streets : [type, ...streets];
    for (const { locality, path } of places) {
      if (type !== null) addFrom(this.#query, this.#index, streetsNamed(this.#index, [type], locality, path));
      addFrom(this.#query, this.#index, streetsWithTypo(this.#index, all, locality, path));
    }
  }

  /**
   * Searches bordering localities if the stated one has no such street, or if the postcode is theirs. If another neighbour has a
   * street of that name that could contain the number, the result is uncertain.
   * Then searches the localities of a different postcode, else all within two borders, which the coordinates must confirm.
   */
  #near(
    streets: readonly StreetReading[],
    places: readonly LocalityCandidate[],
    same: readonly FoundStreet[],
  ): void {
    const { localities, addresses } = this.#index;
    const { postcode } = this.#query.parsed;
    const statedIds = new Set(places.map(({ locality }) => locality));
    const neighbourIds = new Set<number>();
    for (const { locality, path } of places) {
      if (path.reasons.length > 0) continue;
      for (const near of localities.all[locality]!.near) if (!statedIds.has(near)) neighbourIds.add(near);
    }
    const agrees = (near: number): boolean =>
      postcode === null ? same.length === 0 : localities.all[near]!.postcodes.has(postcode);
    const neighbourStreets = ascending(neighbourIds)
      .filter(agrees)
      .flatMap((near) => streetsNamed(this.#index, streets, near, step(EXACT, 'locality_neighbour')));
    const fitting = neighbourStreets.filter(isSameStreet);
    const has = ({ street }: FoundStreet): boolean =>
      addresses.withNumber(street, this.#query.first).length > 0;
    const rival = fitting.some(
      (each) => !has(each) && this.#index.streets.spans(each.street, this.#query.value),
    );
    this.#add(
      rival
        ? fitting.map(({ street, path }) => ({ street, path: step(path, 'neighbour_not_certain') }))
        : fitting,
      same,
    );
    if (this.#isFound() || this.#query.parsed.number_first === null || statedIds.size === 0) return;
    const isOwn =
      postcode === null || [...statedIds].some((at) => localities.all[at]!.postcodes.has(postcode));
    if (postcode !== null && same.length === 0) this.#byPostcodeAlone(streets, statedIds, neighbourIds);
    if (isOwn && !this.#isFound() && (same.length === 0 || hasPoint(this.#hints))) {
      const further = nearBy(localities, neighbourIds);
      for (const near of neighbourIds) if (!agrees(near)) further.add(near);
      for (const near of [...statedIds, ...[...neighbourIds].filter(agrees)]) further.delete(near);
      this.#add(this.#namedIn(streets, further, 'locality_further'), []);
    }
  }

  /** Returns the same streets in other localities. */
  #namedIn(streets: readonly StreetReading[], localities: Iterable<number>, reason: Reason): FoundStreet[] {
    const path = step(EXACT, reason);
    return ascending(localities).flatMap((locality) =>
      streetsNamed(this.#index, streets, locality, path).filter(isSameStreet),
    );
  }

  /** Returns whether a street has the number or could contain it. */
  #mayHold({ street }: FoundStreet): boolean {
    const { addresses, streets } = this.#index;
    const { first, value } = this.#query;
    return addresses.withNumber(street, first).length > 0 || streets.spans(street, value);
  }

  /**
   * Searches the localities of the postcode if neither the stated suburb nor its neighbours can have the address. Only used if
   * exactly one street is found.
   */
  #byPostcodeAlone(
    streets: readonly StreetReading[],
    statedIds: ReadonlySet<number>,
    nearbyIds: ReadonlySet<number>,
  ): void {
    const { localities } = this.#index;
    const { postcode, state } = this.#query.parsed;
    const streetsIn = (at: Iterable<number>) =>
      this.#namedIn(streets, at, 'locality_by_postcode').filter((each) => this.#mayHold(each));
    if (streetsIn(nearBy(localities, statedIds)).length > 0) return;
    const further = new Set(localities.withPostcode(postcode!, state));
    for (const near of [...statedIds, ...nearbyIds]) further.delete(near);
    const furtherStreets = streetsIn(further);
    if (furtherStreets.length === 1) this.#add(furtherStreets, []);
  }

  /** Searches by a postcode that differs from the addresses found: it may be right and the suburb wrong. */
  #byPostcode(streets: readonly StreetReading[], same: readonly FoundStreet[]): void {
    const { postcode, state } = this.#query.parsed;
    for (const locality of this.#index.localities.withPostcode(postcode!, state)) {
      const path = step(EXACT, 'locality_neighbour');
      const likelyStreets = streetsNamed(this.#index, streets, locality, path).filter(
        ({ street }) => !same.some((each) => each.street === street),
      );
      addFrom(this.#query, this.#index, likelyStreets.filter(isSameStreet));
    }
  }

  /** Searches the whole index if no location is known: it gives candidates, never a match. A stated but unknown locality gives none. */
  #anywhere(reading: AddressReading, streets: readonly StreetReading[]): void {
    if (reading.placeKey !== null) return;
    for (const { key, types } of streets) {
      const name = this.#index.streets.names.find(key);
      if (name < 0) continue;
      for (const entry of this.#index.streets.entriesAnywhere(name, ANYWHERE)) {
        const type = this.#index.streets.types.text(this.#index.streets.typeOf(entry));
        if (types !== null && !types.includes(type)) continue;
        const { state } = this.#query.parsed;
        const street = this.#index.streets.streetOf(entry);
        const streetLocality = this.#index.localities.all[this.#index.streets.localityOf(street)]!;
        if (state !== null && streetLocality.state !== state) continue;
        addFrom(this.#query, this.#index, [{ street, path: step(EXACT, 'no_locality') }]);
      }
    }
  }
}
