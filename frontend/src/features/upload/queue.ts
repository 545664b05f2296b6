// SPDX-License-Identifier: Apache-2.0
// The files of one upload and what became of each. Knows no DOM and no network: both are given to it.
import { ApiError } from '../../api/errors';
import type { UploadReceipt } from '../../api/types';
import type { Destination, Upload } from '../../api/uploads';

/**
 * held: a CSV whose experiment was not named yet. failed: the server answered that it could not; it may well the next time.
 * refused: the file itself is wrong.
 */
export type Phase = 'held' | 'waiting' | 'sending' | 'stored' | 'known' | 'refused' | 'failed';

export interface Item {
  readonly key: number;
  readonly file: File;
  readonly csv: boolean;
  readonly destination: Destination | null;
  readonly phase: Phase;
  readonly sent: number;
  readonly receipt: UploadReceipt | null;
  readonly error: ApiError | null;
  /** How often the connection broke while this file was on its way. */
  readonly broken: number;
}

export interface Uploads {
  readonly items: readonly Item[];
  readonly paused: boolean;
  /** The server does not answer: everything waits, nothing is lost. */
  readonly stalled: boolean;
}

interface Dependencies {
  send: (upload: Upload) => Promise<UploadReceipt>;
  answers: () => Promise<boolean>;
  after: (ms: number, then: () => void) => void;
}

const AT_ONCE = 3;
const PROBE_FIRST_MS = 1500;
const PROBE_MOST_MS = 15_000;
/** A connection that breaks this often on one file, while the server answers otherwise, is that file's own trouble. */
const BROKEN_MOST = 3;

export class UploadQueue {
  private state: Uploads = { items: [], paused: false, stalled: false };
  private readonly listeners = new Set<() => void>();
  private readonly around: Dependencies;
  private lastKey = 0;

  constructor(around: Dependencies) {
    this.around = around;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): Uploads => this.state;

  /** Run logs start at once; CSV files are held until `direct` says where they go. */
  add(files: readonly { file: File; csv: boolean }[]): void {
    const items = files.map(({ file, csv }) => this.fresh(file, csv));
    this.change({ items: [...this.state.items, ...items] });
    this.start();
  }

  /** Names the experiment for every held file. */
  direct(destination: Destination): void {
    this.change({
      items: this.state.items.map((item) =>
        item.phase === 'held' ? { ...item, destination, phase: 'waiting' } : item,
      ),
    });
    this.start();
  }

  /** Sends one held file there. */
  directOne(key: number, destination: Destination): void {
    this.set(key, { destination, phase: 'waiting', error: null });
    this.start();
  }

  /** A file that was looked at and is none that can be stored. */
  reject(key: number, error: ApiError): void {
    this.refuse(key, error);
  }

  pause(): void {
    this.change({ paused: true });
  }

  resume(): void {
    this.change({ paused: false });
    this.start();
  }

  /** Sends a file again that failed or was refused. */
  again(key: number): void {
    this.set(key, { phase: 'waiting', sent: 0, error: null, broken: 0 });
    this.start();
  }

  /** Asks where a file goes that names no experiment. */
  hold(key: number): void {
    this.set(key, { phase: 'held', error: null, sent: 0 });
  }

  /** Another file in the place of one that was refused. */
  replace(key: number, file: File, csv: boolean): void {
    const { destination } = this.item(key) ?? { destination: null };
    const phase = csv && !destination ? 'held' : 'waiting';
    this.set(key, { file, csv, phase, sent: 0, error: null, broken: 0 });
    this.start();
  }

  /** Takes a file off the list. One that is on its way stays: it may be on disk already. */
  leaveOut(key: number): void {
    this.change({ items: this.state.items.filter((item) => item.key !== key || item.phase === 'sending') });
  }

  /** Asks again, now, whether the server is back. */
  async probe(): Promise<boolean> {
    if (!this.state.stalled) return true;
    if (!(await this.around.answers())) return false;
    this.change({ stalled: false });
    this.start();
    return true;
  }

  private fresh(file: File, csv: boolean): Item {
    this.lastKey += 1;
    const phase = csv ? 'held' : 'waiting';
    return { key: this.lastKey, file, csv, destination: null, phase, sent: 0, receipt: null, error: null, broken: 0 };
  }

  private item(key: number): Item | undefined {
    return this.state.items.find((item) => item.key === key);
  }

  private set(key: number, change: Partial<Item>): void {
    this.change({ items: this.state.items.map((item) => (item.key === key ? { ...item, ...change } : item)) });
  }

  private change(change: Partial<Uploads>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  private start(): void {
    if (this.state.paused || this.state.stalled) return;
    const free = AT_ONCE - this.state.items.filter(({ phase }) => phase === 'sending').length;
    for (const item of this.state.items.filter(({ phase }) => phase === 'waiting').slice(0, Math.max(0, free))) {
      this.set(item.key, { phase: 'sending', sent: 0 });
      void this.sendOne(item);
    }
  }

  private async sendOne({ key, file, destination, broken }: Item): Promise<void> {
    try {
      const receipt = await this.around.send({
        content: file,
        filename: file.name,
        destination,
        onProgress: (sent) => this.set(key, { sent: Math.min(sent, file.size) }),
      });
      this.set(key, { phase: receipt.outcome, receipt, sent: file.size });
    } catch (error) {
      if (error instanceof ApiError) this.refuse(key, error);
      else await this.unreachable(key, broken + 1);
    }
    this.start();
  }

  private refuse(key: number, error: ApiError): void {
    this.set(key, { phase: error.status >= 500 || error.status === 401 ? 'failed' : 'refused', error });
  }

  private async unreachable(key: number, broken: number): Promise<void> {
    const up = await this.around.answers();
    if (up && broken >= BROKEN_MOST) {
      this.set(key, { phase: 'failed', broken, error: SELECTION_FIELDS });
      return;
    }
    this.set(key, { phase: 'waiting', sent: 0, broken });
    if (!up && !this.state.stalled) {
      this.change({ stalled: true });
      this.watch(PROBE_FIRST_MS);
    }
  }

  private watch(ms: number): void {
    this.around.after(ms, async () => {
      if (!(await this.probe())) this.watch(Math.min(2 * ms, PROBE_MOST_MS));
    });
  }
}

const SELECTION_FIELDS = new ApiError(0, {
  code: 'connection_cut',
  message: 'The connection was cut each time while this file was on its way, though the server answers.',
  where: {},
  advice: 'Something between here and the server may limit the size of a request.',
});
