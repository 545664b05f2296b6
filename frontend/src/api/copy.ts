// SPDX-License-Identifier: Apache-2.0
// A page without a server reads answers that were kept: in files beside it (`coalescope publish`) or inside it (the offline page). Both name
// them alike, so that the page asks as it asks a server: GET /api/runs/7 is kept as runs/7.json, and every fit of an experiment, with what was
// asked, in its fits.json.
import { ApiError, errorFrom } from './errors';
import { home } from './home';
import { pageOf } from './list';

export interface Copy {
  /** A site of files, or one file. */
  readonly of: 'site' | 'file';
  /** Whether the files that runs came from are there for download. */
  readonly logs: boolean;
  /** The version of the program that made it. */
  readonly version: string;
  /** What is kept under a name. Throws ApiError where nothing is. */
  open(name: string, signal?: AbortSignal): Promise<Response>;
  /** What follows from kept answers, worked out by Python (app/main.tsx); a file has none. */
  readonly workOut?: (path: string, query: URLSearchParams, kept: unknown) => Promise<object>;
  /** Where a program stands in the server's place, it is asked for everything; nothing is kept. */
  readonly ask?: (request: Request) => Promise<Response>;
}

export type Answers = Readonly<Record<string, unknown>>;

/** One answer of a fits.json or recommendations.json. */
export interface KeptAnswer {
  readonly asked: Readonly<Record<string, unknown>>;
  readonly answer?: unknown;
  /** What the server said instead: its status and the body of its error. */
  readonly refusal?: { readonly status: number; readonly body: unknown };
}

/** What the page says where only a server could answer. */
export function needsServer(): ApiError {
  const [what, advice] =
    current?.of === 'file'
      ? ['This page is one file without a server.', 'The original can answer: its link is at the top.']
      : ['This is a published copy without a server.', 'A server with the data can answer it.'];
  return new ApiError(405, { code: 'needs_server', message: what, where: {}, advice });
}

function withoutPython(reason: unknown): ApiError {
  const message = `A published copy computes this with Python, which did not start: ${reason}.`;
  const advice = 'It takes WebAssembly: try another browser.';
  return new ApiError(503, { code: 'no_python', message, where: {}, advice });
}

function notKept(): ApiError {
  return new ApiError(404, { code: 'not_kept', message: 'This copy does not hold it.', where: {}, advice: null });
}

const NEVER = new Set(['needs_server', 'not_kept']);

/** Whether asking again may help: what a copy lacks, it lacks for good. */
export const mayComeYet = (error: unknown): boolean => !(error instanceof ApiError && NEVER.has(error.code));

/** What a notice of this error offers. */
export const tryAgain = (error: unknown, onClick: () => void) =>
  mayComeYet(error) ? { action: { label: 'Try again', onClick } } : {};

/** The copy that is one file: its answers are in it. */
export function fileCopy(version: string, answers: Answers): Copy {
  return {
    of: 'file',
    logs: false,
    version,
    async open(name) {
      if (!Object.hasOwn(answers, name)) throw needsServer();
      const kept = answers[name];
      return typeof kept === 'string' ? new Response(kept) : Response.json(kept);
    },
  };
}

/** The copy that this document belongs to: `<meta name="coalescope-copy" data-version data-logs>`. */
function siteCopy(): Copy | null {
  if (typeof document === 'undefined') return null;
  const meta = document.querySelector<HTMLMetaElement>('meta[name="coalescope-copy"]');
  if (!meta) return null;
  return {
    of: 'site',
    logs: meta.dataset.logs === 'yes',
    version: meta.dataset.version ?? '',
    async open(name, signal) {
      const answer = await fetch(new URL(`answers/${name}`, home), { signal });
      if (!answer.ok) throw notKept();
      return answer;
    },
  };
}

let current = siteCopy();

/** Null where there is a server. */
export const currentCopy = (): Copy | null => current;

/** From now on the page reads what is kept there. */
export function readFrom(copy: Copy): void {
  current = copy;
}

const LIST = /^experiments\/[^/]+\/runs$/;
/** What is asked for with a body, and found by it. */
const ASKED = /^(experiments\/[^/]+\/(fits|recommendations)|recommendations)$/;
const STATISTICS = /^experiments\/[^/]+\/(replicates|variance|replication-plan)$/;
const PLAIN = /^(experiments(\/[^/]+(\/(cells|environment))?)?|quantities|models|runs\/[^/]+(\/environment)?)$/;

