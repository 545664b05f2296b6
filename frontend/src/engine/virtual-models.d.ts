// SPDX-License-Identifier: Apache-2.0
declare module 'virtual:models' {
  export const models: import('../state/models').Catalogue['models'];
  /** By model: makes its kernels. */
  export const kernels: Readonly<Record<string, () => import('../state/models').Kernels>>;
  export const quantities: import('../state/models').Catalogue['quantities'];
  /** By model and output: the equation, then those of what it refers to. */
  export const equations: Readonly<
    Record<string, () => Promise<{ default: Readonly<Record<string, readonly string[]>> }>>
  >;
  /** By model: what its page tells besides. */
  export const about: Readonly<Record<string, () => Promise<{ default: import('../state/models').About }>>>;
}
declare module 'virtual:axes' {
  /** By factor that asks for a delay: a scale and a power of its level, which give microseconds. */
  export const delays: Readonly<Record<string, readonly [number, number]>>;
  /** Factors that stand upward in a surface. */
  export const upward: readonly string[];
}
declare module 'virtual:following' {
  /** By input: the factors or measures that it follows from, where none has its name. */
  const following: Readonly<Record<string, readonly string[]>>;
  export default following;
}
declare module 'virtual:definitions' {
  /** By quantity: its symbol, as LaTeX and as MathML, what it means, and the axis that it takes. */
  const definitions: Readonly<
    Record<
      string,
      Pick<import('../api/types').Quantity, 'symbol' | 'description' | 'source' | 'axis'> & { symbolMath: string }
    >
  >;
  export default definitions;
}
declare module 'virtual:notes' {
  /** By model. */
  const notes: Readonly<Record<string, import('../state/models').Notes>>;
  export default notes;
}
declare module 'virtual:references' {
  /** By model. */
  const references: Readonly<Record<string, readonly import('../state/models').Reference[]>>;
  export default references;
}
declare module 'virtual:sources' {
  /** By model, and `template`: the text, where it is from, and the document that it traces to. */
  export const sources: Readonly<
    Record<
      string,
      () => Promise<{
        default: { readonly text: string; readonly file?: string; readonly line?: number; readonly document: unknown };
      }>
    >
  >;
}
declare const __PYODIDE_LOCK__: string;
declare const __PYODIDE_BASE__: string;
declare const __MODELS_ZIP__: string;
/** What build/snapshot.ts makes. */
declare const __PYTHON_MEMORY__: string;
declare const __READERS_ZIP__: string;

declare module 'virtual:drivers' {
  export const drivers: readonly string[];
  /** Of kernels, the oldest first. */
  export const releases: readonly string[];
}
declare module 'virtual:frame' {
  /** What a notebook shows in a frame: one document. */
  const text: string;
  export default text;
}
