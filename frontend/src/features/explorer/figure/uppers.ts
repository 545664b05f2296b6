// SPDX-License-Identifier: Apache-2.0
import { contrastMap } from './contrast';
import { limits } from './limits';
import { relief } from './relief';
import type { Uppers } from './upper';

export const UPPERS: Uppers = { '3d': relief, residuals: contrastMap, difference: contrastMap, limits };
