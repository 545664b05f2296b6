// SPDX-License-Identifier: Apache-2.0
// What the answer gains and costs, in one line and as a table; and what limits on the delay would.
import { QuantityName } from '../../components/QuantityName';
import type { DataSlice } from '../../state/dataSlice';
import { titleWithUnit } from '../explorer/figure/messages';
import type { Answered } from './answered';
import { briefChange, changeWords, type Effect, intervalWords, shortMeasure, valueWords } from './changeWords';
import { dependenceNotes, type Offer, referenceWords } from './messages';

const lookOf = ({ gain }: Effect): string => (gain === null ? '' : gain ? 'better' : 'worse');
const VERDICTS = { true: 'better', false: 'worse', null: 'no change told' } as const;
const quantityOf = (slice: DataSlice, name: string) => slice.measures.find((m) => m.name === name);
const nameIn = (slice: DataSlice) => (name: string) => {
  const quantity = quantityOf(slice, name);
  return quantity ? shortMeasure(quantity) : name;
};

function Change({ effect }: { effect: Effect }) {
  const between = intervalWords(effect);
  return (
    <>
      <b className={lookOf(effect)}>{changeWords(effect)}</b>
      <small>{between ?? 'no interval'}</small>
    </>
  );
}

/** What else changes, in a line; the sentence tells of what is aimed at. */
export function InShort({ effects, slice }: { effects: readonly Effect[]; slice: DataSlice }) {
  return effects.map((effect) => {
    const quantity = quantityOf(slice, effect.measure);
    if (!quantity) return null;
    // both values of a share say enough; its interval is in percent of them
    const between = quantity.unit === '%' ? null : intervalWords(effect);
    return (
      <span key={effect.measure}>
        {shortMeasure(quantity)} <b className={lookOf(effect)}>{briefChange(effect, quantity.unit)}</b>
        {between && ` (${between})`}
      </span>
    );
  });
}

/** An interval on the scale from −100 to +100 %. */
function Interval({ effect }: { effect: Effect }) {
  const at = (percent: number): number => 64 + Math.max(-100, Math.min(100, percent)) * 0.6;
  const change = effect.change_percent ?? Math.sign(effect.change) * 100;
  const [lo, hi] = (effect.ci95_percent ?? [change, change]).map(at);
  return (
    <svg width="128" height="18" aria-hidden="true" className={lookOf(effect)}>
      <path d="M64 1v16" stroke="var(--line-3)" />
      <path d="M4 9h120" stroke="var(--line)" />
      {effect.ci95_percent && <path d={`M${lo} 9H${hi}M${lo} 5v8M${hi} 5v8`} stroke="var(--ink)" strokeWidth="1.5" />}
      <circle cx={at(change)} cy="9" r="3" fill="currentColor" />
    </svg>
  );
}

function Row({ effect, slice, why }: { effect: Effect; slice: DataSlice; why?: string }) {
  const quantity = quantityOf(slice, effect.measure);
  if (!quantity) return null;
  return (
    <tr>
      <th scope="row">
        <QuantityName name={effect.measure}>{titleWithUnit(quantity)}</QuantityName>
        {why && <small>{why}</small>}
      </th>
      <td>{valueWords({ ...quantity, unit: '' }, effect.reference, effect.reference_ci95)}</td>
      <td>{valueWords({ ...quantity, unit: '' }, effect.answer, effect.answer_ci95)}</td>
      <td className="ch">
        <Change effect={effect} />
        <span className="sr">, {VERDICTS[`${effect.gain}`]}</span>
      </td>
      <td className="iv">
        <Interval effect={effect} />
      </td>
    </tr>
  );
}

function whyOf({ question, answer }: Answered, measure: string): string | undefined {
  if (question.aims.some(({ quantity }) => quantity.name === measure)) return 'the goal';
  const bounded = [...answer.guards, ...(question.asked.request.constraints ?? [])];
  return bounded.some((c) => c.measure === measure) ? 'limited' : undefined;
}

/** Also what got worse; measures that say the same another way are folded away. */
export function Gain({ found, shown }: { found: Answered; shown: readonly Effect[] }) {
  const { question, answer, slice } = found;
  const { effects, reference } = answer;
  if (reference === null || effects.length === 0) return null;
  const rest = effects.filter((e) => !shown.includes(e));
  const head = (
    <thead>
      <tr>
        <th scope="col">Gain and cost</th>
        <th scope="col">{referenceWords(question, answer, slice.layout)}</th>
        <th scope="col">answer</th>
        <th scope="col">change, 95 %</th>
        <th scope="col" className="iv">
          −100 … +100 %
        </th>
      </tr>
    </thead>
  );
  return (
    <>
      <table className="beside gain">
        {head}
        <tbody>
          {shown.map((effect) => (
            <Row key={effect.measure} effect={effect} slice={slice} why={whyOf(found, effect.measure)} />
          ))}
        </tbody>
      </table>
      {dependenceNotes(effects, nameIn(slice)).map((note) => (
        <p className="note" key={note}>
          {note}
        </p>
      ))}
      {rest.length > 0 && (
        <details className="more">
          <summary>{rest.length === 1 ? 'One more measure' : `${rest.length} more measures`}</summary>
          <table className="beside gain">
            {head}
            <tbody>
              {rest.map((effect) => (
                <Row key={effect.measure} effect={effect} slice={slice} />
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  );
}

/** The limits on the delay to choose from; nothing is chosen for anybody. */
export function Offers(props: {
  offers: readonly Offer[];
  found: Answered;
  tracked: (effects: readonly Effect[]) => readonly Effect[];
  choose: (offer: Offer) => void;
}) {
  const { offers, found, tracked, choose } = props;
  const { slice, question, answer } = found;
  const columns = [...new Set(offers.flatMap(({ effects }) => tracked(effects).map((e) => e.measure)))].slice(0, 2);
  const against = referenceWords(question, answer, slice.layout);
  return (
    <table className="beside gain offers">
      <thead>
        <tr>
          <th scope="col">Limit on the delay</th>
          <th scope="col">would set</th>
          {columns.map((name) => {
            const quantity = quantityOf(slice, name);
            return (
              <th scope="col" key={name}>
                {quantity && shortMeasure(quantity)}
                <small>against {against}, 95 %</small>
              </th>
            );
          })}
          <td />
        </tr>
      </thead>
      <tbody>
        {offers.map((offer) => (
          <tr key={offer.atMost}>
            <th scope="row">{offer.limit}</th>
            <td data-of="would set">{offer.setting}</td>
            {columns.map((name) => {
              const effect = offer.effects.find((e) => e.measure === name);
              const quantity = quantityOf(slice, name);
              return (
                <td className="ch" key={name} data-of={quantity && shortMeasure(quantity)}>
                  {effect ? <Change effect={effect} /> : offer.chosen ? 'no change' : '–'}
                </td>
              );
            })}
            <td>
              <button type="button" className="quiet small boxed" onClick={() => choose(offer)}>
                Choose<span className="sr"> {offer.limit}</span>
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
