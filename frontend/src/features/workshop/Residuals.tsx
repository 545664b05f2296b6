// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'react';
import type { Experiment, NonlinearFit } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { definitionOf } from '../../engine/definitions';
import { draw } from '../../layers/svg';
import { alike, brief, decimal } from '../../plots/number';
import { RESIDUALS_HEIGHT, residual, residualShapes } from './residuals';

/** Every cell with what was observed, what the fitted model says, and the residual: drawn, and as a table. */
export function Residuals({ fit, experiment }: { fit: NonlinearFit; experiment: Experiment }) {
  const svg = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const host = svg.current;
    if (!host) return;
    const paint = () => draw(host, residualShapes(fit, experiment.kind, host.clientWidth));
    paint();
    const observer = new ResizeObserver(paint);
    observer.observe(host);
    return () => observer.disconnect();
  }, [fit, experiment.kind]);
  const factors = [...new Set(fit.residuals.flatMap((r) => Object.keys(r.factors)))].filter(
    (name) => new Set(fit.residuals.map((r) => r.factors[name])).size > 1,
  );
  const unit = fit.response_unit;
  const value = alike(
    fit.residuals.flatMap((r) => [r.observed, r.predicted]),
    5,
  );
  return (
    <>
      <svg
        ref={svg}
        className="plot wide"
        height={RESIDUALS_HEIGHT}
        role="img"
        aria-label={`Cell minus model, in per cent, for ${fit.residuals.length} cells; the table has the numbers`}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long table scrolls, also by keyboard */}
      <div className="cells" tabIndex={0} role="group" aria-label="Residuals">
        <table className="beside">
          <caption className="sr">Residuals of the fit</caption>
          <thead>
            <tr>
              {factors.map((name) => (
                <th scope="col" key={name}>
                  <QuantityName name={name}>{definitionOf(name)?.label ?? name}</QuantityName>
                </th>
              ))}
              <th scope="col">observed{unit && `, ${unit}`}</th>
              <th scope="col">model</th>
              <th scope="col">cell − model</th>
            </tr>
          </thead>
          <tbody>
            {fit.residuals.map((r) => (
              <tr key={r.index}>
                {factors.map((name) => (
                  <td key={name}>
                    {typeof r.factors[name] === 'number' ? brief(r.factors[name], 5) : r.factors[name]}
                  </td>
                ))}
                <td>{value(r.observed)}</td>
                <td>{value(r.predicted)}</td>
                <td>{decimal(residual(r), 2)} %</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
