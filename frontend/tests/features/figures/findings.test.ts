// SPDX-License-Identifier: Apache-2.0
// What figures compute beside their sentence is what docs/published-vs-predicted.md has.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/engine/catalogue';
import type { Figure } from '../../../src/features/figures/definition';
import { figureById } from '../../../src/features/figures/definitions';
import { findings } from '../../../src/features/figures/findings';
import { csvText, sheetsOf } from '../../../src/features/figures/numbers';
import { DATA } from './data';

const DOCUMENT = readFileSync(new URL('../../../../docs/published-vs-predicted.md', import.meta.url), 'utf8');
const figure = (id: string): Figure => figureById(id) as Figure;
const found = (id: string, data = DATA): string =>
  findings(figure(id), catalogue, data)
    .map((f) => `${f.what}: ${f.found}`)
    .join('\n');

/** The cell "ours" of a row. */
function ours(what: string): string {
  const row = DOCUMENT.split('\n').find((l) => l.startsWith(`| ${what} `));
  if (!row) throw new Error(`no row begins with ${what}`);
  return row.split('|')[3].trim();
}

describe('findings agree with the document', () => {
  it('packets per interrupt at delay 960', () => {
    expect(ours('UDP packets per interrupt, delay 960, MTU 4500')).toBe('29 (+2)');
    expect(found('geist-2005-figure-2')).toContain('−7.4 %, 27 against 29 (MTU 4500, delay 960)');
  });

  it('UDP time from 640 to 1280', () => {
    expect(ours('UDP, MTU 6000, delay 640 → 1280: system CPU time falls by')).toBe('3.7 %');
    expect(found('geist-2005-figure-4')).toContain('−3.7 %');
  });

  it('the TCP plateau at MTU 1500', () => {
    expect(ours('TCP ceases to grow at MTU 1500: throughput there')).toContain('987.0 Mb/s (+1.71 %)');
    expect(found('geist-2005-figure-7')).toContain('−1.7 %, 970.4 against 987 (MTU 1500, delay 960)');
  });

  it('NFS interrupts and throughput of the closed loop', () => {
    for (const [mtu, share, rate] of [
      [1500, '49.4', '853'],
      [3000, '47.3', '909'],
      [4500, '45.6', '896'],
    ]) {
      expect(ours(`NFS throughput at delay 640, MTU ${mtu}`)).toBe(`${share} %`);
      expect(found('geist-2005-figure-11')).toContain(`, ${share} %`);
      expect(ours(`NFS interrupts at delay 640, MTU ${mtu}`)).toBe(`${rate} /s`);
      expect(found('geist-2005-figure-9')).toContain(`MTU ${mtu}: ${rate} /s`);
    }
    expect(found('geist-2005-figure-11')).toContain('MTU 1500: 40 ticks');
    expect(ours('NFS throughput is largest at MTU 1500, delay')).toBe('40');
  });

  it('the fit of table 2', () => {
    expect(ours('largest deviation of the fit')).toBe('186.1, 1.86 %');
    expect(found('geist-2005-table-2')).toContain('186.1 jiffies, 1.86 %');
    expect(found('geist-2005-figure-13')).toContain('largest deviation −1.9 %');
  });

  it.each([
    ['zec-2002-figure-5', 'scenario N = 2, RTT 1.137 ms', '87.6 and 47.9 Mb/s'],
    ['zec-2002-figure-6', 'scenario N = 1, RTT 0.739 ms', '87.6 and 76.6 Mb/s'],
    ['zec-2002-figure-8', 'scenario N = 2, RTT 1.696 ms', '75.8 and 40.7 Mb/s'],
  ])('%s', (id, scenario, both) => {
    expect(ours(`${scenario}: R at T_d = 0 and 1 ms`)).toBe(both);
    for (const value of both.match(/[\d.]+/g) ?? []) expect(found(id)).toContain(`${value} Mb/s`);
  });

  it('the receivers of 1999', () => {
    expect(ours('Intel receivers at MTU 1500')).toBe('304 Mb/s at 100 %');
    expect(ours('Monet: CPU at MTU 1500 and 410 Mb/s; with 8 KB, zero-copy and offload at 956 Mb/s')).toBe(
      '90 %; 29 %',
    );
    const said = found('chase-1999-figure-3');
    expect(said).toContain('300 against 303.6');
    expect(said).toContain('29.1 %');
    expect(said).toContain('48 against 48.11');
  });

  it('pings and idle times', () => {
    expect(ours('ping at 30,000 Hz on both hosts')).toBe('90 µs (+15.81 %)');
    expect(found('dillon-2004-ping')).toContain('−15.8 %, 78 against 90.33');
    expect(found('dillon-2004-idle')).toContain('−2.4 points, 7 against 9.401');
  });
});

describe('without cells', () => {
  it('models still say what they predict, comparisons say nothing', () => {
    expect(found('geist-2005-figure-2', {})).toBe('');
    expect(found('geist-2005-figure-9', {})).toContain('model MTU 1500: 853 /s');
  });
});

describe('the numbers as a file', () => {
  const text = (id: string) => csvText(figure(id), 'Geist et al. 2005', sheetsOf(figure(id), catalogue, DATA));

  it('has a row for each mark, with its kind', () => {
    const lines = text('geist-2005-figure-2').split('\n');
    expect(lines[0]).toBe('"Geist et al. 2005, figure 2: UDP fan-in: how many packets each interrupt brings"');
    expect(lines[1]).toBe(
      'kind,line,Absolute interrupt delay [ticks of 1.024 µs],Packets per interrupt,"95 % interval, half",as printed',
    );
    expect(lines.filter((l) => l.startsWith('published,'))).toHaveLength(8);
    expect(lines).toContain('published,4500,960,27,,');
    expect(lines).toContain('model,4500,960,29,,');
    expect(lines).toContain('emulated: UDP,MTU 1500,960,80.1,0.5,');
  });

  it('has what the text says as it says it', () => {
    expect(text('geist-2005-figure-11')).toContain('below: below 50 % of the maximum');
  });

  it('has one table a panel', () => {
    expect(text('geist-2005-figure-7').split('\n\n')).toHaveLength(2);
  });
});
