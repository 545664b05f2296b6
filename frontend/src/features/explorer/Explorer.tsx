// SPDX-License-Identifier: Apache-2.0
// The instrument: data on the left, the surface with its lines in the middle, the model on the right, one crosshair through all of them.
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useFit } from '../../api/queries';
import type { Fit, FitRequest } from '../../api/types';
import { lazyPart } from '../../components/lazyPart';
import { QuantityName } from '../../components/QuantityName';
import { Rich } from '../../components/Rich';
import { Segmented } from '../../components/Segmented';
import { write } from '../../layers/messages';
import { decimal, digitsFor, worded } from '../../plots/number';
import { bindingOf } from '../../state/dataSlice';
import type { ExplorerState } from '../../state/explorer';
import { conformed, fromQuery, toQuery } from '../../state/link';
import type { Place } from '../../state/planned';
import { createStore, type Store } from '../../state/store';
import { isUnderWay, type Subject } from '../../state/subject';
import { currentQuery, flushQuery, writeQuery } from '../../state/url';
import { type View, viewOf } from '../../state/view';
import { Recommend } from '../recommend/Recommend';
import { CellTable } from './CellTable';
import { Chart } from './Chart';
import type { ChartRenderer } from './chartRenderer';
import { ExplorerContext, useAfterFrame, useExplorer } from './context';
import { FigureBar } from './FigureBar';
import { isCutOff } from './figure/frame';
import { kindWord, namedSetting, titleWithUnit, unitAfter, whyNothingBetween } from './figure/messages';
import { isRejectedModel, rejectionWords } from './figure/rejection';
import { Key } from './Key';
import type { FitState } from './panel/FitBlock';
import { Panel } from './panel/Panel';
import { derivedFrom, fitRequestOf } from './prefetch';
import { Rail } from './rail/Rail';
import { UndoButtons, useHistory } from './Undo';
import { useExplorerContext } from './useExplorerContext';
import { useExports } from './useExports';
import { useOther } from './useOther';
import './explorer.css';
import './facets/facets.css';

const Facets = lazyPart(
  'The facets',
  async () => (await import('./facets/Facets')).Facets,
  <div className="facets coming" />,
);
const RejectedNotice = lazyPart(
  'What was left out',
  async () => (await import('../../components/RejectedNotice')).RejectedNotice,
);
const FigureTable = lazyPart('The table of the figure', async () => (await import('./FigureTable')).default);

/** What a new view is made for: all of the state but the crosshair, the sliders, the pins, the pull, the turn and the recommendation. */
function structureOf(state: ExplorerState): string {
  const { x: _x, y: _y, overrides: _byHand, pins: _pins, pull: _pull, turn: _turn, advice: _advice, ...rest } = state;
  return JSON.stringify(rest);
}

function useStructure(store: Store<ExplorerState>): string {
  return useSyncExternalStore(store.subscribe, () => structureOf(store.get()));
}

