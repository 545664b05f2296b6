// SPDX-License-Identifier: Apache-2.0

import { inSentence } from '../../../components/factorWords';
import { QuantityName } from '../../../components/QuantityName';
import type { Point } from '../../../state/layout';
import { useExplorer } from '../context';
import { settingText, shortName } from '../figure/messages';

export function settingOf(view: ReturnType<typeof useExplorer>['view'], p: { x: number; y: number }): string {
  const { x, y } = view.layout;
  return [y && y.levels.length > 1 ? settingText(y, p.y) : '', x && x.levels.length > 1 ? settingText(x, p.x) : '']
    .filter(Boolean)
    .join(' / ');
}

/** A cell's setting at the head of its row: pressing it brings the crosshair there. */
export function SettingHead({ point }: { point: Point }) {
  const { view, store } = useExplorer();
  const { x, y } = view.layout;
  return (
    <th scope="row">
      <button type="button" onClick={() => store.update({ x: x ? point.x : null, y: y ? point.y : null })}>
        {settingOf(view, point) || 'cell'}
      </button>
    </th>
  );
}

export function SettingNames() {
  const { view } = useExplorer();
  const { x, y } = view.layout;
  const up = y && y.levels.length > 1 ? y : null;
  const across = x && x.levels.length > 1 ? x : null;
  return (
    <>
      {up && <QuantityName name={up.name}>{shortName(up)}</QuantityName>}
      {up && across && ' / '}
      {across && <QuantityName name={across.name}>{inSentence(shortName(across))}</QuantityName>}
    </>
  );
}
