// SPDX-License-Identifier: Apache-2.0
// When the interface may interrupt: the kinds of `interrupts.moderated` of the models, as rules in time.
import { MODERATION, type Parameters } from './parameters';
import type { Countdown, Timer } from './record';

/** A frame that starts at the moment a timer expires is not under way yet; so much earlier is rounding. */
const ROUNDING_US = 1e-7;

const NEVER = Number.POSITIVE_INFINITY;

/** The frame that comes next, whether the wire has it already or not. */
interface Coming {
  readonly start_us: number;
  readonly end_us: number;
}

/**
 * The timers of one interface. The absolute timer starts with a packet that was received, and a frame whose reception is under way when
 * it expires is completed first (Geist et al. 2005, section 3). The packet timer starts again with each packet. A throttle, and a leading
 * edge, keep interrupts their time apart. For the timers the ring's low-water mark interrupts before its packets are too many.
 */
export class Moderation {
  readonly countdowns: Countdown[] = [];
  private readonly running: Partial<Record<Timer, Countdown>> = {};
  private absolute = NEVER;
  private completing = false;
  private last = Number.NEGATIVE_INFINITY;

  private readonly p: Parameters;

  constructor(p: Parameters) {
    this.p = p;
  }

  /** When a timer expires next. */
  next(): number {
    return Math.min(this.absolute, this.running.packet?.due_us ?? NEVER, this.running.throttle?.due_us ?? NEVER);
  }

  /** A packet is in the ring, one of `waiting` that no interrupt has told of: whether to interrupt at once. */
  received(t: number, waiting: number): boolean {
    const { moderation_kind: kind, delay_us, packet_delay_us, ring_descriptors } = this.p;
    if (kind === MODERATION.everyPacket) return true;
    if (kind >= MODERATION.throttle) {
      if (this.running.throttle) return false;
      const due = Math.max(t, this.last + delay_us);
      if (due <= t) return true;
      this.start('throttle', t, due);
      return false;
    }
    if (kind !== MODERATION.packetTimer && !this.running.absolute) {
      this.start('absolute', t, t + delay_us);
      this.absolute = t + delay_us;
    }
    if (kind !== MODERATION.absoluteTimer) this.start('packet', t, t + packet_delay_us);
    return waiting >= ring_descriptors;
  }

  /** A timer has expired; whether it interrupts now, and not after the frame that is under way. */
  expired(t: number, coming: Coming): boolean {
    const others = (this.running.packet?.due_us ?? NEVER) <= t || (this.running.throttle?.due_us ?? NEVER) <= t;
    if (others || this.completing || this.absolute > t) return true;
    if (coming.start_us > t - ROUNDING_US || coming.end_us <= t) return true;
    this.completing = true;
    this.absolute = coming.end_us;
    return false;
  }

  /** The interface interrupts. */
  raised(t: number): void {
    this.last = t;
    this.stop(t);
  }

  /** Nothing waits any more: no timer runs. */
  stop(t: number): void {
    for (const timer of ['absolute', 'packet', 'throttle'] as const) this.end(timer, t);
    this.absolute = NEVER;
    this.completing = false;
  }

  private start(timer: Timer, t: number, due: number): void {
    this.end(timer, t);
    const countdown = { timer, start_us: t, due_us: due, end_us: Number.NaN };
    this.running[timer] = countdown;
    this.countdowns.push(countdown);
  }

  private end(timer: Timer, t: number): void {
    const countdown = this.running[timer];
    if (countdown) countdown.end_us = t;
    delete this.running[timer];
  }
}
