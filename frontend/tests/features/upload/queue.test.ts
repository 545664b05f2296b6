// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError, Unreachable } from '../../../src/api/errors';
import type { UploadReceipt } from '../../../src/api/types';
import type { Upload } from '../../../src/api/uploads';
import { type Phase, UploadQueue } from '../../../src/features/upload/queue';

interface Sent extends Upload {
  finish: (receipt: UploadReceipt) => void;
  fail: (error: Error) => void;
}

const file = (name: string, bytes = 10) => new File([new Uint8Array(bytes)], name);
const log = (name: string) => ({ file: file(name), csv: false });
const table = (name: string) => ({ file: file(name), csv: true });

function receipt(outcome: 'stored' | 'known' = 'stored'): UploadReceipt {
  return {
    id: '00',
    outcome,
    sha256: '00',
    bytes: 10,
    filename: 'x',
    content: 'run_log',
    experiment: { slug: 'lab', title: 'Lab' },
    runs: [],
    run_count: 1,
    warnings: [],
    mapping: null,
    created_at: '2026-01-31T12:00:00.000Z',
  };
}

const refused = (status = 422) =>
  new ApiError(status, { code: 'block_crc', message: 'Block 3 is damaged.', where: { block: 3 }, advice: null });

/** Lets every promise that can settle do so. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

let sent: Sent[];
let up: boolean;
let timers: { ms: number; then: () => void }[];
let queue: UploadQueue;

beforeEach(() => {
  sent = [];
  up = true;
  timers = [];
  queue = new UploadQueue({
    send: (upload) =>
      new Promise((finish, fail) => {
        sent.push({ ...upload, finish, fail });
      }),
    answers: async () => up,
    after: (ms, then) => timers.push({ ms, then }),
  });
});

const phases = (): Phase[] => queue.current().items.map(({ phase }) => phase);
const names = () => sent.map(({ filename }) => filename);

describe('sending', () => {
  it('has three files on their way at once, in the order they came', async () => {
    queue.add([log('a'), log('b'), log('c'), log('d'), log('e')]);
    expect(names()).toEqual(['a', 'b', 'c']);
    expect(phases()).toEqual(['sending', 'sending', 'sending', 'waiting', 'waiting']);
    sent[1].finish(receipt());
    await settle();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    expect(phases()).toEqual(['sending', 'stored', 'sending', 'sending', 'waiting']);
  });

  it('shows progress, never more than the file holds', () => {
    queue.add([{ file: file('a', 100), csv: false }]);
    sent[0].onProgress(40);
    expect(queue.current().items[0].sent).toBe(40);
    sent[0].onProgress(140);
    expect(queue.current().items[0].sent).toBe(100);
  });

  it('tells a known file from a stored one', async () => {
    queue.add([log('a'), log('b')]);
    sent[0].finish(receipt('stored'));
    sent[1].finish(receipt('known'));
    await settle();
    expect(phases()).toEqual(['stored', 'known']);
  });

  it('lets the others in when one is refused', async () => {
    queue.add([log('a'), log('b')]);
    sent[0].fail(refused());
    sent[1].finish(receipt());
    await settle();
    expect(phases()).toEqual(['refused', 'stored']);
    expect(queue.current().items[0].error?.message).toBe('Block 3 is damaged.');
  });

  it('does not blame the file when the server failed', async () => {
    queue.add([log('a')]);
    sent[0].fail(refused(500));
    await settle();
    expect(phases()).toEqual(['failed']);
    queue.again(queue.current().items[0].key);
    expect(names()).toEqual(['a', 'a']);
  });
});

describe('pause', () => {
  it('starts nothing new, and what is on its way finishes', async () => {
    queue.add([log('a'), log('b'), log('c'), log('d')]);
    queue.pause();
    sent[0].finish(receipt());
    await settle();
    expect(phases()).toEqual(['stored', 'sending', 'sending', 'waiting']);
    queue.resume();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('tables', () => {
  it('are held until it is said where they go', () => {
    queue.add([table('t.csv'), log('a')]);
    expect(names()).toEqual(['a']);
    queue.direct({ experiment: 'lab', title: 'Lab', kind: 'measured' });
    expect(names()).toEqual(['a', 't.csv']);
    expect(sent[1].destination).toEqual({ experiment: 'lab', title: 'Lab', kind: 'measured' });
    expect(sent[0].destination).toBeNull();
  });
});

describe('a server that is gone', () => {
  it('stalls everything and loses nothing', async () => {
    queue.add([log('a'), log('b')]);
    up = false;
    sent[0].fail(new Unreachable());
    sent[1].fail(new Unreachable());
    await settle();
    expect(queue.current().stalled).toBe(true);
    expect(phases()).toEqual(['waiting', 'waiting']);
    expect(timers).toHaveLength(1);
  });

  it('goes on by itself when the server is back, asking less and less often', async () => {
    queue.add([log('a')]);
    up = false;
    sent[0].fail(new Unreachable());
    await settle();
    timers[0].then();
    await settle();
    expect(timers[1].ms).toBe(2 * timers[0].ms);
    up = true;
    timers[1].then();
    await settle();
    expect(queue.current().stalled).toBe(false);
    expect(names()).toEqual(['a', 'a']);
    sent[1].finish(receipt());
    await settle();
    expect(phases()).toEqual(['stored']);
  });

  it('does not go on while it is still away', async () => {
    queue.add([log('a')]);
    up = false;
    sent[0].fail(new Unreachable());
    await settle();
    expect(await queue.probe()).toBe(false);
    expect(names()).toEqual(['a']);
  });

  it('gives up on one file whose connection breaks each time while the server answers', async () => {
    queue.add([log('a')]);
    for (let i = 0; i < 3; i++) {
      sent[i].fail(new Unreachable());
      await settle();
    }
    expect(phases()).toEqual(['failed']);
    expect(queue.current().stalled).toBe(false);
  });
});

describe('a file that was refused', () => {
  it('can be replaced, and the new one is sent', async () => {
    queue.add([log('a')]);
    sent[0].fail(refused());
    await settle();
    queue.replace(queue.current().items[0].key, file('a2'), false);
    expect(names()).toEqual(['a', 'a2']);
    expect(queue.current().items[0].error).toBeNull();
  });

  it('can be left out; one on its way cannot', async () => {
    queue.add([log('a'), log('b')]);
    sent[0].fail(refused());
    await settle();
    for (const { key } of queue.current().items) queue.leaveOut(key);
    expect(phases()).toEqual(['sending']);
  });
});
