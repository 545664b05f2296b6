// SPDX-License-Identifier: Apache-2.0
import type { Part } from './words';

/** Words, in which a setting that is named is a place to go to. */
export function Sentence({ parts, go }: { parts: readonly Part[]; go: (place: number) => void }) {
  return parts.map(({ text, place, strong }, i) => {
    if (place === undefined)
      // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the sentence
      return strong ? <b key={i}>{text}</b> : text;
    return (
      <button
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        key={i}
        type="button"
        className="setting"
        aria-description="moves the crosshair there"
        onClick={() => go(place)}
      >
        {text}
      </button>
    );
  });
}
