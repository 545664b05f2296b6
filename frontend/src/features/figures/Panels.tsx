// SPDX-License-Identifier: Apache-2.0
import type { Figure } from './definition';
import type { CellsBySlug } from './evaluate';
import { PanelView } from './PanelView';

/** All panels of a figure, as its page shows them. `height` [px]: of the only one. */
export function Panels({ figure, data, height }: { figure: Figure; data: CellsBySlug; height: number }) {
  const several = figure.panels.length > 1;
  return (
    <div className={several ? 'panels several' : 'panels'}>
      {figure.panels.map((panel, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the panels of a definition stand where they stand
        <figure key={i} aria-label={panel.title ?? figure.title}>
          {panel.title && <figcaption>{panel.title}</figcaption>}
          <PanelView
            panel={panel}
            data={data}
            label={`${panel.title ? `${panel.title}: ` : ''}${figure.title}`}
            height={several ? Math.min(height, 360) : height}
          />
        </figure>
      ))}
    </div>
  );
}
