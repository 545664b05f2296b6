// SPDX-License-Identifier: Apache-2.0
declare module 'virtual:models' {
  export const models: import('../state/models').Catalogue['models'];
  export const kernels: import('../state/models').Catalogue['kernels'];
  export const quantities: import('../state/models').Catalogue['quantities'];
  /** By model: its equations, by output. */
  export const equations: Readonly<Record<string, () => Promise<{ default: Readonly<Record<string, string>> }>>>;
}
declare const __PYODIDE_BASE__: string;
declare const __MODELS_ZIP__: string;
