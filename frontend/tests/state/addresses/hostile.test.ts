// SPDX-License-Identifier: Apache-2.0
// A thousand addresses that nobody's page made: none breaks the picture, and what was read reads the same again.
import { expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import { slicesOf } from '../../../src/state/dataSlice';
import type { ViewSchema } from '../../../src/state/explorer';
import { FIELDS, fromQuery, toQuery } from '../../../src/state/link';
import { viewOf } from '../../../src/state/view';
import { generator, pick } from '../../random';
import { subjectOf, termsFor } from './subjects';

const VALUES = [
  '',
  ' ',
  'none',
  'nan',
  'NaN',
  '-0',
  '1e999',
  '-1e308',
  '5e-324',
  '0x10',
  '1_000',
  '１５００',
  '1500,1500,,3000',
  ',,,',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  "'; DROP TABLE cells; --",
  '{{7*7}}',
  '%',
  '%E0%A4',
  '%6Eone',
  '\u0000',
  '\u202e1500',
  '\ud800',
  '𝛼',
  '\\frac{1}{0}',
  'import os; os.system("id")',
  'a'.repeat(5000),
  '9'.repeat(400),
  'Fit*alpha:1,beta:1,gamma:1',
  '*',
  '180,86',
  'log',
  'linear',
  '3d',
  'model',
  'cells',
  'ols',
  'open',
  'trade',
  'cpu:1.5,latency:0',
  'cpu:-0',
  'latency_us:500',
  'latency_us:500:1,:',
  'eth0; reboot',
  '$(reboot)',
];
const NAMES = [...FIELDS.flatMap((each) => each.names), 'v'];
const MORE = ['theme', '', '__proto__', 'hasOwnProperty', 'α'];

/** Names and values that mean something, mixed with those that mean nothing or harm. */
function hostileQuery(schema: ViewSchema, random: () => number): string {
  const factors = schema.factors.map((f) => f.name);
  const levels = schema.factors.flatMap((f) => f.levels.map(String));
  const sliders = ['alpha', 'gamma', 'rtt_min_us', 'link_rate_mbps'];
  const name = () => pick(random, random() < 0.5 ? NAMES : [...MORE, ...factors, ...sliders]);
  const value = () => pick(random, random() < 0.5 ? VALUES : [...factors, ...levels, '1', '80', '1500']);
  const coded = (text: string) => (random() < 0.8 ? encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '�')) : text);
  const parts = Array.from({ length: 1 + Math.floor(random() * 7) }, () => `${coded(name())}=${coded(value())}`);
  return parts.join(pick(random, ['&', '&', '&', '&&', '?']));
}

const SUBJECTS = ['geist-2005-nfs', 'geist-2005-points', 'dillon-2004', 'bench', 'models/moderation-trade'];

it.each(SUBJECTS)('200 addresses of %s', (name) => {
  const subject = subjectOf(name);
  const schema = termsFor(subject);
  const slices = slicesOf(subject, catalogue);
  const random = generator(name.length);
  for (let i = 0; i < 200; i++) {
    const query = hostileQuery(schema, random);
    const { state } = fromQuery(query, schema);
    const view = viewOf(subject, slices, state, null, false);
    const bounds = [...view.values, ...view.xBounds, ...view.yBounds];
    expect(bounds.every(Number.isFinite), query).toBe(true);
    expect([view.layout.x, view.layout.y].filter((a) => a !== null).length, query).toBeGreaterThan(0);
    expect(view.layout.x?.name === view.layout.y?.name, query).toBe(false);
    expect(fromQuery(toQuery(state, schema), schema), query).toEqual({ state, rejected: [] });
  }
});
