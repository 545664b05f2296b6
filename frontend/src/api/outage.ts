// SPDX-License-Identifier: Apache-2.0
// The server was away: what was asked for meanwhile is asked for again as soon as it answers.
import type { Query, QueryClient } from '@tanstack/react-query';
import { client } from './client';
import { Unreachable } from './errors';

export const LOOK_AGAIN_MS = 3000;

const wasUnreachable = ({ state }: Query): boolean => state.error instanceof Unreachable;

/** Whether the server answers, be it with a refusal. */
async function serverAnswers(): Promise<boolean> {
  try {
    await client.GET('/api/health');
    return true;
  } catch (error) {
    return !(error instanceof Unreachable);
  }
}

/** A server that answers all the while, and only not this, was not away: this is left to “Try again”. */
export function askAgainAfterOutages(queries: QueryClient, answers = serverAnswers): () => void {
  let looking = false;
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    let away = false;
    while (!(await answers())) {
      away = true;
      await new Promise((over) => setTimeout(over, LOOK_AGAIN_MS));
    }
    looking = false;
    if (away) await queries.refetchQueries({ type: 'active', predicate: wasUnreachable });
  }
  return queries.getQueryCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'error' && wasUnreachable(event.query)) void look();
  });
}
