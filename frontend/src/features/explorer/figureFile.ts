// SPDX-License-Identifier: Apache-2.0
// The figure as a file: title, units, kind, source and link inside it, in the light theme. Comes when a file is asked for.
import { notesOf } from '../../engine/notes';
import { lightTokens } from '../../layers/raster';
import { CONTOUR_OPACITY, surfaceImage } from '../../layers/surface';
import { contourLines } from '../../plots/contours';
import { fileText, wrapped } from '../../plots/file';
import { AXIS, LETTER_PX, mark, NOTE, path, polyline, type Shape, TEXT, text } from '../../plots/shapes';
import { inkOn, tide } from '../../plots/tide';
import { currentAddress } from '../../state/address';
import type { ExplorerState } from '../../state/explorer';
import { isRejected, verdict } from '../../state/fit';
import type { Subject } from '../../state/subject';
import { flushQuery } from '../../state/url';
import type { View } from '../../state/view';
import { liveShapes, stillShapes } from './chartRenderer';
import { facetSheet } from './facets/sheet';
import { colourOf } from './figure/heat';
import { keyOf } from './figure/key';
import { GRID } from './figure/live';
import { levelWords, namedSetting, titleWithUnit } from './figure/messages';
import { patternText } from './figure/patterns';
import { inPageWords } from './panel/fitWords';
import type { Scene } from './scene';

const MARGIN = 24;
const HEAD = 64;
const LINE = 16;

function contourPaths({ frame, live, isolines }: Scene): Shape[] {
  const { heat, left, plotWidth } = frame;
  const { z } = live;
  if (!heat || !z) return [];
  const x = (g: number): number => left + (g / (GRID - 1)) * plotWidth;
  const y = (g: number): number => heat.top + heat.height - (g / (GRID - 1)) * heat.height;
  return isolines.flatMap(({ level }) => {
    const ink = inkOn(colourOf(level, frame));
    const d = contourLines(z, GRID, GRID, level)
      .map((points) =>
        polyline(
          points.map((p) => x(p[0])),
          points.map((p) => y(p[1])),
        ),
      )
      .join('');
    return d ? [path(d, { stroke: ink, 'stroke-opacity': CONTOUR_OPACITY[ink], 'stroke-width': 1 })] : [];
  });
}

function definitions(image: string | null, scene: Scene, top: number): string {
  const { frame } = scene;
  const stops = Array.from({ length: 17 }, (_, k) => `<stop offset="${k / 16}" stop-color="${tide(k / 16)}"/>`).join(
    '',
  );
  const { heat } = frame;
  const clip = heat
    ? `<clipPath id="surface"><rect x="${frame.left}" y="${heat.top}" width="${frame.plotWidth}" height="${heat.height}"/></clipPath>`
    : '';
  let surface = '';
  if (image && heat) {
    // samples lie on the frame: the outer halves of the outer pixels fall outside
    const [hx, hy] = [frame.plotWidth / (GRID - 1) / 2, heat.height / (GRID - 1) / 2];
    const place = `x="${frame.left - hx}" y="${heat.top - hy}" width="${frame.plotWidth + 2 * hx}" height="${heat.height + 2 * hy}"`;
    surface = `<g clip-path="url(#surface)"><image ${place} preserveAspectRatio="none" href="${image}"/></g>`;
  }
  return [
    '<defs>',
    scene.view.figure === 'limits' ? patternText() : '',
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">',
    '<rect width="6" height="6" fill="var(--ground)" fill-opacity="0.42"/>',
    '<line x1="0" y1="0" x2="0" y2="6" stroke="var(--ground)" stroke-width="2.4" stroke-opacity="0.5"/></pattern>',
    `<linearGradient id="bar" x1="0" x2="0" y1="1" y2="0">${stops}</linearGradient>${clip}</defs>`,
    `<g transform="translate(${MARGIN} ${top})">${surface}`,
  ].join('');
}

const CONTRASTED = { difference: 'minus', ratio: 'over', errors: 'minus, in standard errors,' } as const;

/** What a figure other than the surface shows; null of the surface itself, seen from wherever. */
function figureWords(view: View, state: ExplorerState): string | null {
  const model = view.binding?.model.title ?? 'model';
  const overrides = Object.keys(state.overrides).length > 0 ? ', edited parameters' : '';
  if (view.figure === 'limits') return `what limits the throughput first: ${model}${overrides}`;
  const pale = 'pale and dashed: not significantly different';
  if (view.figure === 'residuals') return `cells ${CONTRASTED[state.contrast]} ${model}${overrides}; ${pale}`;
  if (view.figure === 'difference' && view.partner)
    return `cells ${CONTRASTED[state.contrast]} those of ${view.partner.title} (${view.partner.kind}); ${pale}`;
  return null;
}

