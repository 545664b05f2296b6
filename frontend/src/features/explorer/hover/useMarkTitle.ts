// SPDX-License-Identifier: Apache-2.0
// What lies over the marks and takes the pointer has their words as its title, which the browser shows.
import { type PointerEvent, type RefObject, useCallback, useRef } from 'react';
import { write } from '../../../layers/messages';
import type { ChartRenderer } from '../chartRenderer';

/** The title element, and what is called where the pointer is. */
export function useMarkTitle(
  picture: RefObject<ChartRenderer | null>,
): readonly [RefObject<HTMLTitleElement | null>, (event: PointerEvent) => void] {
  const title = useRef<HTMLTitleElement>(null);
  const hover = useCallback(
    async ({ clientX, clientY, buttons }: PointerEvent) => {
      if (buttons) return;
      // a part that did not come is asked for again with the next move
      const part = await import('./markWords').catch(() => null);
      const scene = picture.current?.scene();
      if (part && scene && picture.current && title.current)
        write(title.current, part.markWords(scene, ...picture.current.at(clientX, clientY)));
    },
    [picture],
  );
  return [title, hover];
}
