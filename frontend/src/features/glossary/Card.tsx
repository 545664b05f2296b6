// SPDX-License-Identifier: Apache-2.0
import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import { type ActiveTerm, close } from '../../components/definition';
import { Mathematics } from '../../components/Mathematics';
import { type Definition, definitionOf } from '../../engine/definitions';
import { Described } from './Described';
import './glossary.css';
import { rangeWords, sourceWords, unitWords } from './messages';

const GAP = 6;
const EDGE = 8;

/** Below what was asked, above where there is no room; never beyond the window. */
export function placeOf(
  anchor: Pick<DOMRect, 'left' | 'top' | 'bottom'>,
  card: { readonly width: number; readonly height: number },
  view: { readonly width: number; readonly height: number },
): { left: number; top: number } {
  const below = anchor.bottom + GAP;
  const fits = below + card.height + EDGE <= view.height;
  const top = fits ? below : Math.max(EDGE, anchor.top - GAP - card.height);
  return { left: Math.max(EDGE, Math.min(anchor.left, view.width - card.width - EDGE)), top };
}

function Facts({ of }: { of: Definition }) {
  const facts = [
    ['Unit', unitWords(of)],
    ['Typical', of.typical ? rangeWords(of.typical, of.unit) : ''],
    ['Domain', of.text ? '' : rangeWords(of.domain, of.unit) || 'any number'],
    ['Source', sourceWords(of)],
  ];
  return (
    <dl>
      {facts.map(
        ([name, words]) =>
          words && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{words}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Known({ of }: { of: Definition }) {
  return (
    <>
      <header>
        <b>{of.label}</b> {!of.text && <Mathematics className="sym" html={of.symbolMath} />}
      </header>
      <p>
        <Described>{of.description}</Described>
      </p>
      {of.meanings.length > 0 && <p>{of.meanings.map((words, code) => `${code} ${words}`).join(', ')}.</p>}
      <Facts of={of} />
      <footer>
        <code>{of.name}</code>
        <Link href={`/glossary#${of.name}`}>In the glossary</Link>
      </footer>
    </>
  );
}

function Unknown({ name }: { name: string }) {
  return (
    <>
      <header>
        <b>{name.replace(/^factor\./, '').replaceAll('_', ' ')}</b>
      </header>
      <p>This name came with the data or the model; the glossary does not define it.</p>
      <footer>
        <code>{name}</code>
        <Link href="/glossary">Glossary</Link>
      </footer>
    </>
  );
}

export function Card({ activeTerm: { name, anchor, held } }: { activeTerm: ActiveTerm }) {
  const card = useRef<HTMLDivElement>(null);
  const definition = definitionOf(name);

  useLayoutEffect(() => {
    const box = card.current;
    if (!box) return;
    if (!box.matches(':popover-open')) box.showPopover?.();
    const { clientWidth, clientHeight } = document.documentElement;
    const size = { width: box.offsetWidth, height: box.offsetHeight };
    const { left, top } = placeOf(anchor.getBoundingClientRect(), size, { width: clientWidth, height: clientHeight });
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
    if (held) box.focus({ preventScroll: true });
  }, [anchor, held]);

  // it stands at the end of the page: leaving it by Tab means going on from where it was opened
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Tab') return;
    const links = [...(card.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const leaves = event.shiftKey ? at <= 0 : at === links.length - 1;
    if (!leaves) return;
    event.preventDefault();
    close();
  }

  return (
    <div
      ref={card}
      className="definition"
      popover="manual"
      role="dialog"
      tabIndex={-1}
      aria-label={`Definition: ${definition?.label ?? name}`}
      onKeyDown={onKeyDown}
    >
      {definition ? <Known of={definition} /> : <Unknown name={name} />}
    </div>
  );
}
