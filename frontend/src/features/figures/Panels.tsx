// SPDX-License-Identifier: Apache-2.0
import { Named } from '../../components/QuantityName';
import { catalogue } from '../../engine/catalogue';
import type { Figure, Panel } from './definition';
import type { CellsBySlug } from './evaluate';
import { PanelView } from './PanelView';
import { quantitiesOn } from './quantities';

/** The quantity that a panel is named after. */
export function titled(panel: Panel): string | undefined {
  const of = catalogue.quantities.find(({ name }) => name === quantitiesOn(panel).y);
  return of && of.label === panel.title ? of.name : undefined;
}

/** All panels of a figure, as its page shows them. `height` [px]: of the only one. */
export function Panels({ figure, data, height }: { figure: Figure; data: CellsBySlug; height: number }) {
  const several = figure.panels.length > 1;
  return (
    <div className={several ? 'panels several' : 'panels'}>
      {figure.panels.map((panel, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the panels of a definition stand where they stand
        <figure key={i}>
          {panel.title && (
            <figcaption>
              <Named name={titled(panel)}>{panel.title}</Named>
            </figcaption>
          )}
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
