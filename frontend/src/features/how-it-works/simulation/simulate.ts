// SPDX-License-Identifier: Apache-2.0
// A receiver, event by event: frames, timers, interrupts, polls, deliveries. Pure: the same parameters give the same record.
import { type Frame, framesOf } from './frames';
import { Moderation } from './moderation';
import { type Parameters, packetTime } from './parameters';
import { Processor } from './processor';
import type { Depth, Happening, Interrupt, Packet, Simulation, What } from './record';

/** Packets that wait for the protocols where interrupts empty the ring: Linux' netdev_max_backlog in the days of the 2005 study. */
export const QUEUE_PACKETS = 300;

const NEVER = Number.POSITIVE_INFINITY;
const NO_FRAME: Frame = { start_us: NEVER, end_us: NEVER };

/**
 * Without polling an interrupt takes what is in the ring and puts it into a queue, as drivers did before NAPI: what exceeds the queue is
 * lost after its interrupt was paid for. With polling the interrupt stays off while polls of at most `napi_weight` packets find that many,
 * and what exceeds the ring is lost at no cost. Protocols and application take turns; an interrupt goes before both.
 */
class Receiver {
  readonly packets: Packet[] = [];
  readonly interrupts: Interrupt[] = [];
  readonly depths: Depth[] = [{ t_us: 0, ring: 0, queue: 0 }];
  readonly happenings: Happening[] = [];
  readonly moderation: Moderation;
  readonly processor = new Processor();
  private readonly p: Parameters;
  private readonly cost: number;
  /** Places of packets in the ring; `told` of them an interrupt has told of. */
  private ring: number[] = [];
  private told = 0;
  private queued = 0;
  private line: Interrupt | null = null;
  private off = false;
  private wanted = false;

  constructor(p: Parameters) {
    this.p = p;
    this.moderation = new Moderation(p);
    this.cost = packetTime(p);
  }

  arrive(t: number, frame: Frame): void {
    const packet: Packet = {
      start_us: frame.start_us,
      end_us: frame.end_us,
      announced_us: Number.NaN,
      interrupt: -1,
      delivered_us: Number.NaN,
      lost: null,
      lost_us: Number.NaN,
    };
    this.packets.push(packet);
    const n = this.packets.length;
    if (this.ring.length >= this.p.ring_descriptors) {
      this.lose(t, n - 1, 'ring');
      return;
    }
    this.ring.push(n - 1);
    this.note(t, 'arrived', n, this.ring.length);
    this.deepen(t);
    if (this.line) return; // the interrupt that waits to be served brings it too
    const before = this.moderation.countdowns.length;
    const now = this.moderation.received(t, this.ring.length - this.told);
    if (this.moderation.countdowns.length > before && this.ring.length - this.told === 1) this.note(t, 'started', n, 1);
    if (now) this.raise(t);
  }

  expire(t: number, coming: Frame): void {
    if (!this.moderation.expired(t, coming)) return;
    this.note(t, 'expired', this.interrupts.length + 1, this.ring.length - this.told);
    this.raise(t);
  }

  private raise(t: number): void {
    this.moderation.raised(t);
    if (this.off) {
      this.wanted = true;
      return;
    }
    this.line = { raised_us: t, served_us: Number.NaN, ended_us: Number.NaN, packets: 0 };
    this.interrupts.push(this.line);
    this.note(t, 'raised', this.interrupts.length, this.ring.length);
    this.serve(t);
  }

  private serve(t: number): void {
    if (!this.line || this.processor.interrupted) return;
    const interrupt = this.line;
    this.line = null;
    interrupt.served_us = t;
    const index = this.interrupts.length - 1;
    for (const k of this.ring.slice(this.told)) this.announce(Math.max(interrupt.raised_us, this.packets[k].end_us), k);
    const polls = this.p.napi_weight > 0;
    const taken = polls ? [] : this.ring;
    if (!polls) this.ring = [];
    this.told = this.ring.length;
    this.off = polls;
    this.deepen(t);
    this.processor.interrupt(t, this.p.interrupt_cost_us, (end) => {
      interrupt.ended_us = end;
      if (polls) this.poll(end, index);
      else this.enqueue(end, taken);
      this.serve(end);
    });
  }

