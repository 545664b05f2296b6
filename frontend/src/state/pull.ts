// SPDX-License-Identifier: Apache-2.0
// Pulling the model's surface up or down at one place: which parameter does it, and how far it has to go.
import type { Binding } from './binding';
import { type Slider, trackOf } from './fit';
import { type Frames, prepare } from './prediction';

type Theta = Readonly<Record<string, number>>;

/** A parameter that moves the surface here, and by how much over its own ruler. */
interface Mover {
  readonly slider: Slider;
  /** What a hundredth of its ruler changes here, in hundredths of the ruler: always positive. */
  readonly reach: number;
}

export interface Pull {
  /** Those that move the surface here at all, the strongest first. */
  readonly movers: readonly Mover[];
  /** The value of a parameter at which the surface is at `target`, or as near as its bounds allow. */
  solve(slider: Slider, target: number, theta: Theta): number;
  value(theta: Theta): number;
}

const SAMPLES = 24;
const STEPS = 40;

/** How far a pull may take a parameter: a fit's ruler is short, so twice its length to either side; never out of the domain, and not below zero if the ruler is above. */
export function boundsOfPull(slider: Slider): readonly [number, number] {
  const { lo, hi, domain, interval } = slider;
  if (!interval) return [lo, hi];
  const room = 2 * (hi - lo);
  return [Math.max(domain[0], lo < 0 ? lo - room : Math.max(0, lo - room)), Math.min(domain[1], hi + room)];
}

const fromTrack = (s: Slider, u: number): number => (s.spacing === 'log' ? Math.exp(u) : u);

/** Half the largest difference to what lies a hundredth of the ruler above and below; steps of a stepped model are looked for further off. */
function reachOf(slider: Slider, theta: Theta, value: (theta: Theta) => number): number {
  const [a, b] = [slider.lo, slider.hi].map((v) => trackOf(slider, v));
  const now = trackOf(slider, theta[slider.name]);
  for (const share of [0.01, 0.1]) {
    const h = (b - a) * share;
    const at = (u: number): number => value({ ...theta, [slider.name]: fromTrack(slider, u) });
    const reach = Math.abs(at(Math.min(b, now + h)) - at(Math.max(a, now - h))) / (2 * share);
    if (Number.isFinite(reach) && reach > 0) return reach;
  }
  return 0;
}

/** The zero of f between a and b, where its signs differ: Illinois' regula falsi, which never leaves the bracket. */
function zeroBetween(f: (u: number) => number, a: number, b: number, fa: number, fb: number): number {
  let [x0, x1, y0, y1] = [a, b, fa, fb];
  for (let k = 0; k < STEPS && Math.abs(x1 - x0) > 1e-12 * Math.max(1, Math.abs(x1)); k++) {
    const x = x1 - (y1 * (x1 - x0)) / (y1 - y0);
    const y = f(x);
    if (y === 0 || !Number.isFinite(y)) return Number.isFinite(y) ? x : x1;
    if (y * y1 < 0) [x0, y0] = [x1, y1];
    else y0 /= 2;
    [x1, y1] = [x, y];
    if (Math.abs(y) < 1e-9 * (1 + Math.abs(fa) + Math.abs(fb))) break;
  }
  return x1;
}

/** The nearest place to `now` at which f is zero; if there is none, the one at which it is smallest. */
function nearestZero(f: (u: number) => number, a: number, b: number, now: number): number {
  const us = [...Array.from({ length: SAMPLES + 1 }, (_, k) => a + ((b - a) * k) / SAMPLES), now].sort((p, q) => p - q);
  const fs = us.map(f);
  let found: number | null = null;
  let least = now;
  let smallest = Number.POSITIVE_INFINITY;
  us.forEach((u, k) => {
    // of places that are equally good the nearest: a surface that no longer moves leaves the parameter where it is
    const size = Math.abs(fs[k]);
    if (size < smallest || (size === smallest && Math.abs(u - now) < Math.abs(least - now)))
      [smallest, least] = [size, u];
    if (k === 0 || !(fs[k - 1] * fs[k] < 0)) return;
    const zero = zeroBetween(f, us[k - 1], u, fs[k - 1], fs[k]);
    if (found === null || Math.abs(zero - now) < Math.abs(found - now)) found = zero;
  });
  return smallest === 0 || found === null ? least : found;
}

/** Null where no parameter moves the surface. */
export function pullAt(
  binding: Binding,
  sliders: readonly Slider[],
  theta: Theta,
  x: number,
  y: number,
  frames: Frames,
): Pull | null {
  const place = prepare(binding, [x], [y], frames);
  const value = (t: Theta): number => place.evaluate(binding.output, t)[0];
  if (!Number.isFinite(value(theta))) return null;
  const movers = sliders
    // a code has no way between its values
    .filter((slider) => slider.meanings.length === 0)
    .map((slider) => ({ slider, reach: reachOf(slider, theta, value) }))
    .filter(({ reach }) => reach > 0)
    .sort((a, b) => b.reach - a.reach);
  if (movers.length === 0) return null;
  return {
    movers,
    value,
    solve(slider, target, from) {
      const [lo, hi] = boundsOfPull(slider);
      const now = Math.max(lo, Math.min(hi, from[slider.name]));
      const f = (u: number): number => value({ ...from, [slider.name]: fromTrack(slider, u) }) - target;
      const u = nearestZero(f, trackOf(slider, lo), trackOf(slider, hi), trackOf(slider, now));
      return Number(Math.max(lo, Math.min(hi, fromTrack(slider, u))).toPrecision(6));
    },
  };
}
