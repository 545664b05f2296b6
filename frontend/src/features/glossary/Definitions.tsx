// SPDX-License-Identifier: Apache-2.0
// The card of what the reader asks about. Its contents are fetched with the first question.
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { asked, close, followQuestions } from '../../components/definition';

const Card = lazy(() => import('./Card'));

export function Definitions({ path }: { path: string }) {
  const { now } = useSyncExternalStore(asked.subscribe, asked.get);
  useEffect(() => followQuestions(document), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the card
  useEffect(() => () => close(false), [path]);
  if (!now) return null;
  return (
    <Suspense fallback={null}>
      <Card asked={now} />
    </Suspense>
  );
}