  private announce(t: number, k: number): void {
    const packet = this.packets[k];
    packet.announced_us = t;
    packet.interrupt = this.interrupts.length - 1;
    this.interrupts[packet.interrupt].packets++;
  }

  private enqueue(t: number, taken: readonly number[]): void {
    const room = Math.max(0, QUEUE_PACKETS - this.queued);
    for (const k of taken.slice(room)) this.lose(t, k, 'queue');
    const kept = taken.slice(0, room);
    this.queued += kept.length;
    this.deepen(t);
    const n = this.interrupts.length;
    this.processor.queue(t, {
      task: 'poll',
      times: kept.length,
      cost_us: this.cost,
      done: (end, place) => {
        this.queued--;
        this.deepen(end);
        if (place === kept.length - 1) this.note(end, 'polled', n, kept.length);
      },
    });
    this.read(t, kept);
  }

  /** The application's turn. */
  private read(t: number, taken: readonly number[]): void {
    this.processor.queue(t, {
      task: 'application',
      times: taken.length,
      cost_us: this.p.system_call_cost_us,
      done: (end, place) => {
        this.packets[taken[place]].delivered_us = end;
        if (place === taken.length - 1) this.note(end, 'delivered', taken[place] + 1, taken.length);
      },
    });
  }

  private poll(t: number, interrupt: number): void {
    const taken: number[] = [];
    const next = (now: number): void => {
      const k = taken.length < this.p.napi_weight ? this.ring.shift() : undefined;
      if (k === undefined) {
        this.polled(now, interrupt, taken);
        return;
      }
      if (this.told > 0) this.told--;
      else this.announce(now, k);
      taken.push(k);
      this.deepen(now);
      this.processor.goOn({ task: 'poll', times: 1, cost_us: this.cost, done: next });
    };
    this.processor.queue(t, { task: 'poll', times: 1, cost_us: this.p.poll_cost_us, done: next });
  }

  /** A poll that found fewer than its weight is the last, and the interrupt is on again. */
  private polled(t: number, interrupt: number, taken: readonly number[]): void {
    this.note(t, 'polled', interrupt + 1, taken.length);
    this.read(t, taken);
    if (taken.length >= this.p.napi_weight) {
      this.poll(t, interrupt);
      return;
    }
    this.off = false;
    const { wanted } = this;
    this.wanted = false;
    if (this.ring.length === 0) this.moderation.stop(t);
    else if (wanted) this.raise(t);
  }

  private lose(t: number, k: number, where: 'ring' | 'queue'): void {
    const packet = this.packets[k];
    packet.lost = where;
    packet.lost_us = t;
    this.note(t, 'lost', k + 1, 1);
  }

  private deepen(t: number): void {
    const depth = { t_us: t, ring: this.ring.length, queue: this.queued };
    if (this.depths[this.depths.length - 1].t_us === t) this.depths.pop();
    this.depths.push(depth);
  }

  private note(t_us: number, what: What, n: number, packets: number): void {
    this.happenings.push({ t_us, what, n, packets });
  }
}

/**
 * Everything that happens until `until_us`.
 *
 * Of what happens at the same time, a frame is received first, then the CPU finishes, then timers expire: a frame that ends when a timer
 * does belongs to its interrupt.
 */
export function simulate(p: Parameters, until_us: number, frames: Iterator<Frame> = framesOf(p)): Simulation {
  const receiver = new Receiver(p);
  const { moderation, processor } = receiver;
  const take = (): Frame => {
    const { value, done } = frames.next();
    return done ? NO_FRAME : value;
  };
  let coming = take();
  for (;;) {
    const t = Math.min(coming.end_us, moderation.next(), processor.next());
    if (t > until_us || t === NEVER) break;
    if (coming.end_us === t) {
      const frame = coming;
      coming = take();
      receiver.arrive(t, frame);
    } else if (processor.next() === t) processor.finish(t);
    else receiver.expire(t, coming);
  }
  processor.close(until_us);
  const { packets, interrupts, depths, happenings } = receiver;
  const { countdowns } = moderation;
  return { until_us, packets, interrupts, countdowns, works: processor.works, depths, happenings };
}
