// SPDX-License-Identifier: Apache-2.0
// A surface over a plane seen from aside: parallel projection, facets from the far side to the near one, and what hides behind them.
// Coordinates: u and v across the floor, h up, each 0 to 1 within the box.

interface Box3 {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Lengths of the box's edges: wider than deep, deeper than high. */
const SIZE = { u: 1.7, v: 1.15, h: 0.85 } as const;

export interface Camera {
  x(u: number, v: number): number;
  y(u: number, v: number, h: number): number;
  /** Grows away from the reader. */
  depth(u: number, v: number): number;
  /** Which ends of the floor are the far ones. */
  readonly farU: 0 | 1;
  readonly farV: 0 | 1;
  /** Steps over the floor towards the reader, and how much the line of sight rises on each. */
  readonly towards: { readonly u: number; readonly v: number; readonly h: number };
}

export function cameraOf(turn: { readonly round: number; readonly above: number }, box: Box3): Camera {
  const [a, t] = [(turn.round * Math.PI) / 180, (turn.above * Math.PI) / 180];
  const [sa, ca, st, ct] = [Math.sin(a), Math.cos(a), Math.sin(t), Math.cos(t)];
  // room for every turn round, so that turning does not zoom; stretched to fill it both ways, which is how a lower box looks from further down
  const diagonal = Math.hypot(SIZE.u, SIZE.v);
  const [wide, high] = [box.width / diagonal, box.height / (SIZE.h * ct + diagonal * st)];
  const [cx, cy] = [box.left + box.width / 2, box.top + box.height / 2];
  const across = (u: number): number => (u - 0.5) * SIZE.u;
  const deep = (v: number): number => (v - 0.5) * SIZE.v;
  const depth = (u: number, v: number): number => across(u) * sa + deep(v) * ca;
  return {
    x: (u, v) => cx + wide * (across(u) * ca - deep(v) * sa),
    y: (u, v, h) => cy - high * ((h - 0.5) * SIZE.h * ct + depth(u, v) * st),
    depth,
    farU: sa > 0 ? 1 : 0,
    farV: ca > 0 ? 1 : 0,
    towards: { u: -sa / SIZE.u, v: -ca / SIZE.v, h: Math.tan(t) / SIZE.h },
  };
}

/** Heights over a grid: h[j * us.length + i]; a gap is NaN. `level` is what the colour and the contours go by. */
export interface Relief {
  readonly us: Float64Array;
  readonly vs: Float64Array;
  readonly h: Float64Array;
  readonly level: Float64Array;
}

function cellOf(at: Float64Array, value: number): number {
  let k = 0;
  while (k < at.length - 2 && at[k + 1] < value) k++;
  return k;
}

/** The surface at a place of the floor; NaN beyond it. */
export function heightAt({ us, vs, h }: Relief, u: number, v: number): number {
  const nx = us.length;
  const room = 1e-9;
  if (!(u >= us[0] - room && u <= us[nx - 1] + room && v >= vs[0] - room && v <= vs[vs.length - 1] + room))
    return Number.NaN;
  const [i, j] = [cellOf(us, u), cellOf(vs, v)];
  const [s, t] = [(u - us[i]) / (us[i + 1] - us[i]), (v - vs[j]) / (vs[j + 1] - vs[j])];
  const at = j * nx + i;
  return (1 - t) * ((1 - s) * h[at] + s * h[at + 1]) + t * ((1 - s) * h[at + nx] + s * h[at + nx + 1]);
}

const STRIDE = 0.02;

/** Whether the surface stands between a point and the reader. */
export function isHidden(relief: Relief, { towards }: Camera, u: number, v: number, h: number): boolean {
  for (let k = 1; k < 120; k++) {
    const d = k * STRIDE;
    const at = h + towards.h * d;
    if (at > 1.05) return false;
    const [x, y] = [u + towards.u * d, v + towards.v * d];
    if (x < 0 || x > 1 || y < 0 || y > 1) return false;
    if (heightAt(relief, x, y) > at + 0.004) return true;
  }
  return false;
}

/** Takes the surface piece by piece, the far ones first. */
export interface Pen {
  facet(
    ax: number,
    ay: number,
    bx: number,
    by: number,
    cx: number,
    cy: number,
    dx: number,
    dy: number,
    level: number,
    beyond: boolean,
  ): void;
  contour(ax: number, ay: number, bx: number, by: number, level: number): void;
  /** Along a setting. */
  edge(ax: number, ay: number, bx: number, by: number, level: number): void;
}

export interface Marks {
  readonly contours: readonly number[];
  /** Grid lines that are settings. */
  readonly columns: ReadonlySet<number>;
  readonly rows: ReadonlySet<number>;
  /** The part of the floor that is known, from and to; outside of it the surface is beyond. */
  readonly known: { readonly u: readonly [number, number]; readonly v: readonly [number, number] };
}

/** Corners of a facet, used again and again. */
const px = new Float64Array(4);
const py = new Float64Array(4);
const pl = new Float64Array(4);

/** The pieces of contours on the facet, by linear interpolation along its edges. */
function facetContours(contours: readonly number[], pen: Pen): void {
  const lo = Math.min(pl[0], pl[1], pl[2], pl[3]);
  const hi = Math.max(pl[0], pl[1], pl[2], pl[3]);
  for (const level of contours) {
    if (!(lo < level && hi >= level)) continue;
    let open = false;
    let [x, y] = [0, 0];
    for (let k = 0; k < 4; k++) {
      const [a, b] = [pl[k], pl[(k + 1) % 4]];
      if (a < level === b < level) continue;
      const s = (level - a) / (b - a);
      const [cx, cy] = [px[k] + s * (px[(k + 1) % 4] - px[k]), py[k] + s * (py[(k + 1) % 4] - py[k])];
      if (open) pen.contour(x, y, cx, cy, level);
      [x, y, open] = [cx, cy, !open];
    }
  }
}

export function drawRelief(relief: Relief, camera: Camera, marks: Marks, pen: Pen): void {
  const { us, vs, h, level } = relief;
  const [nx, ny] = [us.length, vs.length];
  const [[u0, u1], [v0, v1]] = [marks.known.u, marks.known.v];
  for (let b = 0; b < ny - 1; b++) {
    const j = camera.farV === 1 ? ny - 2 - b : b;
    for (let a = 0; a < nx - 1; a++) {
      const i = camera.farU === 1 ? nx - 2 - a : a;
      let sum = 0;
      for (let k = 0; k < 4; k++) {
        const [ci, cj] = [i + (k === 1 || k === 2 ? 1 : 0), j + (k > 1 ? 1 : 0)];
        const at = cj * nx + ci;
        px[k] = camera.x(us[ci], vs[cj]);
        py[k] = camera.y(us[ci], vs[cj], h[at]);
        pl[k] = level[at];
        sum += level[at];
      }
      // a gap in a corner leaves the facet open
      if (!Number.isFinite(sum)) continue;
      const [u, v] = [(us[i] + us[i + 1]) / 2, (vs[j] + vs[j + 1]) / 2];
      const beyond = u < u0 || u > u1 || v < v0 || v > v1;
      pen.facet(px[0], py[0], px[1], py[1], px[2], py[2], px[3], py[3], sum / 4, beyond);
      facetContours(marks.contours, pen);
      if (marks.columns.has(i)) pen.edge(px[0], py[0], px[3], py[3], sum / 4);
      if (marks.columns.has(i + 1)) pen.edge(px[1], py[1], px[2], py[2], sum / 4);
      if (marks.rows.has(j)) pen.edge(px[0], py[0], px[1], py[1], sum / 4);
      if (marks.rows.has(j + 1)) pen.edge(px[3], py[3], px[2], py[2], sum / 4);
    }
  }
}

/** Grid lines through every setting, and between them so close that no gap is wider than `step`; `from` and `to` are the ends. */
export function meshLines(
  settings: readonly number[],
  from: number,
  to: number,
  step: number,
): { readonly at: Float64Array; readonly marked: ReadonlySet<number> } {
  const rising = [...new Set([from, ...settings.filter((s) => s > from && s < to), to])].sort((a, b) => a - b);
  const at: number[] = [];
  const marked = new Set<number>();
  rising.forEach((v, k) => {
    if (settings.includes(v)) marked.add(at.length);
    at.push(v);
    const next = rising[k + 1];
    if (next === undefined) return;
    const n = Math.max(1, Math.ceil((next - v) / step));
    for (let i = 1; i < n; i++) at.push(v + ((next - v) * i) / n);
  });
  return { at: Float64Array.from(at), marked };
}
