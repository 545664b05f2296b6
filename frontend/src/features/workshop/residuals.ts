// SPDX-License-Identifier: Apache-2.0
// The residuals of a fit as a drawing: in per cent, cell by cell, in the order of the table beneath.
import type { Kind, NonlinearFit } from '../../api/types';
import { decimal, digitsOfStep } from '../../plots/number';
import { linear, niceTicks } from '../../plots/scale';
import { END, line, mark, type Shape, TICK, text } from '../../plots/shapes';

export const RESIDUALS_HEIGHT = 132;

type Fitted = Pick<NonlinearFit['residuals'][number], 'deviation_percent'>;

/** Observed − predicted, in percent of the observed. The server counts deviations of the model, as the 2005 paper does. */
export const residual = ({ deviation_percent }: Fitted): number => -deviation_percent;

export function residualShapes(fit: NonlinearFit, kind: Kind, width: number): Shape[] {
  const residuals = fit.residuals.map(residual).filter(Number.isFinite);
  if (residuals.length === 0) return [];
  const most = Math.max(1e-9, ...residuals.map(Math.abs)) * 1.15;
  const y = linear([-most, most], [RESIDUALS_HEIGHT - 6, 20]);
  const x = linear([-0.5, fit.residuals.length - 0.5], [48, width - 8]);
  const ticks = niceTicks(-most, most, 4);
  const digits = digitsOfStep(ticks.length > 1 ? ticks[1] - ticks[0] : 1);
  const out: Shape[] = [text(0, 10, 'cell − model, %', TICK)];
  for (const tick of ticks) {
    out.push(line(48, y(tick), width - 8, y(tick), { stroke: tick === 0 ? 'var(--line-3)' : 'var(--line)' }));
    out.push(text(42, y(tick), decimal(tick, digits), { ...TICK, ...END, dy: '0.32em' }));
  }
  const ink = `var(--kind-${kind})`;
  fit.residuals.forEach((fitted, k) => {
    const percent = residual(fitted);
    if (!Number.isFinite(percent)) return;
    const [X, Y] = [x(k), y(percent)];
    out.push(line(X, y(0), X, Y, { stroke: 'var(--line-3)' }));
    out.push(
      mark(kind, X, Y, 3.5, { fill: kind === 'simulated' ? 'var(--ground)' : ink, stroke: ink, 'stroke-width': 1.25 }),
    );
  });
  return out;
}
