// SPDX-License-Identifier: Apache-2.0

/**
 * Writes words into an element that follows a pointer; returns whether they changed. Its text stays the same node, because a new one would
 * have to be styled and laid out from the beginning.
 */
export function write(element: Element | null | undefined, words: string): boolean {
  if (!element || element.textContent === words) return false;
  const { firstChild } = element;
  if (firstChild instanceof Text && element.childNodes.length === 1) firstChild.data = words;
  else element.textContent = words;
  return true;
}
