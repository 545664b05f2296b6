// SPDX-License-Identifier: Apache-2.0
// Shapes onto the screen. A group keeps its elements from frame to frame and changes only the attributes that changed.
import { raisedBy, raisedSize, raisedWords, type Shape } from '../plots/shapes';

const NAMESPACE = 'http://www.w3.org/2000/svg';
const drawn = new WeakMap<Element, Shape>();

function fillText(element: Element, shape: Shape): void {
  // whoever hears it hears 10⁹, not 109
  const heard = shape.spans?.some(({ up }) => up) ? { role: 'img', 'aria-label': raisedWords(shape.spans) } : null;
  for (const name of ['role', 'aria-label'] as const)
    if (heard) element.setAttribute(name, heard[name]);
    else element.removeAttribute(name);
  if (!shape.spans) {
    element.textContent = shape.text ?? '';
    return;
  }
  const size = Number(shape.attributes['font-size'] ?? 16);
  let raised = false;
  element.replaceChildren(
    ...shape.spans.map((span) => {
      const part = document.createElementNS(NAMESPACE, 'tspan');
      if (span.up) {
        part.setAttribute('dy', String(-raisedBy(size)));
        part.setAttribute('font-size', String(raisedSize(size)));
      } else if (raised) part.setAttribute('dy', String(raisedBy(size)));
      raised = span.up === true;
      for (const [name, value] of Object.entries(span.attributes ?? {})) part.setAttribute(name, String(value));
      part.textContent = span.text;
      return part;
    }),
  );
}

function sameText(a: Shape, b: Shape): boolean {
  if (a.spans || b.spans) return JSON.stringify(a.spans) === JSON.stringify(b.spans);
  return a.text === b.text;
}

function update(element: Element, next: Shape): void {
  const last = drawn.get(element);
  for (const name in next.attributes) {
    const value = next.attributes[name];
    if (last?.attributes[name] !== value) element.setAttribute(name, String(value));
  }
  if (last) for (const name in last.attributes) if (!(name in next.attributes)) element.removeAttribute(name);
  if (next.tag === 'text' && !(last && sameText(last, next))) fillText(element, next);
  if (last?.title !== next.title) {
    const title = document.createElementNS(NAMESPACE, 'title');
    title.textContent = next.title ?? '';
    element.replaceChildren(...(next.title ? [title] : []));
  }
  drawn.set(element, next);
}

/** Makes the children of `group` be these shapes, in this order. */
export function draw(group: Element, shapes: readonly Shape[]): void {
  let child = group.firstElementChild;
  for (const shape of shapes) {
    if (child && child.localName === shape.tag) {
      update(child, shape);
      child = child.nextElementSibling;
      continue;
    }
    const fresh = document.createElementNS(NAMESPACE, shape.tag);
    update(fresh, shape);
    if (child) {
      const after: Element | null = child.nextElementSibling;
      child.replaceWith(fresh);
      child = after;
    } else group.append(fresh);
  }
  while (child) {
    const after: Element | null = child.nextElementSibling;
    child.remove();
    child = after;
  }
}
