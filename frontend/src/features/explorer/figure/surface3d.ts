// SPDX-License-Identifier: Apache-2.0
// The surface seen from aside, as figure 14 of the founding paper: cells on their stems, contours, the crosshair on the surface.
import { type Ink, inkAt, paintRelief } from '../../../layers/surface3d';
import { decimal } from '../../../plots/number';
import { AXIS, circle, HALO, LIVE, line, mark, moving, path, type Shape, text } from '../../../plots/shapes';
import {
  type Camera,
  drawRelief,
  heightAt,
  isHidden,
  meshLines,
  type Pen,
  type Relief,
} from '../../../plots/surface3d';
import { tide } from '../../../plots/tide';
import type { Point } from '../../../state/layout';
import { type Prepared, prepare } from '../../../state/prediction';
import { boxShapes, cameraFor, type Places, placesOf } from './box3d';
import { type Frame, fraction } from './frame';
import { colourOf, hullOf, isDense } from './heat';
import type { Sampler } from './live';
import { canvasRoom, type MainChart, type MainChartScene } from './mainChart';
import { titleWithUnit } from './messages';

const STEP = { u: 1 / 44, v: 1 / 30 } as const;

interface Mesh {
  readonly relief: Relief;
  readonly columns: ReadonlySet<number>;
  readonly rows: ReadonlySet<number>;
  readonly prepared: Prepared | null;
  key: string;
}

const meshes = new WeakMap<Sampler, Mesh>();

function meshOf({ view, frame, sampler, live }: MainChartScene): Mesh | null {
  const known = meshes.get(sampler);
  if (known) return known;
  const { x, y } = view.layout;
  const { heat, left, plotWidth } = frame;
  if (!x || !y || !heat || !frame.y || view.mode === 'cells' || view.mode === 'blank') return null;
  const places = placesOf(frame);
  const across = x.levels.map(places.u);
  const upward = y.levels.map(places.v);
  const ends = (at: readonly number[]): [number, number] => (view.measured ? [at[0], at[at.length - 1]] : [0, 1]);
  const columns = meshLines(across, ...ends(across), STEP.u);
  const rows = meshLines(upward, ...ends(upward), STEP.v);
  const xs = Float64Array.from(columns.at, (u) => frame.x.invert(left + u * plotWidth));
  const ys = Float64Array.from(rows.at, (v) => (frame.y as Frame['x']).invert(heat.top + (1 - v) * heat.height));
  const n = xs.length * ys.length;
  const relief: Relief = { us: columns.at, vs: rows.at, h: new Float64Array(n), level: new Float64Array(n) };
  const prepared = view.binding ? prepare(view.binding, xs, ys, live.state.frames) : null;
  const mesh: Mesh = { relief, columns: columns.marked, rows: rows.marked, prepared, key: prepared ? '' : 'still' };
  if (!prepared)
    raise(mesh, view.field?.fill(xs, ys, new Float64Array(n)) ?? new Float64Array(n).fill(Number.NaN), frame);
  meshes.set(sampler, mesh);
  return mesh;
}

/** Values to heights and colours. */
function raise({ relief }: Mesh, z: Float64Array, frame: Frame): void {
  const { h } = placesOf(frame);
  for (let k = 0; k < z.length; k++) {
    relief.h[k] = Math.max(0, Math.min(1.1, h(z[k])));
    relief.level[k] = fraction(z[k], frame);
  }
}

/** The mesh with the model's values at the sliders as they stand. */
function standing(scene: MainChartScene): Mesh | null {
  const mesh = meshOf(scene);
  const { binding } = scene.view;
  if (!mesh?.prepared || !binding) return mesh;
  const key = JSON.stringify(scene.live.theta);
  if (key !== mesh.key) {
    mesh.key = key;
    raise(mesh, mesh.prepared.evaluate(binding.output, scene.live.theta), scene.frame);
  }
  return mesh;
}

/** Along an edge of the floor; all of it where nothing bounds what is known. */
const spanOf = (span: readonly [number, number] | null | undefined, at: (value: number) => number): [number, number] =>
  span ? [at(span[0]), at(span[1])] : [0, 1];

function drawn(scene: MainChartScene, mesh: Mesh, pen: Pen): void {
  const { view, frame } = scene;
  const contours = view.contours.map((c) => fraction(c, frame));
  const { u, v } = placesOf(frame);
  const hull = hullOf(view);
  const known = { u: spanOf(hull?.x, u), v: spanOf(hull?.y, v) };
  drawRelief(mesh.relief, cameraFor(scene), { contours, columns: mesh.columns, rows: mesh.rows, known }, pen);
}

