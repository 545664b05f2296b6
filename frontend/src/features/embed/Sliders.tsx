// SPDX-License-Identifier: Apache-2.0
// The model's parameters below a drawing that stands alone.
import { useExplorer } from '../explorer/context';
import { Parameter } from '../explorer/panel/Parameter';

export function Sliders() {
  const { view, toFit } = useExplorer();
  if (view.sliders.length === 0) return null;
  return (
    <section className="sliders" aria-label="Parameters">
      <div className="params">
        {view.sliders.map((slider) => (
          <Parameter key={slider.name} slider={slider} />
        ))}
      </div>
      <button type="button" className="quiet small boxed" onClick={toFit}>
        {view.fit ? 'Back to the fit' : 'Start values'}
      </button>
    </section>
  );
}
