// SPDX-License-Identifier: Apache-2.0
// The card of what the reader asks about. Its contents are fetched with the first question.
import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react';
import { type ActiveTerm, activeTerm, close } from '../../components/definition';

export function Definitions({ path }: { path: string }) {
  const { now } = useSyncExternalStore(activeTerm.subscribe, activeTerm.get);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the card
  useEffect(() => () => close(false), [path]);
  const [Card, setCard] = useState<ComponentType<{ activeTerm: ActiveTerm }> | null>(null);
  const wanted = now !== null;
  useEffect(() => {
    if (!wanted) return;
    // one that does not come can be asked for again
    import('./Card').then(
      (fetched) => setCard(() => fetched.Card),
      () => close(),
    );
  }, [wanted]);
  return now && Card && <Card activeTerm={now} />;
}
