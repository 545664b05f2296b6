// SPDX-License-Identifier: Apache-2.0
// The page's address, its picture and its words. frozen.json is appended to, never edited: its links are out in the world.
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import {
  FIRST,
  type Played,
  readAddress,
  SPEEDS,
  type State,
  toQuery,
} from '../../../src/features/how-it-works/address';
import { slidersOf } from '../../../src/features/how-it-works/controls';
import { CONVERGENCE_HEIGHT, convergenceOf, nowOn } from '../../../src/features/how-it-works/convergence';
import { apartWords, happeningWords, slowness } from '../../../src/features/how-it-works/messages';
import { PICTURE_HEIGHT, pictureOf } from '../../../src/features/how-it-works/picture';
import { PRESETS, START, settingsOf } from '../../../src/features/how-it-works/presets';
import { eventBeside } from '../../../src/features/how-it-works/Stage';
import { paceOf, receiverShow } from '../../../src/features/how-it-works/show';
import { type Parameters, SPACINGS } from '../../../src/features/how-it-works/simulation/parameters';
import { simulate } from '../../../src/features/how-it-works/simulation/simulate';
import { LETTER_PX } from '../../../src/plots/shapes';
import { generator, pick } from '../../random';
import { sheet } from '../../tokens';
import frozen from './frozen.json';

interface Frozen {
  readonly query: string;
  readonly means: unknown;
  readonly played?: Played;
}

const read = (query: string): State => readAddress(new URLSearchParams(query), catalogue);

function anyParameters(random: () => number): Parameters {
  const numbers = Object.fromEntries(
    slidersOf(catalogue).map(({ name, lo, hi, whole }) => {
      const value = lo + (hi - lo) * random();
      return [name, whole ? Math.round(value) : Number(value.toPrecision(6))];
    }),
  );
  return { ...START, ...numbers, spacing: pick(random, SPACINGS), seed: Math.floor(2 ** 32 * random()) };
}

describe('the address', () => {
  it.each(frozen as readonly Frozen[])('means what it meant: $query', ({ query, means, played }) => {
    const state = read(query);
    const { parameters, speed, at_us } = state;
    expect({ ...parameters, speed, at_us }).toEqual(means);
    expect(state.played).toEqual(played);
    expect(read(toQuery(state, catalogue))).toEqual(state);
  });

  it('gives every state back', () => {
    const random = generator(99);
    for (let k = 0; k < 200; k++) {
      const state = {
        parameters: anyParameters(random),
        speed: pick(random, SPEEDS),
        at_us: pick(random, [null, 12.5]),
      };
      expect(read(toQuery(state, catalogue))).toEqual(state);
    }
    expect(toQuery(FIRST, catalogue)).toBe('');
  });

  it.each([
    'mtu_bytes=1e9&seed=-1&spacing=sideways&speed=3&at_us=-1',
    'mtu_bytes=&delay_us=NaN&ring_descriptors=64.5&moderation_kind=9&at_us=Infinity',
    'mtu_bytes=1500;drop&napi_weight=1e999&seed=1.5&__proto__=1&constructor=2',
  ])('is not spoiled by what it cannot use: %s', (query) => {
    expect(read(query)).toEqual(FIRST);
    expect(read(`${query}&burst_packets=9`).parameters.burst_packets).toBe(9);
  });
});

