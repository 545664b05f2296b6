// SPDX-License-Identifier: Apache-2.0
// What an address says of a state: one field for each part, which reads it, writes it, and tells whether it still holds. No DOM.
import type { Reader, Taken } from './reader';

/** One part of a state `S`, read beside what is known of its page, `K`. */
export interface Field<S, K> {
  /** The parameters that are always its own. Those that are named after factors or parameters of a model are not among them. */
  readonly names: readonly string[];
  /** `state` with what the address says. Fields before this one are settled. */
  read(reader: Reader, state: S, known: K): S;
  /** `state` with what still holds of an older state. */
  keep(old: S, state: S, known: K): S;
  /** Adds what differs from `start`. */
  write(query: URLSearchParams, state: S, start: S, known: K): void;
}

/** Where a value stands in a state. */
export interface Part<S, T> {
  get(state: S): T;
  put(state: S, value: T): S;
}

/** How a value stands in an address. */
export interface Form<T, S = unknown, K = unknown> {
  /** The value, or what is wrong with the text. */
  parse(text: string, state: S, known: K): Taken<T>;
  /** Null: the address says nothing of it. */
  text(value: T, state: S, known: K): string | null;
  /** The value as it holds now; undefined: it holds no longer. */
  keep(value: T, state: S, known: K): T | undefined;
}

export const part = <S, N extends keyof S>(name: N): Part<S, S[N]> => ({
  get: (state) => state[name],
  put: (state, value) => ({ ...state, [name]: value }),
});

export const within = <S, T, U>(outer: Part<S, T>, inner: Part<T, U>): Part<S, U> => ({
  get: (state) => inner.get(outer.get(state)),
  put: (state, value) => outer.put(state, inner.put(outer.get(state), value)),
});

type Name<S, K> = string | ((state: S, known: K) => string | null);

/** A value under one parameter. A name that is null: this state has no such value. */
export function field<S, K, T>(name: Name<S, K>, { get, put }: Part<S, T>, form: Form<T, S, K>): Field<S, K> {
  const nameIn = (state: S, known: K): string | null => (typeof name === 'string' ? name : name(state, known));
  return {
    names: typeof name === 'string' ? [name] : [],
    read(reader, state, known) {
      const under = nameIn(state, known);
      if (under === null) return state;
      return put(
        state,
        reader.take(under, get(state), (text) => form.parse(text, state, known)),
      );
    },
    keep(old, state, known) {
      const value = nameIn(state, known) === null ? undefined : form.keep(get(old), state, known);
      return value === undefined ? state : put(state, value);
    },
    write(query, state, start, known) {
      const under = nameIn(state, known);
      const text = form.text(get(state), state, known);
      if (under !== null && text !== null && text !== form.text(get(start), state, known)) query.set(under, text);
    },
  };
}

/** One of a few words. */
export const oneOf = <T extends string, S, K>(
  allowed: readonly T[] | ((state: S, known: K) => readonly T[]),
  reason: string,
): Form<T, S, K> => {
  const among = (text: string, state: S, known: K): T | undefined =>
    (typeof allowed === 'function' ? allowed(state, known) : allowed).find((word) => word === text);
  return {
    parse(text, state, known) {
      const value = among(text, state, known);
      return value === undefined ? reason : { value };
    },
    text: (value, state, known) => among(value, state, known) ?? null,
    keep: among,
  };
};

/** The same, where an absent parameter is a value too. */
export const orNull = <T, S, K>(form: Form<T, S, K>): Form<T | null, S, K> => ({
  parse: form.parse,
  text: (value, state, known) => (value === null ? null : form.text(value, state, known)),
  keep: (value, state, known) => (value === null ? null : form.keep(value, state, known)),
});

/** A text that is the value. */
export const matching = (matches: (text: string) => boolean, reason: string): Form<string> => ({
  parse: (text) => (matches(text) ? { value: text } : reason),
  text: (value) => value,
  keep: (value) => (matches(value) ? value : undefined),
});

/** A value that holds whatever the page is of. `parse` answers a text where it cannot use what the address says: why. */
export const written = <T extends object | boolean>(
  parse: (text: string) => T | string,
  text: (value: T) => string,
): Form<T> => ({
  parse(from) {
    const value = parse(from);
    return typeof value === 'string' ? value : { value };
  },
  text,
  keep: (value) => value,
});

export const readFields = <S, K>(fields: readonly Field<S, K>[], reader: Reader, start: S, known: K): S =>
  fields.reduce((state, each) => each.read(reader, state, known), start);

export const keptBy = <S, K>(fields: readonly Field<S, K>[], old: S, start: S, known: K): S =>
  fields.reduce((state, each) => each.keep(old, state, known), start);

/** The query of an address, without the question mark. Commas and colons stand as people would write them. */
export function queryOf<S, K>(fields: readonly Field<S, K>[], state: S, start: S, known: K): string {
  const query = new URLSearchParams();
  for (const each of fields) each.write(query, state, start, known);
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}
