// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { answerFrom, type Copy, fileCopy, keptAs, same } from '../../src/api/copy';
import { ApiError } from '../../src/api/errors';

const FIT = { model: 'cpu-overhead', method: 'ols', response: 'system_cpu_s', where: { workload: 'nfs', streams: 4 } };
const runs = Array.from({ length: 5 }, (_, i) => ({ id: `run-${i}` }));
const copy = fileCopy('0.1.0', {
  'experiments/paper.json': { slug: 'paper' },
  'experiments/paper/cells.json': { cells: [1] },
  'experiments/paper/cells/without=a%2Cb.json': { cells: [] },
  'experiments/paper/fits.json': [
    { asked: { ...FIT, method: 'paper-tls' }, answer: 1 },
    { asked: FIT, answer: 2 },
  ],
  'experiments/paper/runs.json': { total: 5, runs },
  'experiments/paper/runs/cell=7.json': { total: 2, runs: runs.slice(0, 2) },
  'runs/run-1/contents.json': { series: [] },
});

const ask = async (path: string, body?: unknown) => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await answerFrom(copy, new Request(`http://127.0.0.1/api/${path}`, init))).json();
};

const refused = async (path: string, body?: unknown) => {
  const error = await ask(path, body).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).code;
};

describe('answers that were kept', () => {
  it('are found by what is asked', async () => {
    expect(await ask('experiments/paper')).toEqual({ slug: 'paper' });
    expect(await ask('experiments/paper/cells')).toEqual({ cells: [1] });
    expect(await ask('experiments/paper/cells?without=a%2Cb')).toEqual({ cells: [] });
    expect(await ask('runs/run-1/contents?points=400')).toEqual({ series: [] });
  });

  it('give the fit that was asked for, whatever the order of the words', async () => {
    expect(await ask('experiments/paper/fits', FIT)).toBe(2);
    const { where, ...rest } = FIT;
    expect(await ask('experiments/paper/fits', { where: { streams: 4, workload: 'nfs' }, ...rest })).toBe(2);
    expect(await refused('experiments/paper/fits', { ...FIT, where: { ...where, streams: 5 } })).toBe('needs_server');
  });

  it('give pages of a list, and the lists of cells', async () => {
    expect(await ask('experiments/paper/runs?limit=2&offset=3')).toEqual({ total: 5, runs: runs.slice(3, 5) });
    expect(await ask('experiments/paper/runs?limit=50&offset=0&cell=7')).toEqual({ total: 2, runs: runs.slice(0, 2) });
  });

  it('say that what is to be worked out or changed needs a server', async () => {
    expect(await refused('experiments/paper/recommendations', {})).toBe('needs_server');
    expect(await refused('comparisons?a=paper&b=other')).toBe('needs_server');
    expect(await refused('runs/run-1/retraction', { reason: 'x' })).toBe('needs_server');
    expect(await refused('links/abc')).toBe('needs_server');
  });
});

describe('answers that follow from kept ones', () => {
  const files = {
    'experiments/paper.json': 1,
    'experiments/paper/cells.json': 2,
    'experiments/paper/runs.json': 3,
    'experiments/paper/environments.json': 4,
  };
  const site = (workOut: Copy['workOut']): Copy => ({ ...fileCopy('0.1.0', files), of: 'site', workOut });
  const get = async (from: Copy, path: string) =>
    (await answerFrom(from, new Request(`http://127.0.0.1/api/${path}`))).json();

  it('are worked out from cells and runs of the experiments that are asked about', async () => {
    const echo = site(async (path, query, kept) => ({ path, query: [...query], kept }));
    const paper = { experiment: 1, cells: 2, runs: 3 };
    const level = ['workload', 'tcp'];
    for (const path of ['cells', 'replicates', 'replication-plan', 'variance'])
      expect(await get(echo, `experiments/paper/${path}?workload=tcp`)).toEqual({
        path: `experiments/paper/${path}`,
        query: [level],
        kept: { paper },
      });
    expect(await get(echo, 'comparisons?a=paper&b=paper&a.workload=tcp')).toMatchObject({
      kept: { paper: { ...paper, runs: { runs: [] } } },
    });
    expect(await get(echo, 'experiments/paper/environment?workload=tcp')).toMatchObject({
      kept: { paper: { ...paper, environments: 4 } },
    });
    expect(await get(echo, 'experiments/paper/replication-plan?measure=drops&width_percent=1')).toBeTruthy();
  });

  it('are refused as a server would, and say where they cannot be', async () => {
    const told = { code: 'unknown_factor', message: 'No such factor.', where: {}, advice: null, problems: [] };
    const path = 'experiments/paper/cells?cable=short';
    const refusing = site(async () => ({ error: told }));
    await expect(get(refusing, path)).rejects.toMatchObject({ code: 'unknown_factor' });
    const broken = site(() => Promise.reject(new Error('no WebAssembly')));
    await expect(get(broken, path)).rejects.toMatchObject({ code: 'no_python' });
    await expect(get(broken, 'links/abc')).rejects.toMatchObject({ code: 'needs_server' });
  });
});

describe('names', () => {
  it('of files for download say what is in them', () => {
    expect(keptAs('experiments/paper/export', new URLSearchParams('format=csv&what=cells'))).toBe(
      'experiments/paper/export/cells.csv',
    );
    expect(keptAs('runs/run-1/log', new URLSearchParams())).toBe('runs/run-1/log.runlog');
  });
});

describe('same', () => {
  it('tells numbers from texts and arrays from objects', () => {
    expect(same({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
    expect(same({ a: 1 }, { a: '1' })).toBe(false);
    expect(same([], {})).toBe(false);
    expect(same({ a: 1 }, { a: 1, b: 1 })).toBe(false);
  });
});