/** JSON values that say the same, whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  const of = (v: object, key: string) => (v as Record<string, unknown>)[key];
  return keys.every((key) => Object.hasOwn(b, key) && same(of(a, key), of(b, key)));
}

async function askedBefore(copy: Copy, request: Request, path: string): Promise<Response> {
  const asked = await request.json();
  const kept = (await (await copy.open(`${path}.json`, request.signal)).json()) as readonly KeptAnswer[];
  const found = kept.find((each) => same(each.asked, asked));
  if (!found) throw needsServer();
  if (found.refusal) throw errorFrom(found.refusal.status, found.refusal.body);
  return Response.json(found.answer);
}

/** Lists are kept whole, and of each cell; what is asked of one is found here. */
async function listed(copy: Copy, request: Request, path: string, query: URLSearchParams): Promise<Response> {
  const cell = query.get('cell');
  const name = cell === null ? `${path}.json` : `${path}/cell=${cell}.json`;
  const { runs } = await (await copy.open(name, request.signal)).json();
  return Response.json(pageOf(runs, query));
}

/** Half widths that plans are kept for (coalescope.publishing.answers). */
const KEPT_WIDTHS = ['', '5'];

/** Of all runs, measure by measure: those of chosen levels or without some runs are not kept. */
function statisticsAs(path: string, query: URLSearchParams): string | null {
  const { measure, factors = '', width_percent = '', without = '', ...levels } = Object.fromEntries(query);
  if (without !== '' || Object.keys(levels).length > 0 || !KEPT_WIDTHS.includes(width_percent)) return null;
  return `${[path, measure, ...factors.split(','), width_percent].filter(Boolean).join('/')}.json`;
}

/** The name under which an answer is kept, or null: such are not. */
export function keptAs(path: string, query: URLSearchParams): string | null {
  if (/^runs\/[^/]+\/contents$/.test(path)) return `${path}.json`;
  if (/^runs\/[^/]+\/log$/.test(path)) return `${path}.runlog`;
  if (STATISTICS.test(path)) return statisticsAs(path, query);
  if (path.endsWith('/export')) return `${path}/${query.get('what')}.${query.get('format')}`;
  if (!PLAIN.test(path)) return null;
  return query.size === 0 ? `${path}.json` : `${path}/${query}.json`;
}

/** What follows from experiments' cells and runs. */
const FOLLOWS = /^(comparisons|experiments\/[^/]+\/(cells|environment|replicates|replication-plan|variance))$/;

async function workedOut(copy: Copy, request: Request, path: string, query: URLSearchParams): Promise<Response> {
  if (!copy.workOut || !FOLLOWS.test(path)) throw needsServer();
  const json = async (name: string) => (await copy.open(name, request.signal)).json();
  const slugs = path === 'comparisons' ? [query.get('a'), query.get('b')] : [path.split('/')[1]];
  const kept = await Promise.all(
    [...new Set(slugs)].map(async (slug) => {
      const own = `experiments/${slug}`;
      const [experiment, cells, runs, environments] = await Promise.all([
        json(`${own}.json`),
        json(`${own}/cells.json`),
        path === 'comparisons' ? { runs: [] } : json(`${own}/runs.json`),
        path.endsWith('/environment') ? json(`${own}/environments.json`) : undefined,
      ]);
      return [slug, { experiment, cells, runs, environments }];
    }),
  );
  const answer = await copy.workOut(path, query, Object.fromEntries(kept)).catch((reason: unknown) => {
    throw withoutPython(reason);
  });
  return unlessRefused(Response.json(answer));
}

/** What cannot be worked out from these runs is kept as the error that says so. */
async function unlessRefused(kept: Response): Promise<Response> {
  const body = await kept.json();
  if ('error' in body) throw errorFrom(422, body);
  return Response.json(body);
}

/** What a request asks of the API: its path there, and the parameters. */
export function askedOf({ url }: Request): [string, URLSearchParams] {
  const { pathname, searchParams } = new URL(url);
  // of columns and rows a copy keeps what is shorter to find a cell in
  searchParams.delete('layout');
  return [pathname.slice(pathname.indexOf('/api/') + '/api/'.length), searchParams];
}

/** The answer to a request that would have gone to the server. */
export async function answerFrom(copy: Copy, request: Request): Promise<Response> {
  if (copy.ask) return copy.ask(request);
  const [path, searchParams] = askedOf(request);
  if (request.method === 'POST' && ASKED.test(path)) return askedBefore(copy, request, path);
  if (request.method !== 'GET') throw needsServer();
  if (LIST.test(path)) return listed(copy, request, path, searchParams);
  const name = keptAs(path, searchParams);
  // a site keeps what is asked without parameters
  if (name === null || (copy.of === 'site' && PLAIN.test(path) && searchParams.size > 0))
    return workedOut(copy, request, path, searchParams);
  const kept = await copy.open(name, request.signal);
  return STATISTICS.test(path) ? unlessRefused(kept) : kept;
}