/** The fit that was asked for; until it comes, the one that the same cells had by the other method. */
function useLastFit(request: FitRequest | null, answer: Fit | undefined): Fit | null {
  const last = useRef<{ key: string; fit: Fit } | null>(null);
  if (!request) return null;
  const key = JSON.stringify([request.model, request.where]);
  if (answer && answer.method === request.method && 'base' in answer.estimates === (request.base ?? false))
    last.current = { key, fit: answer };
  return last.current?.key === key ? last.current.fit : null;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One sentence: what is drawn, over what. */
function sentence(view: View, subject: Subject, cellsBusy: boolean): string {
  const kind = kindWord(subject);
  const n = view.points.length;
  const coming = view.slice.toCome.length;
  const cells =
    coming > 0
      ? `${n} of ${n + coming} planned cells so far`
      : `${decimal(n, 0)} ${kind} ${n === 1 ? 'cell' : 'cells'}${isUnderWay(subject) ? ' so far' : ''}`.replace(
          / +/g,
          ' ',
        );
  const unit = view.measure.unit === 'jiffies/GB' ? 'Jiffies of 10 ms. ' : '';
  if (cellsBusy) return 'Loading cells…';
  if (view.figure === 'limits') return 'The model’s throughput bottleneck, named at the crosshair.';
  if (view.figure === 'residuals')
    return `${unit}The ${cells} against the model; pale and dashed where a cell’s interval holds the model.`;
  if (view.figure === 'difference')
    return view.partner
      ? `${unit}The ${cells} against ${view.partner.title} (${view.partner.kind}); pale and dashed: not significantly different.`
      : `${unit}The ${cells} against another experiment’s.`;
  if (!view.measured) return `${unit}${view.binding?.model.summary ?? ''}`;
  const plane = view.layout.shape === 'plane';
  if (view.figure === '3d' && (view.mode === 'model' || view.mode === 'interpolated'))
    return `${unit}${view.mode === 'model' ? 'The model’s surface' : 'A surface through the cells'} from the side, the ${cells} on their stems.`;
  if (view.mode === 'model')
    return `${unit}The model’s ${plane ? 'surface under' : 'line beside'} the ${cells}${plane && !isRejectedModel(view) ? '; colour and height share one scale' : ''}.`;
  if (view.mode === 'interpolated')
    return `${unit}Interpolated between the ${cells}${plane ? '; colour and height share one scale' : ''}.`;
  if (view.mode === 'blank') return `${unit}${capital(cells)}; the surface follows its fit.`;
  if (view.points.length === 1) return `${unit}${capital(cells)}.`;
  return `${unit}${capital(cells)}; ${view.field ? 'the surface is off' : plane ? 'no surface is drawn between them' : 'nothing is drawn between them'}.`;
}

function Exports({ picture }: { picture: React.RefObject<ChartRenderer | null> }) {
  const { subject, view, store, slices } = useExplorer();
  useExports(subject, view, store, picture, slices);
  return null;
}

function Head({ cellsBusy, still, title: Title }: { cellsBusy: boolean; still: boolean; title: 'h1' | 'h2' }) {
  const { view, store, subject } = useExplorer();
  const { surface } = store.get();
  const plane = view.layout.shape === 'plane';
  const filled = view.binding ? 'Model' : 'Interpolated';
  const none = !view.binding && !view.field;
  return (
    <header className="head">
      <div>
        <Title>
          <QuantityName name={view.measure.name}>
            <Rich>{view.measure.label}</Rich>
          </QuantityName>
        </Title>
        <p>
          <Rich>{sentence(view, subject, cellsBusy)}</Rich>
          {!cellsBusy && isCutOff(view) && ' The value axis does not start at zero.'}
          {!cellsBusy && isRejectedModel(view) && <b className="warn"> {rejectionWords(view)}</b>}
        </p>
      </div>
      {!still && <UndoButtons />}
      {!still && view.measured && (plane || view.binding) && (view.figure === 'map' || view.figure === '3d') && (
        <Segmented
          label={plane ? 'Surface' : 'Line'}
          value={none ? 'cells' : surface}
          segments={[
            none
              ? {
                  value: 'model',
                  label: 'Model',
                  unavailable: whyNothingBetween(view),
                }
              : { value: 'model', label: filled },
            { value: 'cells', label: 'Cells' },
          ]}
          onChange={(next) => store.update({ surface: next })}
        />
      )}
    </header>
  );
}

/** On a phone the readout stays in sight. */
function Peek() {
  const { view } = useExplorer();
  const at = useRef<HTMLSpanElement>(null);
  const value = useRef<HTMLElement>(null);
  const digits = digitsFor(view.values[1] - view.values[0]);
  useAfterFrame(({ state, place }) => {
    const { x, y } = view.layout;
    const settings = [
      y && state.y !== null ? namedSetting(y, state.y) : '',
      x && state.x !== null ? namedSetting(x, state.x) : '',
    ];
    write(at.current, settings.filter(Boolean).join(' · '));
    write(value.current, Number.isFinite(place.value) ? worded(place.value, digits, view.measure.meanings) : '–');
  });
  return (
    <div className="peek" aria-hidden="true">
      <span ref={at} />
      <b ref={value} />
      <span>
        <Rich>{unitAfter(view.measure).trim()}</Rich>
      </span>
    </div>
  );
}

/** The drawing and its key alone. */
export interface Embedded {
  readonly below: React.ReactNode;
  /** The view that it opens with, in a page of its own title and address; without it the address is the view. */
  readonly query?: string;
}

interface ExplorerProps {
  readonly subject: Subject;
  readonly dataVersion?: number;
  /** Cells are being fetched, or were not found. */
  readonly cellsBusy?: boolean;
  readonly above?: React.ReactNode;
  readonly embed?: Embedded;
}

export function Explorer({ subject, dataVersion, cellsBusy = false, above, embed }: ExplorerProps) {
  const { slices, schema } = useMemo(() => derivedFrom(subject), [subject]);
  const [opened] = useState(() => fromQuery(embed?.query ?? currentQuery(), schema));
  const [store] = useState(() => createStore(opened.state));
  // rulers are made with the view: a value that came to rest beyond its own asks for new ones
  const [rulers, remakeView] = useReducer((n: number) => n + 1, 0);

  // new cells may bring or take settings: what the state says is judged again
  const judged = useRef(schema);
  const judge = useCallback((state: ExplorerState) => conformed(state, judged.current), []);
  useLayoutEffect(() => {
    if (judged.current === schema) return;
    judged.current = schema;
    store.set(conformed(store.get(), schema));
  }, [store, schema]);

  const structure = useStructure(store);
  const state = store.get();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `structure` stands for the parts of the state that matter here
  const request = useMemo(
    () => fitRequestOf(subject, state, bindingOf(slices(state), state)),
    [subject, slices, structure],
  );
  const slug = subject.of === 'experiment' ? subject.experiment.slug : '';
  const asked = useFit(slug, request, dataVersion);
  const fit = useLastFit(request, asked.data);
  const other = useOther(state.figure === 'difference' ? state.against : null);
  const waiting = request !== null && fit === null && !asked.isError;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const drawn = useMemo(
    () => viewOf(subject, slices, state, fit, waiting, other.data),
    [subject, slices, structure, fit, waiting, other.data, rulers],
  );
  const [best, setBest] = useState<Place | null>(null);
  const view = useMemo(() => (best ? { ...drawn, best } : drawn), [drawn, best]);

  const addressed = embed?.query === undefined;
  const save = () => {
    if (addressed) writeQuery(() => toQuery(store.get(), judged.current));
  };
  const { context, picture, onPicture } = useExplorerContext({
    ...{ subject, store, schema, slices, view },
    onChange: save,
    remakeView,
    judge,
  });
  useEffect(() => flushQuery, []);
  const { history } = context;
  useHistory(history);

  const { isFetching: busy, refetch } = asked;
  const error = asked.isError ? asked.error : null;
  const stale = fit !== null && dataVersion !== undefined && fit.data_version !== dataVersion;
  const fitState = useMemo<FitState | null>(
    () => request && { fit, pending: waiting, busy, error, stale, refit: () => void refetch() },
    [request, fit, waiting, busy, error, stale, refetch],
  );

  return (
    <ExplorerContext value={context}>
      {addressed && <Exports picture={picture} />}
      <section
        onPointerDownCapture={history.begin}
        className={`explorer ${embed ? 'embedded' : ''} ${fitState?.stale ? 'isstale' : ''} ${waiting ? 'waiting' : ''}`}
        aria-label={titleWithUnit(view.measure)}
      >
        {!embed && <Rail />}
        {!embed && subject.of === 'experiment' && (
          <Recommend
            subject={subject}
            store={store}
            slices={slices}
            dataVersion={dataVersion}
            ready={!waiting && !cellsBusy}
            onBest={setBest}
          />
        )}
        <div className="centre">
          {opened.rejected.length > 0 && <RejectedNotice rejected={opened.rejected} />}
          <Head cellsBusy={cellsBusy} still={embed !== undefined} title={embed && addressed ? 'h1' : 'h2'} />
          {above}
          {!embed && <FigureBar other={other} />}
          {view.facets.length > 0 && <Facets />}
          <Key view={view} />
          <Chart onPicture={onPicture} />
          <CellTable view={view} />
          {view.figure !== 'map' && view.figure !== '3d' && <FigureTable />}
        </div>
        {embed ? embed.below : <Panel fitState={fitState} />}
        {!embed && <Peek />}
      </section>
    </ExplorerContext>
  );
}
