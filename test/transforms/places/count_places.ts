import { groupPoints } from '../../../transforms/geo/point_groups.ts';
import { NearbyPoints, type PointIndex } from '../../../transforms/geo/point_index.ts';

/** Side of the squares whose subjects share a search, metres. */
const GROUP_M = 100;

/**
 * Number of points within `within_m` metres by subject and category, at subject × categories + category; as nearestPlaces.
 * Only measured: what is served counts places when it is asked, for any radius.
 */
export function countPlaces(index: PointIndex, lonlat: Float64Array, within_m: number): Uint32Array {
  const { categories, xy } = index;
  const subjects = index.plane.project(lonlat);
  const counts = new Uint32Array((lonlat.length / 2) * categories);
  const gathered = new NearbyPoints(index);
  const limit = within_m * within_m;
  const { count: groups, order, starts, x, y, spread_m } = groupPoints(subjects, GROUP_M);
  for (let g = 0; g < groups; g++) {
    for (let category = 0; category < categories; category++) {
      const sure = gathered.between(category, x[g]!, y[g]!, within_m - spread_m[g]!, within_m + spread_m[g]!);
      const { at, count } = gathered;
      for (let m = starts[g]!; m < starts[g + 1]!; m++) {
        const subject = order[m]!;
        let n = sure;
        for (let k = 0; k < count; k++) {
          const dx = xy[at[k]! * 2]! - subjects[subject * 2]!;
          const dy = xy[at[k]! * 2 + 1]! - subjects[subject * 2 + 1]!;
          if (dx * dx + dy * dy <= limit) n++;
        }
        counts[subject * categories + category] = n;
      }
    }
  }
  return counts;
}