describe('the picture', () => {
  const random = generator(7);
  const settings = [...PRESETS.map(settingsOf), ...Array.from({ length: 40 }, () => anyParameters(random))];
  it('is made of numbers, at every moment and width', () => {
    for (const parameters of settings) {
      const show = receiverShow(catalogue, parameters);
      const [line] = show.lines;
      expect(show.span_us).toBeGreaterThan(0);
      expect(paceOf(show)).toBeLessThan(show.span_us);
      for (const share of [0, 0.01, 0.5, 1])
        for (const width of [358, 1120]) {
          const picture = show.picture(share * show.until_us, width);
          expect(JSON.stringify(picture.shapes)).not.toMatch(/NaN|null|Infinity/);
        }
      const still = convergenceOf(show, line, 'Packets per interrupt', 400);
      expect(JSON.stringify([still.shapes, nowOn(still, line, 0, 400)])).not.toMatch(/NaN|null|Infinity/);
    }
  });

  it('is, in the middle of the first lesson, what it was', async () => {
    const show = receiverShow(catalogue, START);
    const [line] = show.lines;
    const still = convergenceOf({ ...show, until_us: 4000 }, line, 'Packets per interrupt', 560);
    for (const [name, height, shapes] of [
      ['timeline', PICTURE_HEIGHT, show.picture(230, 560).shapes],
      ['convergence', CONVERGENCE_HEIGHT, [...still.shapes, ...nowOn(still, line, 230, 560)]],
    ] as const) {
      const text = sheet(name, shapes, [560, height]);
      expect(text).not.toMatch(/NaN|Infinity|undefined/);
      await expect(text).toMatchFileSnapshot(`golden/${name}.svg`);
    }
  });

  it('says at every filled area of waiting packets and of work what its colour means', () => {
    const simulation = simulate(START, 1000);
    for (const width of [1120, 358]) {
      const { shapes } = pictureOf({ simulation, parameters: START, now_us: 240, width });
      const fills = (tag: string): Set<unknown> =>
        new Set(shapes.filter((s) => s.tag === tag).map(({ attributes }) => attributes.fill));
      const named = fills('rect');
      for (const fill of ['var(--mtu-2)', 'var(--cost-byte)', 'var(--cost-packet)', 'var(--cost-interrupt)'])
        expect([fill, fills('path').has(fill), named.has(fill)]).toEqual([fill, true, true]);
      const words = shapes.filter((s) => s.tag === 'text' && s.text?.endsWith('in the queue'));
      expect(words).toHaveLength(1);
      expect(Number(words[0].attributes.x) + (words[0].text ?? '').length * LETTER_PX.sentence).toBeLessThan(width);
    }
  });

  it('draws nothing that lies ahead', () => {
    const simulation = simulate(START, 1000);
    const words = pictureOf({ simulation, parameters: START, now_us: 5, width: 1120 }).shapes.map((s) => s.text);
    expect(words).toContain('none yet');
    const later = pictureOf({ simulation, parameters: START, now_us: 62, width: 1120 }).shapes.map((s) => s.text);
    expect(later).toContain('number 1 brought 5');
  });

  it('steps from event to event, and back', () => {
    const show = { events: simulate(START, 1000).happenings.map(({ t_us }) => ({ t_us, words: () => '' })) };
    let now = 0;
    const seen: number[] = [];
    for (let k = 0; k < 30; k++) {
      now = eventBeside(show, now, true) ?? now;
      seen.push(now);
    }
    expect(new Set(seen).size).toBe(30);
    expect(eventBeside(show, seen[29], false)).toBe(seen[28]);
    expect(eventBeside(show, 1000, true)).toBeNull();
    expect(eventBeside(show, 0, false)).toBeNull();
  });
});

describe('words', () => {
  it('say how slow it is', () => {
    expect(slowness(20)).toBe('1 s here is 20 µs there: 50\u2009000 times slower');
    expect(slowness(2.5)).toContain('2.5 µs');
    expect(slowness(1000)).toContain('1.0 ms');
  });
  it('say how far count and model are apart', () => {
    expect(apartWords(5, 5, '')).toBe('equal');
    expect(apartWords(5, 4, '')).toBe('+25.0 %');
    expect(apartWords(3.9, 4, '')).toBe('\u22122.5 %');
    expect(apartWords(98, 41, '%')).toBe('+57.0 points');
    expect(apartWords(Number.NaN, 4, '')).toBe('–');
    expect(apartWords(4, undefined, '')).toBe('–');
  });
  it('name each event', () => {
    const said = simulate(settingsOf(PRESETS[2]), 5000).happenings.map(happeningWords);
    expect(said[0]).toBe('Packet 1 is in the ring: 1 packet there');
    expect(said).toContain('Interrupt 1, for 1 packet');
    expect(said.some((words) => words.endsWith('is lost: no room'))).toBe(true);
  });
});