// ---- cells and crosshair -----------------------------------------------------------------------------------------------

function cellShapes(scene: MainChartScene, camera: Camera, places: Places, relief: Relief | null): Shape[] {
  const { view, frame } = scene;
  const kind = view.kind ?? 'measured';
  const r = frame.phone ? 2.75 : 3.75;
  // a forest of stems hides the surface that they stand on
  if (relief && isDense(view, frame)) return [];
  const nearLast = (a: Point, b: Point): number =>
    camera.depth(places.u(b.x), places.v(b.y)) - camera.depth(places.u(a.x), places.v(a.y));
  return [...view.points].sort(nearLast).flatMap((p): Shape[] => {
    const [u, v, h] = [places.u(p.x), places.v(p.y), places.h(p.mean)];
    const ground = relief ? heightAt(relief, u, v) : Number.NaN;
    const foot = Number.isFinite(ground) ? ground : 0;
    const X = camera.x(u, v);
    const [Y, Y0] = [camera.y(u, v, h), camera.y(u, v, foot)];
    const hidden = relief !== null && (h < foot - 0.004 || isHidden(relief, camera, u, v, h + 0.006));
    const faint: Record<string, number> = hidden ? { opacity: 0.55 } : {};
    const out: Shape[] = [];
    if (p.half !== null) {
      const dashes: Record<string, string> = p.from === 'residuals' ? { 'stroke-dasharray': '2 1.5' } : {};
      const [a, b] = [camera.y(u, v, places.h(p.mean + p.half)), camera.y(u, v, places.h(p.mean - p.half))];
      out.push(line(X, a, X, b, { stroke: 'var(--ground)', 'stroke-width': 3, 'stroke-opacity': 0.6, ...faint }));
      out.push(line(X, a, X, b, { stroke: 'var(--ink)', 'stroke-width': 1, ...dashes, ...faint }));
    }
    if (Math.abs(Y - Y0) > 0.5) {
      out.push(line(X, Y0, X, Y, { stroke: 'var(--ground)', 'stroke-width': 4, 'stroke-opacity': 0.7, ...faint }));
      out.push(line(X, Y0, X, Y, { stroke: 'var(--ink)', 'stroke-width': relief ? 2 : 1, ...faint }));
      out.push(circle(X, Y0, 1.5, { fill: 'var(--ink)', ...faint }));
    }
    out.push(mark(kind, X, Y, r + 1.25, { fill: 'var(--on-dark)', ...faint }));
    out.push(
      mark(kind, X, Y, r, { fill: colourOf(p.mean, frame), stroke: 'var(--on-bright)', 'stroke-width': 1, ...faint }),
    );
    return out;
  });
}

/** A line over the surface in two paths: what is seen, and what lies behind. */
function overSurface(
  relief: Relief,
  camera: Camera,
  at: (t: number) => readonly [number, number],
  ts: Float64Array,
): { seen: string; hidden: string } {
  const paths = { seen: '', hidden: '' };
  let last: { where: 'seen' | 'hidden'; spot: string } | null = null;
  for (const t of ts) {
    const [u, v] = at(t);
    const h = heightAt(relief, u, v);
    if (!Number.isFinite(h)) {
      last = null;
      continue;
    }
    const where = isHidden(relief, camera, u, v, h + 0.012) ? 'hidden' : 'seen';
    const spot: string = `${camera.x(u, v).toFixed(1)} ${camera.y(u, v, h).toFixed(1)}`;
    paths[where] += last?.where === where ? `L${spot}` : `M${last?.spot ?? spot}L${spot}`;
    last = { where, spot };
  }
  return paths;
}

