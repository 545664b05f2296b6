// SPDX-License-Identifier: Apache-2.0
// A figure of a paper as data: which axes, which marks, from where. Renderers know forms, never figures.
import type { Spacing } from '../../plots/scale';

/** What a mark is: a number that the paper prints, one of the virtual testbed, or the prediction of a model. */
export type MarkKind = 'published' | 'emulated' | 'model';

/** Where a parameter's value comes from. */
export type Origin = 'printed' | 'fitted' | 'tuned' | 'assumed';

export interface Given {
  readonly value: number;
  readonly origin: Origin;
  /** Why this value, where the origin alone does not say it. */
  readonly why?: string;
}
export type Parameters = Readonly<Record<string, Given>>;

/** A number of a row: `of` over all of `over`, times `times`. Without `of`, 1. */
export interface Term {
  readonly of?: string;
  readonly over?: readonly string[];
  readonly times?: number;
}

/** Rows are cells of an experiment: factors, means of measures, and `frame_bytes`. */
export interface Cells {
  readonly experiment: string;
  readonly kind: 'published' | 'emulated';
  readonly where: Readonly<Record<string, string>>;
}

/** One line of a panel and everything on it: an MTU, a variant. */
export interface Line {
  readonly id: string;
  readonly label: string;
  /** Place on the ramp of lines, 1 to 5. */
  readonly tone: 1 | 2 | 3 | 4 | 5;
}

/** Marks at cells. `by` names the factor that says which line a cell is on; without it all are on `line`. */
export interface CellMarks {
  readonly from: 'cells';
  readonly cells: Cells;
  readonly x: Term;
  readonly y: Term;
  readonly by?: string;
  readonly line?: string;
  /** Only cells of this line's factor value, where lines are named otherwise: line by level. */
  readonly lines?: Readonly<Record<string, string>>;
}

/** What tunes one parameter: the largest output over these x is this much. */
export interface Calibration {
  readonly parameter: string;
  readonly between: readonly [number, number];
  readonly output: string;
  readonly largest: number;
  readonly over: readonly number[];
}

export interface ModelUse {
  readonly model: string;
  readonly output: string;
  readonly set: Parameters;
  /** The output in the unit of the axis. */
  readonly times?: number;
}

/** A curve a line: `along` is the input that x sets, in `times` its unit; `per` sets what differs from line to line. */
export interface ModelCurves extends ModelUse {
  readonly from: 'model';
  readonly along: string;
  readonly along_times?: number;
  readonly per: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly calibrate?: Calibration;
  /** What tells these curves from another model's on the same panel; they are dashed then. */
  readonly second?: string;
  /** From where to where a line's curve is drawn, if not from edge to edge. */
  readonly domains?: Readonly<Record<string, readonly [number, number]>>;
}

/** The model at the counts of each cell: joined points. */
export interface ModelAtCells extends ModelUse {
  readonly from: 'model-at-cells';
  readonly cells: Cells;
  readonly x: Term;
  readonly by: string;
  readonly inputs: Readonly<Record<string, Term>>;
}

/** A number in the paper's text that is no cell of a table: a bound, a range, "about". */
export interface Statement {
  readonly from: 'statement';
  /** Null: the statement is about x alone, a place on the axis. */
  readonly y: number | null;
  readonly x: number;
  readonly line?: string;
  readonly relation: 'about' | 'below' | 'above' | 'from';
  readonly words: string;
  /** As docs/published-vs-predicted.md prints it. */
  readonly printed: string;
}

export type Source = CellMarks | ModelCurves | ModelAtCells | Statement;

export interface Axis {
  readonly label: string;
  readonly unit: string;
  readonly spacing: Exclude<Spacing, 'log-from-zero'>;
  readonly domain: readonly [number, number];
  /** Measured settings; without them, round values. */
  readonly ticks?: readonly number[];
}

export interface LinesPanel {
  readonly form: 'lines';
  readonly title?: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly lines: readonly Line[];
  readonly sources: readonly Source[];
}

/** A model over two of its inputs, with cells that wear the colour of their own value. */
export interface HeatPanel {
  readonly form: 'heat';
  readonly title?: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly value: { readonly label: string; readonly unit: string; readonly domain: readonly [number, number] };
  readonly contours: readonly number[];
  readonly model: ModelUse & { readonly across: string; readonly up: string };
  readonly marks: readonly { readonly cells: Cells; readonly x: Term; readonly y: Term; readonly value: Term }[];
  /** Where the paper sees little more to gain. */
  readonly rules?: { readonly x: number; readonly y: number; readonly words: string };
}

/** One bar a row, of cells or of a model at given settings. */
export interface BarsPanel {
  readonly form: 'bars';
  readonly title?: string;
  readonly x: { readonly label: string; readonly unit: string };
  readonly y: Axis;
  readonly bars:
    | { readonly cells: Cells; readonly name: Term; readonly value: Term }
    | { readonly model: ModelUse; readonly along: string; readonly at: readonly number[] };
}

export type Row = Readonly<Record<string, number | string>>;

export interface Column {
  readonly label: string;
  readonly unit?: string;
  readonly kind: MarkKind | 'setting';
  readonly digits?: number;
  readonly value:
    | { readonly text: string }
    | { readonly term: Term }
    /** What was observed, where it is given: the value is the residual then, observed − predicted. */
    | { readonly use: ModelUse; readonly inputs: Readonly<Record<string, Term>>; readonly observed?: number };
}

export interface TablePanel {
  readonly form: 'table';
  readonly title?: string;
  readonly rows: Cells | readonly Row[];
  /** Printed beside the cells, row by row, in their order. */
  readonly beside?: Readonly<Record<string, readonly number[]>>;
  readonly columns: readonly Column[];
  /** Rows of one value of this column belong together. */
  readonly group?: string;
}

export type Panel = LinesPanel | HeatPanel | BarsPanel | TablePanel;

/** What the page computes beside the sentence, from what it draws. */
export type Check =
  /** A model or cells at the published points of the panel. */
  | { readonly of: 'deviation'; readonly panel?: number }
  /** By how much a line changes from one x to another. */
  | {
      readonly of: 'change';
      readonly panel?: number;
      readonly line: string;
      readonly between: readonly [number, number];
      readonly published: string;
    }
  /** At which of these x each line is largest, and what is left of it at the last. */
  | { readonly of: 'peak'; readonly panel?: number; readonly over: readonly number[]; readonly published: string }
  /** What each line is at one x. */
  | {
      readonly of: 'value';
      readonly panel?: number;
      readonly at: number;
      readonly published?: string;
      readonly line?: string;
    }
  /** The largest number, up or down, of a table's column. */
  | { readonly of: 'largest'; readonly column: string; readonly published: string };

export interface Figure {
  readonly id: string;
  readonly document: DocumentId;
  /** "Figure 7" */
  readonly label: string;
  /** In our words. */
  readonly title: string;
  readonly panels: readonly Panel[];
  /** What agrees and what does not. */
  readonly verdict: string;
  readonly checks: readonly Check[];
  /** What could not be drawn, and why. */
  readonly missing: string;
  /** Addresses of the page that show the same data and the same model. */
  readonly open: readonly { readonly label: string; readonly href: string }[];
}

type DocumentId = 'geist-2005' | 'zec-2002' | 'chase-1999' | 'ronciak-2005' | 'dillon-2004';

export interface Document {
  readonly id: DocumentId;
  /** "Geist et al. 2005" */
  readonly short: string;
  readonly citation: string;
  readonly about: string;
  readonly figures: readonly Figure[];
  /** Figures of the paper that are not here, and why. */
  readonly absent: readonly string[];
}
