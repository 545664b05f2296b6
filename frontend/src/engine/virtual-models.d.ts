// SPDX-License-Identifier: Apache-2.0
declare module 'virtual:models' {
  export const models: import('../state/models').Catalogue['models'];
  export const kernels: import('../state/models').Catalogue['kernels'];
  export const quantities: import('../state/models').Catalogue['quantities'];
  /** By model and output: the equation, then those of what it refers to. */
  export const equations: Readonly<
    Record<string, () => Promise<{ default: Readonly<Record<string, readonly string[]>> }>>
  >;
}
declare const __PYODIDE_BASE__: string;
declare const __MODELS_ZIP__: string;
declare const __RUN_LOG_ZIP__: string;
