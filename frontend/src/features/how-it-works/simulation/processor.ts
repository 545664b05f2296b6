// SPDX-License-Identifier: Apache-2.0
// One CPU: an interrupt goes before everything, the rest comes in turn.
import type { Task, Work } from './record';

/** The same thing done several times, one after the other. */
interface Batch {
  readonly task: Exclude<Task, 'interrupt'>;
  readonly times: number;
  /** CPU time of each [µs]. */
  readonly cost_us: number;
  /** The one in this place is done. */
  readonly done: (t: number, place: number) => void;
}

const NEVER = Number.POSITIVE_INFINITY;

export class Processor {
  readonly works: Work[] = [];
  private readonly batches: Batch[] = [];
  /** Of the first batch: which one is under way, and what is left of it [µs]. */
  private place = 0;
  private left = 0;
  private handled = NEVER;
  private whenHandled: (t: number) => void = () => {};
  private resumed = 0;

  /** A handler is running: another interrupt must wait. */
  get interrupted(): boolean {
    return this.handled !== NEVER;
  }

  /** When it is through with what it is at. */
  next(): number {
    if (this.interrupted) return this.handled;
    return this.batches.length > 0 ? this.resumed + this.left : NEVER;
  }

  interrupt(t: number, cost_us: number, done: (t: number) => void): void {
    if (this.batches.length > 0) {
      this.left = Math.max(0, this.left - (t - this.resumed));
      this.note(this.batches[0].task, this.resumed, t);
    }
    this.resumed = t;
    this.handled = t + cost_us;
    this.whenHandled = done;
  }

  /** To be done in turn. */
  queue(t: number, batch: Batch): void {
    if (batch.times === 0) return;
    this.batches.push(batch);
    if (this.batches.length > 1) return;
    if (!this.interrupted) this.resumed = t;
    this.begin();
  }

  /** Goes on with what has just been done: before everything that is in turn. */
  goOn(batch: Batch): void {
    this.batches.unshift(batch);
    this.begin();
  }

  /** What it is at is finished, at the time that `next` gave. */
  finish(t: number): void {
    if (this.interrupted) {
      this.note('interrupt', this.resumed, t);
      this.handled = NEVER;
      this.resumed = t;
      this.whenHandled(t);
      return;
    }
    const batch = this.batches[0];
    const place = this.place;
    this.note(batch.task, this.resumed, t);
    this.resumed = t;
    if (place < batch.times - 1) {
      this.place++;
      this.left = batch.cost_us;
    } else {
      this.batches.shift();
      this.begin();
    }
    batch.done(t, place);
  }

  private begin(): void {
    this.place = 0;
    this.left = this.batches[0]?.cost_us ?? 0;
  }

  /** What is under way at the end. */
  close(t: number): void {
    if (this.interrupted) this.note('interrupt', this.resumed, t);
    else if (this.batches.length > 0) this.note(this.batches[0].task, this.resumed, t);
  }

  private note(task: Task, start_us: number, end_us: number): void {
    if (!(end_us > start_us)) return;
    const last = this.works.at(-1);
    // two interrupts are two, however close
    if (task !== 'interrupt' && last?.task === task && last.end_us === start_us) last.end_us = end_us;
    else this.works.push({ task, start_us, end_us });
  }
}
