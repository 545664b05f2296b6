// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { currentCopy } from '../../api/copy';
import { reasonOf } from '../../api/errors';
import { base } from '../../api/home';
import { createLink } from '../../api/queries';
import { copyText, useSaid } from '../../components/copy';
import { Icon } from '../../components/Icon';
import { lazyPart } from '../../components/lazyPart';
import { Menu, MenuItem } from '../../components/Menu';
import { addressOf, currentAddress, currentPath, loopbackName } from '../../state/address';
import { canEmbed } from '../../state/embed';
import './share.css';

const EmbedDialog = lazyPart('What an embed looks like', async () => (await import('./EmbedDialog')).EmbedDialog);

type Short =
  | { state: 'none' | 'asking' }
  | { state: 'made'; url: string; copied: boolean }
  | { state: 'failed'; reason: string };

/** A link that comes when another view is on the screen is neither shown nor copied. */
async function makeShort(): Promise<Short> {
  const path = currentPath();
  try {
    const link = await createLink(path);
    if (currentPath() !== path) return { state: 'none' };
    const url = addressOf(`/l/${link.token}`);
    return { state: 'made', url, copied: await copyText(url) };
  } catch (error) {
    return currentPath() === path ? { state: 'failed', reason: reasonOf(error) } : { state: 'none' };
  }
}

function Made({ url, copied }: { url: string; copied: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <p className="made">
      <input
        ref={field}
        readOnly
        aria-label="Short link"
        value={url}
        onFocus={(event) => event.currentTarget.select()}
      />
      <small>{copied ? 'Copied to the clipboard.' : 'Select and copy it.'}</small>
    </p>
  );
}

function HereOnly({ server }: { server: string }) {
  return (
    <p className="here-only">
      Links to a server on <code>{server}</code> open on this machine only. For another one, or a phone:{' '}
      <em>Export → Offline page, one file</em>, or start the server with <code>--host</code>.
    </p>
  );
}

function whyNoEmbed(path: string): string | undefined {
  if (!canEmbed(path)) return 'this page has no view that could stand alone';
  return currentCopy() ? 'a copy without a server has no frames to give' : undefined;
}

/** The address is the view: one press copies it. A short link is made by the server, on request only. */
export function ShareMenu() {
  const [said, say] = useSaid();
  const [short, setShort] = useState<Short>({ state: 'none' });
  const [embedded, setEmbedded] = useState<{ view: string; title: string } | null>(null);
  const [path] = useLocation();
  // a file that is opened stays in the page: no link carries it
  const opened = path === '/open';
  const loopback = loopbackName();

  async function copyAddress() {
    const copied = loopback ? 'Local link copied' : 'Link copied';
    say((await copyText(currentAddress())) ? copied : 'Copy it from the address bar');
  }

  function embed() {
    // the window is named after the view: "Title · Coalescope"
    setEmbedded({ view: currentPath().slice(base.length), title: document.title });
  }

  async function askForShort() {
    setShort({ state: 'asking' });
    setShort(await makeShort());
  }

  return (
    <div className="split">
      <button type="button" className="quiet" aria-label="Share: copy the link" onClick={copyAddress}>
        <Icon name={said ? 'ok' : 'link'} />
        <span>{said ?? 'Share'}</span>
      </button>
      <Menu
        label="More ways to share"
        trigger={<Icon name="down" small />}
        onOpen={() => setShort({ state: 'none' })}
        after={
          <>
            {short.state === 'made' && <Made url={short.url} copied={short.copied} />}
            {short.state === 'failed' && <p className="made bad">No short link: {short.reason}</p>}
            {loopback && <HereOnly server={loopback} />}
          </>
        }
      >
        <MenuItem note={opened ? 'what is opened here is not in it' : 'the whole view is in it'} onSelect={copyAddress}>
          Copy the address
        </MenuItem>
        {currentCopy() === null && (
          <MenuItem stay note={opened ? 'without what is opened here' : 'kept by this server'} onSelect={askForShort}>
            Short link
          </MenuItem>
        )}
        <MenuItem note="a frame for your own page" unavailable={whyNoEmbed(path)} onSelect={embed}>
          Embed
        </MenuItem>
      </Menu>
      {embedded && <EmbedDialog {...embedded} onClose={() => setEmbedded(null)} />}
      <span className="sr" role="status">
        {said ?? (short.state === 'made' ? `Short link ${short.url}${short.copied ? ', copied' : ''}` : '')}
      </span>
    </div>
  );
}
