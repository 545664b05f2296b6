// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import references from 'virtual:references';
import { loadPyodide, version } from 'pyodide';
import { describe, expect, it } from 'vitest';
import { zipModels } from '../../build/pyodide';
import { snapshot, snapshotName } from '../../build/snapshot';
import { catalogue } from '../../src/engine/catalogue';

const LIBRARY = new URL('../../node_modules/pyodide/python_stdlib.zip', import.meta.url);
// stands where the library would be
const NO_LIBRARY = fileURLToPath(new URL('../../node_modules/pyodide/package.json', import.meta.url));

const near = (a: number | null, b: number): boolean => a !== null && Math.abs(a - b) <= 1e-12 * Math.abs(b);

describe('the memory that the page’s Python starts from', () => {
  it('answers for every model without a library and without sources', async () => {
    const models = zipModels();
    // as the page was built with it, or made now
    const packed = await snapshot(snapshotName(version, models), LIBRARY, models);
    const python = await loadPyodide({ stdLibURL: NO_LIBRARY, _loadSnapshot: gunzipSync(packed) });
    const evaluate = python.globals.get('evaluate_checks') as (text: string) => string;
    const asked = catalogue.models.flatMap(({ id }) => references[id].map((r) => ({ ...r, model: id })));
    expect(asked.length).toBeGreaterThanOrEqual(catalogue.models.length);
    const checks = asked.map(({ model, values }) => ({ model, values }));
    const answers = JSON.parse(evaluate(JSON.stringify(checks))) as Record<string, number | null>[];
    for (const [i, { model, outputs }] of asked.entries())
      for (const [name, value] of Object.entries(outputs))
        if (value === null) expect(answers[i][name], `${model}: ${name}`).toBeNull();
        else expect(answers[i][name], `${model}: ${name}`).toSatisfy((own) => near(own, value));
    expect(asked.some(({ outputs }) => Object.values(outputs).includes(null))).toBe(true);
    expect(() => evaluate('[{"model": "none", "values": {}}]')).toThrow('KeyError');
    // negative control: there is no library
    expect(() => python.runPython('import calendar')).toThrow('zipimport');
  }, 180_000);

  it('has another name when the models or Pyodide change', () => {
    const names = [
      snapshotName('1', readFileSync(LIBRARY)),
      snapshotName('2', readFileSync(LIBRARY)),
      snapshotName('1', zipModels()),
    ];
    expect(new Set(names).size).toBe(3);
  });
});
