// SPDX-License-Identifier: Apache-2.0
// Why a file was refused, as the page says it.
import type { ApiError } from '../../api/errors';
import type { Problem, Where } from '../../api/types';
import { decimal } from '../../plots/number';

export interface Fact {
  term: string;
  value: string;
}

function integer(where: Where, name: string): number | null {
  const value = where[name];
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

/** A checksum as eight hexadecimal digits, whether it came as a number or as text. */
function checksum(value: Where[string] | undefined): string | null {
  if (typeof value === 'number') return value.toString(16).padStart(8, '0');
  return typeof value === 'string' ? value.replace(/^0x/, '') : null;
}

/** A byte offset, decimal and hexadecimal. */
export function offset(bytes: number): string {
  return `${decimal(bytes, 0)} (0x${bytes.toString(16)})`;
}

/** Where in the file it went wrong, and what was kept: nothing, ever. */
export function factsOf({ where }: { where: Where }): Fact[] {
  const facts: Fact[] = [];
  const add = (term: string, value: string | null) => value !== null && facts.push({ term, value });
  const at = integer(where, 'offset');
  const block = integer(where, 'block');
  add('byte', at === null ? null : offset(at));
  add('block', block === null ? null : String(block));
  add('stored', checksum(where.stored));
  add('computed', checksum(where.computed));
  add('row', where.row === null || where.row === undefined ? null : String(where.row));
  add('column', typeof where.column === 'string' ? where.column : null);
  add('kept', 'nothing');
  return facts;
}

/** The place of the damage in the file, 0 to 1, for a strip that shows where. */
export function damageAt({ where }: { where: Where }, bytes: number): number | null {
  const at = integer(where, 'offset');
  // Without a block or a checksum the offset says only where the reader gave up.
  if (integer(where, 'block') === null && checksum(where.stored) === null) return null;
  return at === null || bytes <= 0 || at > bytes ? null : at / bytes;
}

export interface Row {
  row: string;
  column: string;
  message: string;
  advice: string;
}

const known = (value: Where[string] | undefined) => (value === null || value === undefined ? '' : String(value));

export function rowOf({ where, message, advice }: Problem): Row {
  return { row: known(where.row), column: known(where.column), message, advice: advice ?? '' };
}

/** All faults of a table, when it has several. */
export function rowsOf({ problems }: ApiError): Row[] {
  return problems.length > 1 ? problems.map(rowOf) : [];
}

/** The same as text, for a message to whoever wrote the file. */
export function detailsText(filename: string, bytes: number, error: ApiError): string {
  const facts = factsOf(error).map(({ term, value }) => `${term}: ${value}`);
  const rows = rowsOf(error).map(
    ({ row, column, message }) => `row ${row || '–'}, column ${column || '–'}: ${message}`,
  );
  return [`${filename} (${bytes} bytes)`, `${error.code}: ${error.message}`, ...facts, ...rows, error.advice ?? '']
    .filter(Boolean)
    .join('\n');
}
