// SPDX-License-Identifier: Apache-2.0
// What was set for a run, and what came out.
import { useQuantities } from '../../api/queries';
import type { Quantity, RunDetail } from '../../api/types';
import { labelOf, levelInWords } from '../../components/factorWords';
import { QuantityName } from '../../components/QuantityName';
import { measuresOf, number, plain, settingsOf } from './messages';

const unitOf = (name: string, quantities: readonly Quantity[] | undefined) =>
  quantities?.find((quantity) => quantity.name === name)?.unit ?? '';

export function Settings({ run }: { run: RunDetail }) {
  const quantities = useQuantities().data;
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">Factor</th>
          <th scope="col" className="n">
            Requested
          </th>
          <th scope="col" className="n">
            Level used
          </th>
          <th scope="col">Unit</th>
        </tr>
      </thead>
      <tbody>
        {settingsOf(run.factors, run.requested).map(({ name, requested, counts }) => {
          const differs = requested !== null && counts !== null && requested !== counts;
          return (
            <tr key={name}>
              <th scope="row">
                <QuantityName name={name}>{labelOf(name, quantities)}</QuantityName>
              </th>
              <td className="n">{requested === null ? '–' : levelInWords(requested)}</td>
              <td className={`n value ${differs ? 'differs' : ''}`}>
                {counts === null ? '–' : levelInWords(counts)}
                {differs && <small> not as requested</small>}
              </td>
              <td>{unitOf(name, quantities)}</td>
            </tr>
          );
        })}
        <tr>
          <th scope="row">Replicate</th>
          <td className="n" />
          <td className="n value">{plain(run.replicate)}</td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}

export function Measures({ run }: { run: RunDetail }) {
  const quantities = useQuantities().data;
  const names = measuresOf(run, quantities);
  if (!names.length) return <p>None could be made from this run.</p>;
  return (
    <table className="list">
      <thead>
        <tr>
          <th scope="col">Measure</th>
          <th scope="col" className="n">
            Value
          </th>
          <th scope="col">Unit</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const { value, sd, n } = run.measures[name] ?? { value: null, sd: null, n: 0 };
          return (
            <tr key={name}>
              <th scope="row">
                <QuantityName name={name}>{labelOf(name, quantities)}</QuantityName>
              </th>
              <td className="n value">
                {value === null ? <small>not available</small> : number(value)}
                {n > 1 && (
                  <small>
                    {' '}
                    mean of {n}
                    {sd !== null && `, sd ${number(sd)}`}
                  </small>
                )}
              </td>
              <td>{value !== null && unitOf(name, quantities)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
