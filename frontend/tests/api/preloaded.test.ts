// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { takeAnswer } from '../../src/api/preloaded';

const OWN = 'http://localhost/api/experiments/x';
const ASKED = { model: 'cpu-overhead', method: 'ols', where: { workload: 'nfs' } };

const answers = () => ({
  'experiments/x/cells.json': { cells: [] },
  'experiments/x/fits.json': [{ asked: ASKED, answer: { n: 27 } }],
});

const askedFit = (asked: object) => new Request(`${OWN}/fits`, { method: 'POST', body: JSON.stringify(asked) });

describe('what came with the document', () => {
  it('is given once', async () => {
    const left = answers();
    expect(await takeAnswer(left, new Request(`${OWN}/cells`))).toEqual({ cells: [] });
    expect(await takeAnswer(left, new Request(`${OWN}/cells`))).toBeNull();
  });

  it('answers the fit that was asked for, and no other', async () => {
    expect(await takeAnswer(answers(), askedFit({ ...ASKED, method: 'whitened' }))).toBeNull();
    expect(await takeAnswer(answers(), askedFit(ASKED))).toEqual({ n: 27 });
  });

  it('is not what was asked with parameters, or of something else', async () => {
    const left = answers();
    expect(await takeAnswer(left, new Request(`${OWN}/cells?without=1`))).toBeNull();
    expect(await takeAnswer(left, new Request(`${OWN}/sweeps`))).toBeNull();
    expect(Object.keys(left)).toHaveLength(2);
  });
});
