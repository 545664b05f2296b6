// SPDX-License-Identifier: Apache-2.0
import { copyText, useSaid } from './copy';
import { Icon } from './Icon';

interface Copied {
  text: string;
  label?: string;
  /** What is copied, for those who hear one button of several. */
  of?: string;
}

/** Copies `text` and says so in its own place. */
export function CopyButton({ text, label = 'Copy', of }: Copied) {
  const [said, say] = useSaid();
  return (
    <button
      type="button"
      className="quiet small"
      onClick={async () => say((await copyText(text)) ? 'Copied' : 'Select and copy by hand')}
    >
      <Icon name="copy" />
      <span aria-live="polite">{said ?? label}</span>
      {of && <span className="sr"> {of}</span>}
    </button>
  );
}
