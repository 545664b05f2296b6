// SPDX-License-Identifier: Apache-2.0
import { Redirect, Route, Switch } from 'wouter';
import { currentCopy } from '../api/copy';
import { fetchAhead } from '../api/queries';
import { lazyPage } from './lazyPage';
import { NotFoundPage } from './NotFoundPage';

/** What stands in somebody else's page, all of it. */
export const EmbedApp = lazyPage(async () => (await import('./EmbedApp')).EmbedApp);
const ExperimentsPage = lazyPage(async () => (await import('../features/experiments/ExperimentsPage')).ExperimentsPage);
const ExplorerPage = lazyPage(async () => (await import('../features/explorer/ExplorerPage')).ExplorerPage);
const ModelsPage = lazyPage(async () => (await import('../features/models/ModelsPage')).ModelsPage);
const ModelPage = lazyPage(async () => (await import('../features/models/ModelPage')).ModelPage);
const AboutPage = lazyPage(async () => (await import('../features/models/AboutPage')).AboutPage);
const GlossaryPage = lazyPage(async () => (await import('../features/glossary/GlossaryPage')).GlossaryPage);
const FiguresPage = lazyPage(async () => (await import('../features/figures/FiguresPage')).FiguresPage);
const FigurePage = lazyPage(async () => (await import('../features/figures/FigurePage')).FigurePage);
const HowItWorksPage = lazyPage(async () => (await import('../features/how-it-works/HowItWorksPage')).HowItWorksPage);
const StartPage = lazyPage(async () => (await import('../features/start/StartPage')).StartPage);
const WorkshopPage = lazyPage(async () => (await import('../features/workshop/WorkshopPage')).WorkshopPage);
const UploadPage = lazyPage(async () => (await import('../features/upload/UploadPage')).UploadPage);
const RunsPage = lazyPage(async () => (await import('../features/runs/RunsPage')).RunsPage);
const RunPage = lazyPage(async () => (await import('../features/runs/RunPage')).RunPage);
const ReplicatesPage = lazyPage(async () => (await import('../features/replicates/ReplicatesPage')).ReplicatesPage);
const ComparePage = lazyPage(async () => (await import('../features/compare/ComparePage')).ComparePage);
const OpenPage = lazyPage(async () => (await import('../features/open/OpenPage')).OpenPage);
const LinkPage = lazyPage(async () => (await import('../features/links/LinkPage')).LinkPage);

const PREFETCHED: readonly (readonly [RegExp, { load(): Promise<void> }])[] = [
  [/^\/$/, ExperimentsPage],
  [/^\/experiments\/[^/]+\/runs$/, RunsPage],
  [/^\/experiments\/[^/]+\/replicates$/, ReplicatesPage],
  [/^\/compare$/, ComparePage],
  [/^\/open$/, OpenPage],
  [/^\/models$/, ModelsPage],
  [/^\/models\/[^/]+$/, ModelPage],
  [/^\/models\/[^/]+\/about$/, AboutPage],
  [/^\/glossary$/, GlossaryPage],
  [/^\/figures$/, FiguresPage],
  [/^\/figures\/[^/]+$/, FigurePage],
  [/^\/how-it-works$/, HowItWorksPage],
  [/^\/start$/, StartPage],
  [/^\/workshop$/, WorkshopPage],
  [/^\/upload$/, UploadPage],
  [/^\/runs\/[^/]+$/, RunPage],
  [/^\/l\/[^/]+$/, LinkPage],
  [/^\/embed\//, EmbedApp],
];

/** Past this the shell of the page, whose code is here, is better than nothing. */
const PATIENCE_MS = 150;

/**
 * The fit is asked for as soon as experiment and cells say which. The answers that the document brought are here at once, and drawn with
 * the page's first render; without them it would be made twice.
 */
async function prefetchExplorer(slug: string): Promise<void> {
  const data = fetchAhead(slug);
  const code = import('../features/explorer/prefetch');
  const known = Promise.all([data, code])
    .then(([{ experiment, cells }, { prefetchFits }]) => prefetchFits(experiment, cells))
    .catch(() => undefined);
  await ExplorerPage.load().catch(() => undefined);
  await Promise.race([known, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

/** Code and data of the first page, side by side. A page that does not come is asked for again when it is rendered. */
export async function prefetchPage(path: string): Promise<void> {
  const slug = /^\/explorer\/([^/]+)$/.exec(path)?.[1];
  if (slug !== undefined) {
    await prefetchExplorer(decodeURIComponent(slug));
    return;
  }
  await PREFETCHED.find(([pattern]) => pattern.test(path))?.[1]
    .load()
    .catch(() => undefined);
}

/** Every address of the page. The code of each comes when it is asked for. */
export function Routes() {
  return (
    <Switch>
      <Route path="/">
        <ExperimentsPage />
      </Route>
      <Route path="/explorer">
        <Redirect to="/" replace />
      </Route>
      <Route path="/explorer/:slug">{({ slug }) => <ExplorerPage key={slug} slug={slug} />}</Route>
      <Route path="/experiments/:slug/runs">{({ slug }) => <RunsPage key={slug} slug={slug} />}</Route>
      <Route path="/experiments/:slug/replicates">{({ slug }) => <ReplicatesPage key={slug} slug={slug} />}</Route>
      <Route path="/compare">
        <ComparePage />
      </Route>
      <Route path="/models">
        <ModelsPage />
      </Route>
      <Route path="/models/:id">{({ id }) => <ModelPage key={id} id={id} />}</Route>
      <Route path="/models/:id/about">{({ id }) => <AboutPage key={id} id={id} />}</Route>
      <Route path="/glossary">
        <GlossaryPage />
      </Route>
      <Route path="/figures">
        <FiguresPage />
      </Route>
      <Route path="/figures/:id">{({ id }) => <FigurePage key={id} id={id} />}</Route>
      <Route path="/how-it-works">
        <HowItWorksPage />
      </Route>
      <Route path="/open">
        <OpenPage />
      </Route>
      <Route path="/start">
        <StartPage />
      </Route>
      <Route path="/workshop">
        <WorkshopPage />
      </Route>
      {currentCopy() === null && (
        <Route path="/upload">
          <UploadPage />
        </Route>
      )}
      <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
      <Route path="/l/:token">{({ token }) => <LinkPage key={token} token={token} />}</Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}
