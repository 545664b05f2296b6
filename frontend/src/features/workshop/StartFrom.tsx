// SPDX-License-Identifier: Apache-2.0
// Where the text in the editor is from, and what else it can start from.
import { Link } from 'wouter';
import { catalogue } from '../../engine/catalogue';
import { TEMPLATE } from '../../engine/sources';
import type { Origin } from './opened';

export function Provenance({ origin, edited }: { origin: Origin; edited: boolean }) {
  if (origin.from === 'catalogue')
    return (
      <p className="note">
        {edited ? 'Changed from ' : ''}
        <Link href={`/models/${origin.model}`}>{origin.title}</Link>, <code>{origin.file}</code>, line {origin.line}
      </p>
    );
  const words = { template: 'The template', link: 'From a link', file: '', graph: '' }[origin.from];
  return (
    <p className="note">
      {words || ('name' in origin ? `From the file ${origin.name}` : '')}
      {edited ? ', changed' : ''}
    </p>
  );
}

export function StartFrom({ origin, onChoose }: { origin: Origin; onChoose(id: string): void }) {
  const value = origin.from === 'catalogue' ? origin.model : origin.from === 'template' ? TEMPLATE : '';
  return (
    <label className="start">
      Start from
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        {value === '' && <option value="">{origin.from === 'link' ? 'a link' : 'a file'}</option>}
        <option value={TEMPLATE}>the template</option>
        <optgroup label="Models of the catalogue">
          {catalogue.models.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}
