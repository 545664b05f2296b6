// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLink } from '../../../src/api/queries';
import { ShareMenu } from '../../../src/features/share/ShareMenu';
import { press, render, settle } from '../render';

vi.mock('../../../src/api/queries', () => ({ createLink: vi.fn() }));

type Link = Awaited<ReturnType<typeof createLink>>;
const copied = vi.fn(async () => undefined);

beforeEach(() => {
  copied.mockClear();
  vi.stubGlobal('navigator', { clipboard: { writeText: copied } });
});

/** Asks for a short link, goes on to another view or stays, and then the server answers. */
async function asked(answer: () => Link, next?: string): Promise<HTMLElement> {
  history.replaceState(null, '', '/explorer/nfs?alpha=1');
  let come = (): void => undefined;
  const awaited = new Promise<void>((resolve) => {
    come = resolve;
  });
  vi.mocked(createLink).mockReturnValue(awaited.then(answer));
  const page = await render(<ShareMenu />);
  await press([...page.querySelectorAll('[role=menuitem]')].find((i) => i.textContent?.startsWith('Short link')));
  if (next) history.replaceState(null, '', next);
  await act(async () => come());
  await settle();
  return page;
}

const made = () => ({ token: 'abc' }) as Link;
const failed = (): Link => {
  throw new Error('It is full.');
};

describe('a short link', () => {
  it('is shown and copied in the view that it was asked for in', async () => {
    const page = await asked(made);
    expect(page.querySelector('input')?.value).toMatch(/\/l\/abc$/);
    expect(copied).toHaveBeenCalledOnce();
    expect((await asked(failed)).textContent).toContain('No short link: It is full.');
  });

  it.each(['/explorer/nfs?alpha=2', '/models'])('is dropped when %s is on the screen by then', async (next) => {
    expect((await asked(made, next)).querySelector('input')).toBeNull();
    expect(copied).not.toHaveBeenCalled();
    expect((await asked(failed, next)).textContent).not.toContain('No short link');
  });
});

describe('a link to a server on loopback', () => {
  async function shared(hostname: string): Promise<HTMLElement> {
    vi.spyOn(location, 'hostname', 'get').mockReturnValue(hostname);
    const page = await render(<ShareMenu />);
    await press(page.querySelector('button'));
    await settle();
    return page;
  }

  it.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])('on %s says that it opens here only', async (hostname) => {
    const said = (await shared(hostname)).textContent;
    expect(said).toContain('Local link copied');
    expect(said).toContain(`Links to a server on ${hostname} open on this machine only`);
  });

  it.each(['lab.example', '10.0.0.1', '127.example'])('on %s is like any other', async (hostname) => {
    const said = (await shared(hostname)).textContent;
    expect(said).toContain('Link copied');
    expect(said).not.toContain('this machine');
  });
});
