// SPDX-License-Identifier: Apache-2.0
import { useSyncExternalStore } from 'react';
import { tokenQuestion } from '../api/token';
import { lazyPart } from '../components/lazyPart';

const TokenQuestion = lazyPart('The question for a token', async () => (await import('./TokenQuestion')).TokenQuestion);

/** Appears when a request was answered 401; the request waits for the answer and is sent again. */
export function TokenPrompt() {
  const open = useSyncExternalStore(tokenQuestion.subscribe, tokenQuestion.isOpen);
  return open ? <TokenQuestion /> : null;
}
