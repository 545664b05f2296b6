// SPDX-License-Identifier: Apache-2.0
import { contrastMap } from './contrast';
import { limits } from './limits';
import type { MainCharts } from './mainChart';
import { relief } from './surface3d';

export const MAIN_CHARTS: MainCharts = { '3d': relief, residuals: contrastMap, difference: contrastMap, limits };