export function captions(
  subject: Subject,
  view: View,
  state: ExplorerState,
): { title: string; about: string; source: string } {
  const choices = Object.values(state.where).map(levelWords).join(', ');
  const drawn =
    view.binding && view.mode === 'model'
      ? `${view.binding.model.title}${Object.keys(state.overrides).length > 0 ? ', edited parameters' : ''}`
      : view.mode === 'interpolated'
        ? 'interpolated between the cells'
        : 'cells only';
  const figure = figureWords(view, state);
  const { x, y } = view.layout;
  const at = [
    y && state.y !== null ? namedSetting(y, state.y) : '',
    x && state.x !== null ? namedSetting(x, state.x) : '',
  ]
    .filter(Boolean)
    .join(', ');
  if (subject.of === 'model')
    return {
      title: titleWithUnit(view.measure),
      about: `${figure ?? drawn}; crosshair at ${at}`,
      source: `no data · ${notesOf(subject.model).citation}`,
    };
  const { experiment } = subject;
  return {
    title: `${experiment.title}: ${titleWithUnit(view.measure)}`,
    about: [choices, `${view.points.length} cells`, figure ?? drawn, at && `crosshair at ${at}`]
      .filter(Boolean)
      .join(' · '),
    source: `${subject.opened ? 'a table that was opened, kind not known' : experiment.kind}${experiment.source.citation ? ` · ${experiment.source.citation}` : ''}`,
  };
}

/** How the parameters were found, and what the panel says of the fit: of a rejected model where, and by how much. */
function fitSentences(view: View): string[] {
  const { fit } = view;
  if (!fit) return [];
  const said = fit.message && inPageWords(fit.message, view.sliders, view.layout);
  if (!fit.identifiable) return ['published values, not estimated from these cells', said || ''];
  return [`by ${fit.method}`, said && isRejected(fit) ? '' : verdict(fit), said || ''];
}

export function parametersText(view: View, state: ExplorerState): string {
  if (!view.binding || view.mode !== 'model' || view.figure === 'difference') return '';
  const overrides = Object.keys(state.overrides).length > 0;
  return view.sliders
    .map((s) => `${s.name} ${Number((state.overrides[s.name] ?? s.start).toPrecision(6))}${s.unit ? ` ${s.unit}` : ''}`)
    .concat(overrides ? [] : fitSentences(view))
    .filter(Boolean)
    .join(' · ');
}

export function svgText(subject: Subject, view: View, state: ExplorerState, scene: Scene): string {
  flushQuery();
  const { frame, sampler } = scene;
  const width = frame.width + 2 * MARGIN;
  const tokens = lightTokens();
  const facets = facetSheet(view, state, frame.width, tokens);
  const { title, about, source } = captions(subject, view, state);
  const parameters = parametersText(view, state);
  const kind = view.kind;
  const room = Math.floor(frame.width / LETTER_PX.sentence);
  const indent = kind ? 16 : 0;
  const sources = wrapped(source, Math.floor((frame.width - indent) / LETTER_PX.sentence));
  const notes = [
    wrapped(keyOf(view).join(' · '), room),
    parameters ? wrapped(parameters, room) : [],
    [currentAddress()],
  ].flat();
  const top = frame.height + HEAD + facets.height + 20;
  const height = top + (sources.length + notes.length) * LINE - 4;
  const still = stillShapes(view, frame, sampler);
  const live = liveShapes(scene);
  const { z } = scene.live;
  const map = view.figure === 'map';
  const image = z && map ? surfaceImage({ z, nx: GRID, ny: GRID, values: frame.values, log: frame.logValues }) : null;
  const figure: Shape[] = [
    ...live.behind,
    ...(scene.upper?.painted?.(scene) ?? []),
    ...still.under,
    ...(live.under ?? []),
    ...(image ? contourPaths(scene) : []),
    ...live.contours,
    ...still.grid,
    ...live.hairs,
    ...still.cells,
    ...(live.cells ?? []),
    ...live.curves,
    ...still.points,
    ...live.names,
    ...still.axes,
    ...live.crosshair,
  ];
  // the figure is in a group of its own, closed by the first caption
  const around: Shape[] = [
    text(MARGIN, 28, title, { 'font-size': TEXT.title, 'font-weight': 600, fill: 'var(--ink)' }),
    text(MARGIN, 46, about, { ...AXIS }),
    ...(kind
      ? [
          mark(kind, MARGIN + 5, top - 4, 4, {
            fill: kind === 'simulated' ? 'none' : `var(--kind-${kind})`,
            stroke: `var(--kind-${kind})`,
          }),
        ]
      : []),
    ...sources.map((words, i) => text(MARGIN + indent, top + i * LINE, words, { ...NOTE, fill: 'var(--ink-2)' })),
    ...notes.map((words, i) => text(MARGIN, top + (sources.length + i) * LINE, words, NOTE)),
  ];
  const body = fileText({
    width,
    height,
    title,
    description: [about, source, parameters, currentAddress()].filter(Boolean).join('\n'),
    before: `<g transform="translate(${MARGIN} ${HEAD})">${facets.markup}</g>\n${definitions(image, scene, HEAD + facets.height)}`,
    shapes: [...figure, { tag: 'path', attributes: { d: 'M0 0' } }, ...around],
    tokens,
  });
  return body.replace('<path d="M0 0"/>', '</g>');
}
