// SPDX-License-Identifier: Apache-2.0
// Every quantity: name, symbol, unit, meaning, source. Each has an address of its own, /glossary#name.

import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Mathematics } from '../../components/Mathematics';
import { Section } from '../../components/Section';
import { useTitle } from '../../components/title';
import { DEFINITIONS, type Definition, modelsOf } from '../../engine/definitions';
import { currentFragment, followAddress } from '../../state/address';
import { Described } from './Described';
import './glossary.css';
import { answers, ROLES, rangeWords, sourceWords, unitWords } from './messages';

/** The quantity that the address names is brought into sight and marked. */
function useNamed(): string {
  const [named, setNamed] = useState(currentFragment);
  useEffect(() => followAddress(() => setNamed(currentFragment())), []);
  useEffect(() => {
    if (named === '') return;
    // after the page has been brought to its top
    const frame = requestAnimationFrame(() => document.getElementById(named)?.scrollIntoView({ block: 'center' }));
    return () => cancelAnimationFrame(frame);
  }, [named]);
  return named;
}

function useTyped(): [string, (typed: string) => void] {
  const [params, setParams] = useSearchParams();
  return [params.get('q') ?? '', (typed) => setParams(typed ? { q: typed } : {}, { replace: true })];
}

function Ranges({ of }: { of: Definition }) {
  if (of.text) return null;
  const parts = [
    of.typical && `Typically ${rangeWords(of.typical, '')}`,
    rangeWords(of.domain, '') && `Domain ${rangeWords(of.domain, '')}`,
  ].filter(Boolean);
  return parts.length > 0 && <>{parts.join('. ')}. </>;
}

function Row({ of, here }: { of: Definition; here: boolean }) {
  const models = modelsOf(of.name);
  return (
    <tr id={of.name} className={here ? 'here' : undefined} aria-current={here || undefined}>
      <th scope="row">
        <b>
          <a href={`#${of.name}`}>{of.label}</a>
        </b>
        <code>{of.name}</code>
      </th>
      <td>{!of.text && <Mathematics className="sym" html={of.symbolMath} />}</td>
      <td className="unit">{unitWords(of)}</td>
      <td className="means">
        <p>
          <Described>{of.description}</Described>
        </p>
        {of.meanings.length > 0 && <p>{of.meanings.map((words, code) => `${code} ${words}`).join(', ')}.</p>}
        <p className="note">
          <Ranges of={of} />
          {sourceWords(of)}.
          {models.length > 0 && (
            <>
              {' '}
              In the models{' '}
              {models.map(({ id, title }, i) => (
                <span key={id}>
                  {i > 0 && ', '}
                  <Link href={`/models/${id}/about`}>{title}</Link>
                </span>
              ))}
              .
            </>
          )}
        </p>
      </td>
    </tr>
  );
}

export function GlossaryPage() {
  useTitle('Glossary');
  const named = useNamed();
  const [typed, setTyped] = useTyped();
  const found = DEFINITIONS.filter((q) => answers(q, typed));
  return (
    <div className="page glossary">
      <header className="lede">
        <h1>Glossary</h1>
        <p>
          Every quantity has one name, used alike on this page, in tables, in JSON and in Python, and its numbers are in
          the unit given here.
        </p>
      </header>
      <label className="field find">
        Find a quantity
        <input type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
        <small role="status">
          {found.length} of {DEFINITIONS.length}
        </small>
      </label>
      {ROLES.map(([role, title, meaning]) => {
        const rows = found.filter((q) => q.role === role);
        if (rows.length === 0) return null;
        return (
          <Section key={role} id={`role-${role}`} title={title}>
            <p className="lead">{meaning}</p>
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Symbol</th>
                  <th scope="col">Unit</th>
                  <th scope="col">Meaning</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((q) => (
                  <Row key={q.name} of={q} here={q.name === named} />
                ))}
              </tbody>
            </table>
          </Section>
        );
      })}
      {found.length === 0 && <p>No quantity has all of these words.</p>}
    </div>
  );
}
