// SPDX-License-Identifier: Apache-2.0
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { useFirstPainted } from '../../components/AfterPaint';
import { useEquations } from '../../engine/equations';
import type { BundledModel } from '../../state/models';
import './Equation.css';
import { Mathematics } from '../../components/Mathematics';

/** So many definitions stand below the equation at once; more unfold. */
const OPEN = 2;

/** What a formula is made smaller for: its scripts keep their least size, so that it has to be measured again. */
const STEPS = 8;

/** As large as its style has it, and smaller where it is wider than its room; at the least size of text, it scrolls. */
function shrink(line: HTMLElement): void {
  const math = line.querySelector('math');
  if (!math) return;
  math.style.fontSize = '';
  let size = Number.parseFloat(getComputedStyle(math).fontSize);
  for (let step = 0; step < STEPS; step++) {
    const [room, wanted] = [line.clientWidth, line.scrollWidth];
    if (wanted <= room || room === 0) return;
    size = Math.floor((size * room * 10) / wanted) / 10;
    math.style.fontSize = `max(var(--text-least), ${size}px)`;
  }
}

/** Lines of the class `one` within a block, each as large as its room lets it be. */
export function useFitted(block: RefObject<HTMLElement | null>, content: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another equation is measured again
  useLayoutEffect(() => {
    const element = block.current;
    if (!element) return;
    const measure = () => {
      for (const line of element.querySelectorAll<HTMLElement>('.one')) shrink(line);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [block, content]);
}

/** What a model says of an output: one equation, and below it what its symbols stand for. */
export function Equation({ model, output, label }: { model: BundledModel; output: string; label: string }) {
  const lines = useEquations(model.id)?.[output];
  // to set formulas and measure them takes a while, which the first surface does not wait for
  const [first, ...rest] = (useFirstPainted() && lines) || [];
  const block = useRef<HTMLDivElement>(null);
  useFitted(block, first ?? '');
  const definitions = (
    <ul>
      {rest.map((html) => (
        <li key={html} className="one">
          <Mathematics html={html} />
        </li>
      ))}
    </ul>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long equation scrolls sideways, also by keyboard
    <div ref={block} className="eq" tabIndex={0} role="group" aria-label={label}>
      <div className="one">
        <Mathematics html={first ?? ''} />
      </div>
      {rest.length > 0 && rest.length <= OPEN && definitions}
      {rest.length > OPEN && (
        <details>
          <summary>where, in {rest.length} lines</summary>
          {definitions}
        </details>
      )}
    </div>
  );
}
