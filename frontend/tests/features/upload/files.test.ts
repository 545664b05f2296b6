// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { isCsv, saysKind } from '../../../src/features/upload/files';
import { slugOf } from '../../../src/features/upload/slug';

describe('isCsv', () => {
  const magic = new Uint8Array([0x89, 0x43, 0x4f, 0x41, 0x4c, 0x0d, 0x0a, 0x1a, 1, 2]);

  it('takes text for a table, whatever it is called', async () => {
    expect(await isCsv(new File(['mtu_bytes,n\n1500,3\n'], 'x.runlog'))).toBe(true);
    expect(await isCsv(new File(['mtu_bytes\n1500\n'], 'x.csv'))).toBe(true);
  });

  it('takes text without columns for the run log that it is called', async () => {
    expect(await isCsv(new File(['the log was lost\n'], 'x.runlog'))).toBe(false);
    expect(await isCsv(new File(['the log was lost\nin May, by mail\n'], 'x.runlog'))).toBe(false);
  });

  it('knows a run log by its first bytes, whatever it is called', async () => {
    expect(await isCsv(new File([magic], 'x.csv'))).toBe(false);
  });

  it('leaves to the server what is neither: pictures and empty files', async () => {
    expect(await isCsv(new File([new Uint8Array([80, 75, 0, 0])], 'x.zip'))).toBe(false);
    expect(await isCsv(new File([], 'x.csv'))).toBe(false);
  });
});

describe('slugOf', () => {
  it.each([
    ['Lab 7, UDP fan-in', 'lab-7-udp-fan-in'],
    ['  Žagar é  ', 'zagar-e'],
    ['---', ''],
    [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
  ])('%s', (title, slug) => expect(slugOf(title)).toBe(slug));
});

describe('saysKind', () => {
  it('finds the column, whatever stands around it', async () => {
    expect(await saysKind(new File(['mtu_bytes,n,kind\n1500,3,emulated\n'], 'x.csv'))).toBe(true);
    expect(await saysKind(new File(['\uFEFF"kind",n\r\nemulated,3\r\n'], 'x.csv'))).toBe(true);
  });

  it('takes no other column for it', async () => {
    expect(await saysKind(new File(['mtu_bytes,factor.kind,n\n1500,kind,3\n'], 'x.csv'))).toBe(false);
    expect(await saysKind(new File([], 'x.csv'))).toBe(false);
  });
});
