// SPDX-License-Identifier: Apache-2.0
import { useEquations } from '../../engine/equations';
import type { BundledModel } from '../../state/models';
import './Equation.css';
import { Mathematics } from '../../components/Mathematics';

/** So many definitions stand below the equation at once; more unfold. */
const OPEN = 2;

/** What a model says of an output: one equation, and below it what its symbols stand for. */
export function Equation({ model, output, label }: { model: BundledModel; output: string; label: string }) {
  const [first, ...rest] = useEquations(model.id)?.[output] ?? [];
  const definitions = (
    <ul>
      {rest.map((html) => (
        <li key={html}>
          <Mathematics html={html} />
        </li>
      ))}
    </ul>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long equation scrolls sideways, also by keyboard
    <div className="eq" tabIndex={0} role="group" aria-label={label}>
      <Mathematics html={first ?? ''} />
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
