/** A way as the ids of its nodes. */
export type NodeIds = Float64Array;

/**
 * Joins ways end to end into closed rings of node ids, in any direction and order; a closed way is a ring. Null: an end stays open. If
 * several ways meet at a node, the first in the list is taken.
 */
export function ringsOfWays(nodeLists: readonly NodeIds[]): number[][] | null {
  const rings: number[][] = [];
  const open: NodeIds[] = [];
  for (const wayNodes of nodeLists) {
    if (wayNodes.length < 2) continue;
    if (wayNodes[0] === wayNodes[wayNodes.length - 1]) rings.push([...wayNodes]);
    else open.push(wayNodes);
  }
  const at = endsOf(open);
  const used = new Uint8Array(open.length);
  for (let i = 0; i < open.length; i++) {
    if (used[i] === 1) continue;
    used[i] = 1;
    const ring = [...open[i]!];
    while (ring[0] !== ring[ring.length - 1]) {
      const end = ring[ring.length - 1]!;
      const next = at.get(end)!.find((way) => used[way] === 0);
      if (next === undefined) return null;
      used[next] = 1;
      append(ring, open[next]!, end);
    }
    rings.push(ring);
  }
  return rings.length === 0 ? null : rings;
}

function endsOf(nodeLists: readonly NodeIds[]): Map<number, number[]> {
  const at = new Map<number, number[]>();
  for (const [i, way] of nodeLists.entries()) {
    for (const id of [way[0]!, way[way.length - 1]!]) {
      const endings = at.get(id);
      if (endings === undefined) at.set(id, [i]);
      else endings.push(i);
    }
  }
  return at;
}

/** Adds the nodes of a way after the node that it shares with the end of the ring. */
function append(ring: number[], wayNodes: NodeIds, end: number): void {
  const forward = wayNodes[0] === end;
  for (let k = 1; k < wayNodes.length; k++)
    ring.push(forward ? wayNodes[k]! : wayNodes[wayNodes.length - 1 - k]!);
}
