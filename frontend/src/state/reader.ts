// SPDX-License-Identifier: Apache-2.0
// An address read one parameter at a time: one that cannot be used is left out alone, and reported. No DOM.

/** Version of the addresses that this page writes. An address without one is of version 1; it goes up when a parameter's meaning changes. */
export const VERSION = 1;

export interface Rejected {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
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

  /** `read` answers a text where it cannot use the parameter: why. */
  take<T extends object | number | null>(name: string, fallback: T, read: (text: string) => T | string): T {
    const text = this.left.get(name);
    if (text === undefined) return fallback;
    this.left.delete(name);
    const value = read(text);
    if (typeof value !== 'string') return value;
    this.reject(name, text, value);
    return fallback;
  }

  /** A parameter that is not taken yet, as it stands there. */
  peek(name: string): string | undefined {
    return this.left.get(name);
  }

  /** Every value of a parameter that may be there several times. */
  takeAll(name: string): readonly string[] {
    this.left.delete(name);
    return this.query.getAll(name);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T, what: string): T;
  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: null, what: string): T | null;
  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T | null, what: string): T | null {
    const text = this.left.get(name);
    if (text === undefined) return fallback;
    this.left.delete(name);
    const found = allowed.find((a) => a === text);
    if (found === undefined) this.reject(name, text, what);
    return found ?? fallback;
  }

  /** Null where the parameter is absent or cannot be used. */
  number(name: string, lo: number, hi: number): number | null {
    return this.take<number | null>(name, null, (text) => {
      const v = text.trim() === '' ? Number.NaN : Number(text);
      if (!Number.isFinite(v)) return 'is not a number';
      if (v < lo || v > hi) return `is not between ${lo} and ${hi}`;
      // −0 would not come back from an address
      return v === 0 ? 0 : v;
    });
  }

  /** An address of a newer page is read as far as this one understands it. */
  version(): void {
    const known = Array.from({ length: VERSION }, (_, i) => String(i + 1));
    this.oneOf('v', known, null, 'is the version of a newer page: some of this address may mean something else');
  }

  /** Rejects whatever was not asked for. */
  rest(): void {
    for (const [name, value] of this.left) this.reject(name, value, 'is not known here');
  }
}
