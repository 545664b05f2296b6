// SPDX-License-Identifier: Apache-2.0
// The answers that a view was made from, under the names that copy.ts finds them by.
import { all, body, client, file, withQuery } from './client';
import { type Answers, currentCopy, type KeptAnswer, keptAs } from './copy';
import { ApiError, Unreachable } from './errors';
import { fileAddress } from './home';
import { type Asked, ask } from './recommendations';
import type { ExperimentSummary, Fit, FitRequest, Health, Recommendation } from './types';

async function kept(path: string, as: 'json' | 'text' = 'json'): Promise<[string, unknown]> {
  const [plain, query] = path.split('?');
  const name = keptAs(plain, new URLSearchParams(query));
  if (name === null) throw new Error(`No copy keeps ${path}.`);
  return [name, await (await file(`/api/${path}`))[as]()];
}

/** An answer with what was asked; a refusal is an answer too. */
async function answered(asked: object, answer: () => Promise<unknown>): Promise<KeptAnswer> {
  try {
    return { asked: { ...asked }, answer: await answer() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, where, advice, problems } = error;
    const body = { error: { code, message, where, advice, problems } };
    return { asked: { ...asked }, refusal: { status: error.status, body } };
  }
}

function fitOf(slug: string, asked: FitRequest): Promise<KeptAnswer> {
  const params = { path: { slug } };
  return answered(asked, () => body<Fit>(client.POST('/api/experiments/{slug}/fits', { params, body: asked })));
}

/** Every question; where the answer asks for a limit on the delay, also what each of them gives. */
async function recommended(questions: readonly Asked[]): Promise<KeptAnswer[]> {
  const found = await Promise.all(
    questions.map(async (asked) => {
      const kept = await answered(asked.request, () => ask(asked));
      const limits = (kept.answer as Recommendation | undefined)?.ask ?? [];
      return [kept, ...(await Promise.all(limits.map((limit) => limited(asked, limit))))];
    }),
  );
  return found.flat();
}

function limited(asked: Asked, { factor, at_most: value }: Recommendation['ask'][number]): Promise<KeptAnswer> {
  const { constraints = [] } = asked.request;
  const more = { constraints: [...constraints, { measure: factor, limit: 'at most' as const, value }] };
  const next: Asked =
    asked.of === 'runs'
      ? { ...asked, request: { ...asked.request, ...more } }
      : { ...asked, request: { ...asked.request, ...more } };
  return answered(next.request, () => ask(next));
}

export interface Wanted {
  readonly slug: string;
  /** Runs that the view leaves out. */
  readonly without: readonly string[];
  readonly fits: readonly FitRequest[];
  /** What a recommendation is asked for, goal by goal. */
  readonly questions: readonly Asked[];
  /** The experiment that it is set against. */
  readonly against: string | null;
}

/** Everything that a view asks its server, asked now. */
export async function answersFor({ slug, without, fits, questions, against }: Wanted): Promise<Answers> {
  const own = `experiments/${encodeURIComponent(slug)}`;
  const other = against === null || against === slug ? null : `experiments/${encodeURIComponent(against)}`;
  const [listed, fitted, ofRuns, ofModels, ...entries] = await Promise.all([
    all<ExperimentSummary>('/api/experiments'),
    Promise.all(fits.map((each) => fitOf(slug, each))),
    recommended(questions.filter(({ of }) => of === 'runs')),
    recommended(questions.filter(({ of }) => of === 'model')),
    kept(own),
    kept(withQuery(`${own}/cells`, { without: without.join() })),
    kept(`${own}/export?format=csv&what=cells`, 'text'),
    ...(other ? [kept(other), kept(`${other}/cells`)] : []),
  ]);
  return {
    'experiments.json': listed.filter((each) => each.slug === slug || each.slug === against),
    [`${own}/fits.json`]: fitted,
    [`${own}/recommendations.json`]: ofRuns,
    'recommendations.json': ofModels,
    ...Object.fromEntries(entries),
  };
}

/** The version of the program behind the page. */
export async function programVersion(): Promise<string> {
  return currentCopy()?.version ?? (await body<Health>(client.GET('/api/health', {}))).version;
}

/** The document that an offline page is made from. */
export async function emptyPage(): Promise<string> {
  const answer = await fetch(fileAddress('/offline.html')).catch(() => null);
  if (!answer?.ok) throw new Unreachable();
  return answer.text();
}
