// SPDX-License-Identifier: Apache-2.0
// Where an experiment is from: its source, what was held fixed, what its authors say of it.
import type { Experiment } from '../../../api/types';
import { QuantityName } from '../../../components/QuantityName';
import { Rich } from '../../../components/Rich';
import { catalogue } from '../../../engine/catalogue';
import { levelWords } from '../figure/messages';

export function SourceLink({ experiment }: { experiment: Experiment }) {
  const { url } = experiment.source;
  const note = experiment.source_note ?? (url ? 'source' : null);
  if (!note) return null;
  return url ? (
    <a href={url} rel="noreferrer" target="_blank">
      {note}
    </a>
  ) : (
    <span className="note">{note}</span>
  );
}

/** Sources mostly use words of their own; some are the glossary's. */
const nameOf = (label: string): string | null => catalogue.quantities.find((q) => q.label === label)?.name ?? null;

export function Fixed({ experiment }: { experiment: Experiment }) {
  const single = experiment.factors.filter((f) => f.levels.length === 1 && f.name !== 'mtu_bytes');
  const rows = [
    ...single.map((f) => ({
      name: f.name,
      label: f.label,
      value: `${levelWords(f.levels[0])}${f.unit ? ` ${f.unit}` : ''}`,
    })),
    ...experiment.fixed.map((each) => ({ name: nameOf(each.label), ...each })),
  ];
  if (rows.length === 0) return null;
  return (
    <div className="block fixed">
      <h2 className="cap">Held fixed</h2>
      <dl>
        {rows.map(({ name, label, value }) => (
          <div key={label}>
            <dt>{name === null ? label : <QuantityName name={name}>{label}</QuantityName>}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function Notes({ experiment }: { experiment: Experiment }) {
  const notes = experiment.notes.length > 0 ? experiment.notes : experiment.source.notes;
  const { citation, how_made, licence } = experiment.source;
  if (notes.length === 0 && !citation && !how_made) return null;
  return (
    <div className="block notes">
      {notes.map((note) => (
        <p className="note" key={note}>
          <Rich>{note}</Rich>
        </p>
      ))}
      {(citation || how_made || licence) && (
        <details className="more">
          <summary>Source</summary>
          {[citation, how_made, licence].map(
            (part) =>
              part && (
                <p className="note" key={part}>
                  <Rich>{part}</Rich>
                </p>
              ),
          )}
        </details>
      )}
    </div>
  );
}
