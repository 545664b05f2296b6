// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { fileName, nameIn } from '../../../src/features/share/save';

describe('file names', () => {
  it.each([
    ['Geist et al. 2005, NFS', 'svg', 'geist-et-al-2005-nfs.svg'],
    ['', 'csv', 'coalescope.csv'],
    ['../../etc', 'json', 'etc.json'],
  ])('%s', (title, extension, name) => expect(fileName(title, extension)).toBe(name));

  it.each([
    ['attachment; filename="a b.csv"', 'a b.csv'],
    ['attachment; filename=a.csv', 'a.csv'],
    ['attachment; filename="../x.csv"', '.._x.csv'],
    ['attachment', null],
    [null, null],
  ])('in %s', (disposition, name) => expect(nameIn(disposition)).toBe(name));
});