function needleShapes(scene: MainChartScene, camera: Camera, places: Places, relief: Relief | null): Shape[] {
  const { view, frame, live } = scene;
  const { x, y } = live.state;
  if (x === null || y === null) return [];
  const [u, v] = [places.u(x), places.v(y)];
  const on = Number.isFinite(live.place.value) ? Math.max(0, Math.min(1.1, places.h(live.place.value))) : 0;
  const at = (a: number, b: number, h: number): string =>
    `${camera.x(a, b).toFixed(1)} ${camera.y(a, b, h).toFixed(1)}`;
  const red = { stroke: 'var(--crosshair)', 'stroke-width': 1.25 };
  const out: Shape[] = [
    path(`M${at(u, 0, 0)}L${at(u, 1, 0)}M${at(0, v, 0)}L${at(1, v, 0)}`, { ...red, 'stroke-opacity': 0.45 }),
  ];
  if (relief) {
    const along = overSurface(relief, camera, (t) => [t, v], relief.us);
    const across = overSurface(relief, camera, (t) => [u, t], relief.vs);
    out.push(path(along.hidden + across.hidden, { ...red, 'stroke-opacity': 0.3, 'stroke-dasharray': '2 3' }));
    out.push(path(along.seen + across.seen, { ...red, 'stroke-width': 1.75 }));
  }
  out.push(path(`M${at(u, v, 0)}L${at(u, v, on)}`, { ...red, 'stroke-dasharray': '2 2' }));
  const [X, Y] = [camera.x(u, v), camera.y(u, v, on)];
  out.push(circle(X, Y, 9, { fill: 'none', stroke: 'var(--on-dark)', 'stroke-width': 4, 'stroke-opacity': 0.75 }));
  out.push(circle(X, Y, 9, { fill: 'none', stroke: 'var(--crosshair)', 'stroke-width': 2 }));
  if (Number.isFinite(live.place.value))
    out.push(moving(X + 14, Y - 10, decimal(live.place.value, frame.valueDigits), { ...LIVE, ...HALO }));
  out.push(
    text(0, (frame.heat?.top ?? 0) - 12, titleWithUnit(view.measure), { ...AXIS, 'data-quantity': view.measure.name }),
  );
  return out;
}

export const relief: MainChart = {
  shapes(scene) {
    const camera = cameraFor(scene);
    const places = placesOf(scene.frame);
    const mesh = standing(scene);
    const { back, axes } = boxShapes(scene, camera, places);
    return {
      behind: back,
      under: [],
      areas: [],
      hairs: [],
      cells: cellShapes(scene, camera, places, mesh?.relief ?? null),
      crosshair: [...axes, ...needleShapes(scene, camera, places, mesh?.relief ?? null)],
    };
  },
  marks(scene) {
    const [camera, { u, v, h }] = [cameraFor(scene), placesOf(scene.frame)];
    return scene.view.points.map((p) => [p, camera.x(u(p.x), v(p.y)), camera.y(u(p.x), v(p.y), h(p.mean))]);
  },
  paint(scene, canvas) {
    const mesh = standing(scene);
    const room = canvasRoom('3d', scene.frame);
    if (!room) return;
    paintRelief(canvas, room, (pen) => mesh && drawn(scene, mesh, pen));
  },
  painted(scene) {
    const mesh = standing(scene);
    const out: Shape[] = [];
    if (!mesh) return out;
    const r = (v: number): number => Math.round(v * 10) / 10;
    // facets of one colour that follow each other share a path
    let run = { colour: '', beyond: false, d: '' };
    const close = (): void => {
      if (run.d) out.push(path(run.d, { fill: run.colour, stroke: run.colour, 'stroke-width': 0.7 }));
      if (run.d && run.beyond) out.push(path(run.d, { fill: 'url(#hatch)' }));
      run = { colour: '', beyond: false, d: '' };
    };
    const stroke = (ax: number, ay: number, bx: number, by: number, ink: Ink): void => {
      close();
      out.push(path(`M${r(ax)} ${r(ay)}L${r(bx)} ${r(by)}`, { stroke: ink.colour, 'stroke-opacity': ink.opacity }));
    };
    drawn(scene, mesh, {
      facet(ax, ay, bx, by, cx, cy, dx, dy, level, beyond) {
        // 64 steps: a file need not tell what the eye cannot
        const colour = tide(Math.round(level * 63) / 63);
        if (colour !== run.colour || beyond !== run.beyond) close();
        run.colour = colour;
        run.beyond = beyond;
        run.d += `M${r(ax)} ${r(ay)}L${r(bx)} ${r(by)}L${r(cx)} ${r(cy)}L${r(dx)} ${r(dy)}Z`;
      },
      contour: (ax, ay, bx, by, level) => stroke(ax, ay, bx, by, inkAt(level).contour),
      edge: (ax, ay, bx, by, level) => stroke(ax, ay, bx, by, inkAt(level).edge),
    });
    close();
    return out;
  },
};
