// SPDX-License-Identifier: Apache-2.0
import { useTitle } from '../components/title';
import { currentAddress } from '../state/address';

/** In the place of the whole page, where another site has put it into a frame: a button there may be pressed unseen. */
export function Framed() {
  useTitle('Not in a frame');
  return (
    <main className="page">
      <header className="lede">
        <h1>The page does not work in a frame</h1>
        <p>
          <a href={currentAddress()} target="_blank" rel="noopener">
            Open it in a window of its own
          </a>
          , or embed a view of it: Share, Embed.
        </p>
      </header>
    </main>
  );
}
