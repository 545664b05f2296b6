// SPDX-License-Identifier: Apache-2.0

/** Words into an element that follows a pointer. Its text stays the same node: a new one has to be styled and laid out from the beginning. */
export function write(element: Element | null | undefined, words: string): void {
  if (!element) return;
  const { firstChild } = element;
  if (firstChild instanceof Text && element.childNodes.length === 1) {
    if (firstChild.data !== words) firstChild.data = words;
  } else if (element.textContent !== words) element.textContent = words;
}
