// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { act } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/errors';
import type { Experiment } from '../../../src/api/types';
import { ChangeExperiment } from '../../../src/features/experiments/change/ChangeExperiment';
import { DeletedExperiments } from '../../../src/features/experiments/change/DeletedExperiments';
import { asText, changeOf } from '../../../src/features/experiments/change/messages';
import { NoExperiment } from '../../../src/features/experiments/change/NoExperiment';
import { press, render, settle } from '../render';

const lab = {
  slug: 'lab',
  title: 'The lab',
  subtitle: '',
  kind: 'measured',
  source: { citation: 'Us 2026', url: null, licence: null, how_made: null, notes: ['One.', 'Two.'] },
} as unknown as Experiment;

/** Requests as they come: method, path and body. */
function sent(status = 200, answer: unknown = {}): [string, string, unknown][] {
  const requests: [string, string, unknown][] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    const text = await request.text();
    requests.push([request.method, new URL(request.url).pathname, text ? JSON.parse(text) : null]);
    return new Response(JSON.stringify(answer), { status, headers: { 'Content-Type': 'application/json' } });
  });
  return requests;
}

async function type(input: HTMLInputElement | null, text: string): Promise<void> {
  if (!input) throw new Error('There is nothing to type into.');
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {};
  await act(async () => {
    set?.call(input, text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

const button = (page: HTMLElement, text: string) =>
  [...page.querySelectorAll('button')].find(({ textContent }) => textContent === text);

async function submit(page: HTMLElement): Promise<void> {
  const form = page.querySelector('form');
  await act(async () => form?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })));
  await settle();
}

afterEach(() => vi.unstubAllGlobals());

describe('what a form says of an experiment', () => {
  const said = asText(lab);

  it('is nothing where nothing differs, or the title is gone', () => {
    expect(changeOf(lab, said)).toBeNull();
    expect(changeOf(lab, { ...said, title: ' The lab ' })).toBeNull();
    expect(changeOf(lab, { ...said, title: ' ', subtitle: 'x' })).toBeNull();
  });

  it('is what differs and nothing else', () => {
    expect(changeOf(lab, { ...said, title: 'Two hosts ' })).toEqual({ title: 'Two hosts' });
    expect(changeOf(lab, { ...said, subtitle: 'MTU' })).toEqual({ subtitle: 'MTU' });
    expect(changeOf(lab, { ...said, notes: 'One.\n\n Three.\n' })).toEqual({ source: { notes: ['One.', 'Three.'] } });
  });

  it('removes what was emptied', () => {
    expect(changeOf(lab, { ...said, citation: '', notes: '' })).toEqual({ source: { citation: null, notes: [] } });
  });
});

describe('an experiment', () => {
  it('is renamed, and its address is said to stay', async () => {
    const requests = sent();
    const page = await render(<ChangeExperiment experiment={lab} />);
    await press(button(page, 'Edit'));
    expect(page.querySelector('dialog')?.textContent).toContain('Its address stays lab');
    expect(button(page, 'Save')?.disabled).toBe(true);
    await type(page.querySelector('dialog input'), 'Two hosts');
    expect(button(page, 'Save')?.disabled).toBe(false);
    await submit(page);
    expect(requests).toEqual([['PATCH', '/api/experiments/lab', { title: 'Two hosts' }]]);
    expect(page.querySelector('dialog')).toBeNull();
  });

  it('is deleted once that was confirmed', async () => {
    const requests = sent();
    const page = await render(<ChangeExperiment experiment={lab} />);
    await press(button(page, 'Delete'));
    expect(requests).toEqual([]);
    await submit(page);
    expect(requests).toEqual([['DELETE', '/api/experiments/lab', null]]);
  });

  it('says why it was not changed', async () => {
    const error = { code: 'of_a_data_set', message: 'It is of a data set.', where: {}, advice: null, problems: [] };
    sent(409, { error });
    const page = await render(<ChangeExperiment experiment={lab} />);
    await press(button(page, 'Delete'));
    await submit(page);
    expect(page.querySelector('[role="alert"]')?.textContent).toBe('Not changed: It is of a data set.');
  });

  it('that is published is not offered to be changed', async () => {
    const page = await render(<ChangeExperiment experiment={{ ...lab, of_a_data_set: true }} />);
    expect(page.querySelector('button')).toBeNull();
  });
});

describe('the address of an experiment that is not there', () => {
  const refusal = (code: string) => new ApiError(404, { code, message: 'It was deleted.', where: {}, advice: null });

  it('restores what was deleted', async () => {
    const requests = sent();
    const page = await render(<NoExperiment slug="lab" error={refusal('experiment_deleted')} />);
    expect(page.textContent).toContain('It was deleted.');
    await press(button(page, 'Restore it'));
    expect(requests).toEqual([['POST', '/api/experiments/lab/restoration', null]]);
  });

  it('says that a data set of the program is not there yet, or why it never will be', async () => {
    const states = [
      { slug: 'lab', state: 'loading', message: null },
      { slug: 'torn', state: 'failed', message: 'Its archive is damaged.' },
    ];
    sent(200, { datasets: states });
    const loading = await render(<NoExperiment slug="lab" error={refusal('not_found')} />);
    expect(loading.querySelector('h1')?.textContent).toBe('The data set lab is being loaded');
    const failed = await render(<NoExperiment slug="torn" error={refusal('not_found')} />);
    expect(failed.textContent).toContain('Its archive is damaged.');
    const other = await render(<NoExperiment slug="other" error={refusal('not_found')} />);
    expect(other.textContent).toContain('There is no experiment named other');
  });

  it('offers nothing where there was nothing', async () => {
    sent(200, { datasets: [] });
    const page = await render(<NoExperiment slug="lab" error={refusal('not_found')} />);
    expect(page.textContent).toContain('There is no experiment named lab');
    expect(page.querySelector('button')).toBeNull();
  });
});

describe('what was deleted', () => {
  const gone = { slug: 'lab', title: 'The lab', kind: 'measured', runs: 1, deleted_at: '2026-01-31T12:05:00.000Z' };

  it('is listed with its runs and the way back', async () => {
    const requests = sent(200, [gone, { ...gone, slug: 'other', title: 'Another', runs: 12 }]);
    const page = await render(<DeletedExperiments />);
    expect(page.querySelector('summary')?.textContent).toBe('2 deleted experiments');
    expect([...page.querySelectorAll('li span')].map(({ textContent }) => textContent)).toEqual([
      '1 run, deleted on 2026-01-31 at 12:05 UTC',
      '12 runs, deleted on 2026-01-31 at 12:05 UTC',
    ]);
    await press(button(page, 'Restore'));
    expect(requests[1]).toEqual(['POST', '/api/experiments/lab/restoration', null]);
    expect(requests[2].slice(0, 2)).toEqual(['GET', '/api/deleted-experiments']);
  });

  it('is not spoken of where there is nothing', async () => {
    sent(200, []);
    expect((await render(<DeletedExperiments />)).innerHTML).toBe('');
  });
});
