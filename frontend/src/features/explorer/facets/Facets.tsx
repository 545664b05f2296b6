// SPDX-License-Identifier: Apache-2.0
// Small multiples: every level of the facet on the same axes and scales. The chosen one has the crosshair, the large picture and the panel.
import { type KeyboardEvent, memo, useRef } from 'react';
import { draw } from '../../../layers/svg';
import { withLevel } from '../../../state/explorer';
import type { Facet } from '../../../state/view';
import { useExplorer, useFrame, useSized } from '../context';
import { levelWords } from '../figure/messages';
import { cellsWords, lede, SMALL_HEIGHT, smallNeedle, smallShapes } from './small';

function Small({ facet }: { facet: Facet }) {
  const { view } = useExplorer();
  const svg = useSized<SVGSVGElement>();
  const shown = useRef<unknown[]>([]);
  useFrame(({ state }) => {
    const host = svg.element.current;
    const width = svg.width.current;
    const crosshair = facet.chosen ? [state.x, state.y] : [];
    const now = [view, facet, width, ...crosshair];
    if (!host || width === 0 || now.every((v, i) => v === shown.current[i])) return;
    shown.current = now;
    draw(host, [...smallShapes(view, facet, width), ...(facet.chosen ? smallNeedle(view, state, width) : [])]);
  });
  return <svg ref={svg.attach} className="plot" height={SMALL_HEIGHT} aria-hidden="true" />;
}

export const Facets = memo(function Facets() {
  const { view, store, schema } = useExplorer();
  const list = useRef<HTMLDivElement>(null);
  const { facets } = view;
  const { facet } = view.layout;
  if (!facet) return null;
  const choose = (level: Facet['level']) => store.set(withLevel(store.get(), facet.name, level, schema));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = facets.findIndex((f) => f.chosen);
    const next = (at + step + facets.length) % facets.length;
    choose(facets[next].level);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  const words = (level: Facet['level']) => `${levelWords(level)}${facet.unit ? ` ${facet.unit}` : ''}`;
  return (
    <section className="facets" aria-label={`Facets: ${facet.label}`}>
      <p className="note">{lede(facet)} The chosen one is drawn below.</p>
      <div ref={list} role="radiogroup" aria-label={facet.label} onKeyDown={onKeyDown}>
        {facets.map((f) => (
          <button
            key={`${typeof f.level} ${f.level}`}
            type="button"
            role="radio"
            aria-checked={f.chosen}
            tabIndex={f.chosen ? 0 : -1}
            onClick={() => choose(f.level)}
          >
            <span>
              {words(f.level)} <small>{cellsWords(f.points.length)}</small>
            </span>
            <Small facet={f} />
          </button>
        ))}
      </div>
    </section>
  );
});
