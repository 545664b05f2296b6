// SPDX-License-Identifier: Apache-2.0
// What stands above the lines, and what that figure asks for.
import { useState } from 'react';
import { mayComeYet } from '../../api/copy';
import { isMissing, reasonOfChoice } from '../../api/errors';
import { lazyPart } from '../../components/lazyPart';
import { Segmented } from '../../components/Segmented';
import { type Contrast, FIGURES, type Figure, START_TURN, sameTurn, unavailable } from '../../state/figure';
import { useExplorer, useFrame } from './context';
import type { Other } from './useOther';

const PartnerMenu = lazyPart('The list of experiments', async () => (await import('./PartnerMenu')).PartnerMenu);

const LABELS: Readonly<Record<Figure, string>> = {
  map: 'Map',
  '3d': '3D',
  residuals: 'Residuals',
  difference: 'Difference',
  limits: 'Limits',
};

const CONTRASTS: readonly { value: Contrast; label: string }[] = [
  { value: 'difference', label: 'Difference' },
  { value: 'ratio', label: 'Ratio' },
  { value: 'errors', label: 'Standard errors' },
];

function TurnBack() {
  const { store } = useExplorer();
  const [away, setAway] = useState(false);
  useFrame(({ state }) => {
    const now = !sameTurn(state.turn, START_TURN);
    if (now !== away) setAway(now);
  });
  return (
    <>
      <span className="note">Drag or use the arrow keys to turn it.</span>
      <button
        type="button"
        className="quiet small boxed"
        disabled={!away}
        onClick={() => store.update({ turn: START_TURN })}
      >
        Reset view
      </button>
    </>
  );
}

/** What the difference map has to say about its partner. */
function partnerWords(other: Other, settings: number): string {
  if (other.error) return `Not available: ${reasonOfChoice(other.error)}`;
  if (other.slug === null) return 'Choose what to compare with.';
  if (!other.data) return 'Loading its cells…';
  return settings === 0 ? 'It has no setting of this plane with this measure.' : '';
}

/** An address can ask for a figure that is not available. The page says so, because what it draws instead looks like the answer. */
function Instead({ asked }: { asked: Figure }) {
  const { view, store } = useExplorer();
  const why = asked === view.figure ? null : unavailable(asked, view);
  if (why === null) return null;
  return (
    <span className="note" role="status">
      Not drawn as {LABELS[asked]}: {why}.{' '}
      <button type="button" className="inline" onClick={() => store.update({ figure: view.figure })}>
        Dismiss
      </button>
    </span>
  );
}

export function FigureBar({ other }: { other: Other }) {
  const { view, store, subject } = useExplorer();
  const { contrast, figure: asked } = store.get();
  if (view.layout.shape !== 'plane')
    return asked === view.figure ? null : (
      <div className="figurebar">
        <Instead asked={asked} />
      </div>
    );
  const own = new Set(view.points.map((p) => `${p.x},${p.y}`));
  const common = view.partner?.points.filter((p) => own.has(`${p.x},${p.y}`)).length ?? 0;
  const offered = FIGURES.filter((f) => subject.of === 'experiment' || (f !== 'residuals' && f !== 'difference'));
  const said = view.figure === 'difference' ? partnerWords(other, common) : '';
  return (
    <div className="figurebar">
      <Segmented
        tiny
        label="Figure"
        value={view.figure}
        segments={offered.map((value) => {
          const why = unavailable(value, view);
          return { value, label: LABELS[value], ...(why ? { unavailable: why } : {}) };
        })}
        onChange={(figure) => store.update({ figure })}
      />
      <Instead asked={asked} />
      {view.figure === '3d' && <TurnBack />}
      {view.figure === 'difference' && <PartnerMenu other={other} />}
      {(view.figure === 'residuals' || (view.figure === 'difference' && common > 0)) && (
        <Segmented
          tiny
          label="How they are compared"
          value={contrast}
          segments={CONTRASTS}
          onChange={(next) => store.update({ contrast: next })}
        />
      )}
      {said && (
        <span className="note" role="status">
          {said}{' '}
          {other.error !== null && !isMissing(other.error) && mayComeYet(other.error) && (
            <button type="button" className="inline" onClick={other.again}>
              Try again
            </button>
          )}
        </span>
      )}
    </div>
  );
}
