// SPDX-License-Identifier: Apache-2.0
// Fields of a table as CSV. A spreadsheet runs text that begins like a formula: it gets an apostrophe before it.

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const isNumber = (text: string): boolean => /^-?\d/.test(text) && Number.isFinite(Number(text));

export function csvField(value: number | string | null): string {
  if (typeof value !== 'string') return value === null || !Number.isFinite(value) ? '' : String(value);
  const text = FORMULA.test(value) && !isNumber(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A line above the header. What knows no comments splits it at commas or semicolons: no part becomes a formula. */
export const csvComment = (line: string): string =>
  `# ${line.replace(/\s+/g, ' ').replace(/([,;] ?)([=+\-@＝＋－＠])/g, "$1'$2")}`;
