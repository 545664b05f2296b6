// SPDX-License-Identifier: Apache-2.0
// An address read one parameter at a time: one that cannot be used is left out alone, and reported. No DOM.

/** Version of the addresses that this page writes. An address without one is of version 1; it goes up when a parameter's meaning changes. */
const VERSION = 1;

export interface Rejected {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
}

/** What a text means; or why it cannot be used. `but`: it is used, and something is to be said of it. */
export type Taken<T> = { readonly value: T; readonly but?: string } | string;

/** A finite number within bounds. */
export function numberIn(text: string, lo: number, hi: number): Taken<number> {
  const v = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(v)) return 'is not a number';
  if (v < lo || v > hi) return `is not between ${lo} and ${hi}`;
  // −0 would not come back from an address
  return { value: v === 0 ? 0 : v };
}

/** Takes parameters one at a time, and keeps what it could not use. */
export class Reader {
  private readonly left: Map<string, string>;
  private readonly query: URLSearchParams;
  readonly rejected: Rejected[] = [];

  /** `foreign`: parameters that somebody else reads. */
  constructor(query: string, foreign: Iterable<string>) {
    this.query = new URLSearchParams(query);
    this.left = new Map(this.query);
    for (const name of foreign) this.left.delete(name);
  }

  reject(name: string, value: string, reason: string): void {
    this.rejected.push({ name, value, reason });
  }

  take<T>(name: string, fallback: T, parse: (text: string) => Taken<T>): T {
    const text = this.left.get(name);
    if (text === undefined) return fallback;
    this.left.delete(name);
    const taken = parse(text);
    const reason = typeof taken === 'string' ? taken : taken.but;
    if (reason !== undefined) this.reject(name, text, reason);
    return typeof taken === 'string' ? fallback : taken.value;
  }

  /** Every value of a parameter that may be there several times. */
  takeAll(name: string): readonly string[] {
    this.left.delete(name);
    return this.query.getAll(name);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T, what: string): T;
  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: null, what: string): T | null;
  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T | null, what: string): T | null {
    return this.take<T | null>(name, fallback, (text) => {
      const value = allowed.find((word) => word === text);
      return value === undefined ? what : { value };
    });
  }

  /** Null where the parameter is absent or cannot be used. */
  number(name: string, lo: number, hi: number): number | null {
    return this.take<number | null>(name, null, (text) => numberIn(text, lo, hi));
  }

  /** An address of a newer page is read as far as this one understands it. */
  version(): void {
    const known = Array.from({ length: VERSION }, (_, i) => String(i + 1));
    this.oneOf('v', known, null, 'is of a newer page: parts of this address may mean something else');
  }

  /** Rejects whatever was not asked for. */
  rest(): void {
    for (const [name, value] of this.left) this.reject(name, value, 'is not known here');
  }
}
