// SPDX-License-Identifier: Apache-2.0
// A frame in a notebook with the page's explorer in it, and the way between it and Python, by the protocol of anywidget. In a frame of its own
// neither the notebook's style sheets nor ours reach the other.
import type { Theme } from '../../components/theme';
import type { Answer, Domains, Notebook, NotebookFrame, Parameters, Question } from './notebook';

/** As much of anywidget's model as is used. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, call: (...told: never[]) => void): void;
  off(event: string, call: (...told: never[]) => void): void;
  send(content: unknown): void;
}

const equal = (a: unknown, b: unknown): boolean => {
  const sorted = (of: unknown) =>
    JSON.stringify(Object.entries(of as object).sort(([one], [other]) => (one < other ? -1 : 1)));
  return sorted(a) === sorted(b);
};

/** Answers come to every view of a widget: each question has a name of its own. */
function questions(model: Model) {
  const waiting = new Map<string, (answer: Answer) => void>();
  const here = Math.random().toString(36).slice(2);
  let asked = 0;
  const answered = ({ id, ...answer }: Answer & { id: string }): void => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  model.on('msg:custom', answered);
  return {
    ask: (question: Question): Promise<Answer> =>
      new Promise((resolve) => {
        asked += 1;
        const id = `${here}-${asked}`;
        waiting.set(id, resolve);
        model.send({ id, ...question });
      }),
    end: () => model.off('msg:custom', answered),
  };
}

/** Of what stands behind an element: the notebook says nothing of its theme that all notebooks say alike. */
function themeBehind(element: Element): Theme {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  for (let at: Element | null = element; at && context; at = at.parentElement) {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = getComputedStyle(at).backgroundColor;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, opacity] = context.getImageData(0, 0, 1, 1).data;
    if (opacity > 127) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? 'dark' : 'light';
  }
  return 'light';
}

/** Themes change by an attribute of the document's root or of its body. */
function followThemes(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  for (const root of [document.documentElement, document.body]) observer.observe(root, { attributes: true });
  return () => observer.disconnect();
}

/** Shows what `srcdoc` says in `el`; returns what takes it away again. */
export function show(srcdoc: string, { model, el }: { model: Model; el: HTMLElement }): () => void {
  const frame: NotebookFrame = document.createElement('iframe');
  const { ask, end } = questions(model);
  const notebook: Notebook = {
    slug: String(model.get('_slug')),
    query: String(model.get('_query')),
    version: String(model.get('_version')),
    ask,
    parameters: () => model.get('parameters') as Parameters,
    theme: () => themeBehind(el),
    follow(changed) {
      model.on('change:parameters', changed);
      const unfollow = followThemes(changed);
      return () => {
        model.off('change:parameters', changed);
        unfollow();
      };
    },
    tell(parameters: Parameters, domains: Domains) {
      if (equal(model.get('parameters'), parameters) && equal(model.get('_domains'), domains)) return;
      model.set('_domains', domains);
      model.set('parameters', parameters);
      model.save_changes();
    },
    resize(height) {
      frame.style.height = `${Math.ceil(height)}px`;
    },
  };
  frame.notebook = notebook;
  frame.title = 'Surface';
  Object.assign(frame.style, { display: 'block', width: '100%', height: '600px', border: '0' });
  frame.srcdoc = srcdoc;
  el.append(frame);
  return () => {
    end();
    frame.remove();
  };
}
