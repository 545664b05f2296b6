// SPDX-License-Identifier: Apache-2.0
import { Redirect, Route, Switch } from 'wouter';
import { currentCopy } from '../api/copy';
import { fetchAhead } from '../api/queries';
import { EmbedPage } from './EmbedApp';
import { NotFoundPage } from './NotFoundPage';
import { page } from './page';

const ExperimentsPage = page(async () => (await import('../features/experiments/ExperimentsPage')).ExperimentsPage);
const ExplorerPage = page(async () => (await import('../features/explorer/ExplorerPage')).ExplorerPage);
const ModelsPage = page(async () => (await import('../features/models/ModelsPage')).ModelsPage);
const ModelPage = page(async () => (await import('../features/models/ModelPage')).ModelPage);
const AboutPage = page(async () => (await import('../features/models/AboutPage')).AboutPage);
const GlossaryPage = page(async () => (await import('../features/glossary/GlossaryPage')).GlossaryPage);
const FiguresPage = page(async () => (await import('../features/figures/FiguresPage')).FiguresPage);
const FigurePage = page(async () => (await import('../features/figures/FigurePage')).FigurePage);
const HowItWorksPage = page(async () => (await import('../features/how-it-works/HowItWorksPage')).HowItWorksPage);
const StartPage = page(async () => (await import('../features/start/StartPage')).StartPage);
const WorkshopPage = page(async () => (await import('../features/workshop/WorkshopPage')).WorkshopPage);
const UploadPage = page(async () => (await import('../features/upload/UploadPage')).UploadPage);
const RunsPage = page(async () => (await import('../features/runs/RunsPage')).RunsPage);
const RunPage = page(async () => (await import('../features/runs/RunPage')).RunPage);
const ReplicatesPage = page(async () => (await import('../features/replicates/ReplicatesPage')).ReplicatesPage);
const ComparePage = page(async () => (await import('../features/compare/ComparePage')).ComparePage);
const OpenPage = page(async () => (await import('../features/open/OpenPage')).OpenPage);
const LinkPage = page(async () => (await import('../features/links/LinkPage')).LinkPage);

const AHEAD: readonly (readonly [RegExp, { load(): Promise<void> }])[] = [
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
  [/^\/embed\//, EmbedPage],
];

/** Past this the shell of the page, whose code is here, is better than nothing. */
const PATIENCE_MS = 150;

/**
 * The fit is asked for as soon as experiment and cells say which. The answers that the document brought are here at once, and drawn with
 * the page's first render; without them it would be made twice.
 */
async function explorerAhead(slug: string): Promise<void> {
  const data = fetchAhead(slug);
  const code = import('../features/explorer/ahead');
  const known = Promise.all([data, code])
    .then(([{ experiment, cells }, { askAhead }]) => askAhead(experiment, cells))
    .catch(() => undefined);
  await ExplorerPage.load().catch(() => undefined);
  await Promise.race([known, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

/** Code and data of the first page, side by side. A page that does not come is asked for again when it is rendered. */
export async function loadAhead(path: string): Promise<void> {
  const slug = /^\/explorer\/([^/]+)$/.exec(path)?.[1];
  if (slug !== undefined) {
    await explorerAhead(decodeURIComponent(slug));
    return;
  }
  await AHEAD.find(([pattern]) => pattern.test(path))?.[1]
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
