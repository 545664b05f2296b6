// SPDX-License-Identifier: Apache-2.0
// The curve behind the answer, and all settings as a table.
import { useMemo } from 'react';
import type { Kind } from '../../api/types';
import { QuantityName } from '../../components/QuantityName';
import { ScrollRegion } from '../../components/ScrollRegion';
import { Drawing, useWidth } from '../../layers/Drawing';
import { alike } from '../../plots/number';
import { titleWithUnit } from '../explorer/figure/messages';
import type { Answered } from './answered';
import { valueWords } from './changeWords';
import { captionOf, FIGURE_HEIGHT, figureOf, figureShapes, titleOf } from './figure';
import { standingOf } from './messages';
import { settingName } from './settingWords';

export function Curve({ found: { question, answer, slice }, kind }: { found: Answered; kind: Kind }) {
  const [place, width] = useWidth<HTMLDivElement>();
  const { layout } = slice;
  const shapes = useMemo(
    () => figureShapes(question, answer, layout, kind, width),
    [question, answer, layout, kind, width],
  );
  const which = figureOf(question, answer, layout);
  if (which === null) return null;
  const title = titleOf(question, answer);
  return (
    <div className="curve">
      <h3 className="cap">{title}</h3>
      <div ref={place}>
        <Drawing
          label={`${title}. The numbers are in the table of all settings.`}
          width={width}
          height={FIGURE_HEIGHT}
          shapes={shapes}
        />
      </div>
      <p className="note">{captionOf(question, answer, layout)}</p>
    </div>
  );
}

const MOST_ROWS = 60;

export function Settings({ found: { question, answer, slice }, go }: { found: Answered; go: (place: number) => void }) {
  const { candidates } = answer;
  const means = question.aims.map(({ quantity }) => alike(candidates.map((c) => c.means[quantity.name])));
  const loss = alike(
    candidates.map((c) => c.loss_percent),
    3,
  );
  return (
    <details className="more settings">
      <summary>All {candidates.length} settings</summary>
      <ScrollRegion label="Every setting, the best first" tall>
        <table className="beside">
          <caption className="sr">Every setting, the best first</caption>
          <thead>
            <tr>
              <th scope="col">Setting</th>
              {question.aims.map(({ quantity }) => (
                <th scope="col" key={quantity.name}>
                  <QuantityName name={quantity.name}>{titleWithUnit(quantity)}</QuantityName>
                </th>
              ))}
              <th scope="col">Loses, %</th>
              <th scope="col">Standing</th>
            </tr>
          </thead>
          <tbody>
            {candidates.slice(0, MOST_ROWS).map((c, place) => (
              <tr key={settingName(slice.layout, question.settingOf(c.factors), false)}>
                <th scope="row">
                  <button type="button" onClick={() => go(place)}>
                    {settingName(slice.layout, question.settingOf(c.factors), false)}
                  </button>
                </th>
                {question.aims.map(({ quantity }, k) => (
                  <td key={quantity.name}>
                    {c.ci95[quantity.name]
                      ? valueWords({ ...quantity, unit: '' }, c.means[quantity.name], c.ci95[quantity.name])
                      : means[k](c.means[quantity.name])}
                  </td>
                ))}
                <td>{loss(c.loss_percent)}</td>
                <td>
                  {question.model && c.allowed && place !== answer.answer ? 'predicted' : standingOf(c, place, answer)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {candidates.length > MOST_ROWS && <p className="note">The best {MOST_ROWS} of them.</p>}
    </details>
  );
}
