// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'react';
import { Mathematics } from '../../components/Mathematics';
import { mathml } from '../../engine/mathml';
import type { OwnModel } from '../../state/userModel';

/** The output that is looked at, and the others on request. */
export function Equations({ own, output }: { own: OwnModel; output: string }) {
  const markup = useMemo(() => {
    const shown = [output, ...[...own.latex.keys()].filter((name) => name !== output)];
    return shown.map((name) => ({ name, html: mathml(own.latex.get(name) ?? '', true) }));
  }, [own, output]);
  const [first, ...others] = markup;
  const line = ({ name, html }: { name: string; html: string }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long equation scrolls sideways, also by keyboard
    <div key={name} className="eq" tabIndex={0} role="group" aria-label={`Equation of ${name}`}>
      <Mathematics html={html} />
    </div>
  );
  return (
    <div className="equations">
      {line(first)}
      {others.length > 0 && (
        <details>
          <summary>The other outputs</summary>
          {others.map(line)}
        </details>
      )}
    </div>
  );
}
