// SPDX-License-Identifier: Apache-2.0
// Methods of a fit, as a menu and a sentence say them.
import type { Method } from '../../../state/explorer';

export const METHOD: Readonly<Record<Method, { readonly label: string; readonly note: string }>> = {
  ols: { label: 'Least squares', note: 'all runs, in percent of their cell; the same in any units' },
  'ols-hc3': { label: 'Least squares, HC3', note: 'standard errors that hold where variances differ; no resamples' },
  wls: { label: 'Weighted', note: 'least squares, by how the spread of replicates goes with the response' },
  robust: { label: 'Robust', note: 'outliers of a cell do not move it' },
  whitened: { label: 'Whitened', note: 'for counts that err; a model that replicates reject distorts it most' },
  'paper-tls': {
    label: 'Paper TLS',
    note: 'Geist et al. 2005; its result depends on the units of the counts: 10⁶ bytes, thousands',
  },
};
