// SPDX-License-Identifier: Apache-2.0
// What a notebook gives the frame that it shows a surface in. The frame has the notebook's origin: it finds this on its own element.
import type { Theme } from '../../components/theme';

export type Parameters = Readonly<Record<string, number>>;

/** Least and most that a parameter can be; null: without end. */
export type Domains = Readonly<Record<string, readonly [number | null, number | null]>>;

export interface Question {
  readonly method: string;
  /** Behind /api/. */
  readonly path: string;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Notebook {
  readonly slug: string;
  /** The view that it opens with, as the explorer's address says it. */
  readonly query: string;
  readonly version: string;
  /** What Python answers in a server's place. */
  ask(question: Question): Promise<Answer>;
  /** As Python has them now. */
  parameters(): Parameters;
  theme(): Theme;
  /** Calls back when Python has set parameters or the notebook its theme; returns what ends that. */
  follow(changed: () => void): () => void;
  /** What the sliders say now. */
  tell(parameters: Parameters, domains: Domains): void;
  /** What the surface takes, in CSS pixels. */
  resize(height: number): void;
}

export interface NotebookFrame extends HTMLIFrameElement {
  notebook?: Notebook;
}
