// SPDX-License-Identifier: Apache-2.0
// Renders a part of the page in happy-dom, with a server made of canned answers.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { vi } from 'vitest';

type Answer = { status?: number; body: unknown };

/** Answers by path; a path that is not listed is answered 404 in the one error shape. */
export function serve(answers: Record<string, Answer>): void {
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url);
    const unknown = { error: { code: 'not_found', message: 'Nothing here.', where: {}, advice: null, problems: [] } };
    const { status = 200, body } = answers[pathname] ?? { status: 404, body: unknown };
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
  });
}

export async function render(part: ReactNode): Promise<HTMLElement> {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  // happy-dom has no popovers; what they show is in the document all the same.
  HTMLElement.prototype.hidePopover ??= () => undefined;
  const host = document.createElement('div');
  document.body.replaceChildren(host);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const root = createRoot(host);
  await act(async () => root.render(<QueryClientProvider client={client}>{part}</QueryClientProvider>));
  await settle();
  return host;
}

export async function settle(): Promise<void> {
  // An answer may lead to another question.
  for (let round = 0; round < 4; round++)
    await act(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
    });
}

export async function press(element: Element | null | undefined): Promise<void> {
  if (!(element instanceof HTMLElement)) throw new Error('There is nothing to press.');
  await act(async () => element.click());
  await settle();
}
