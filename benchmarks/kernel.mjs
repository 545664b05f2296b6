// SPDX-License-Identifier: Apache-2.0
// Times the printed kernel against the hand-written one, in turn, on the same grid.
// node kernel.mjs PRINTED.mjs BY_HAND.mjs N REPETITIONS → JSON
import { pathToFileURL } from 'node:url';

const [printedPath, byHandPath, size, repetitions] = process.argv.slice(2);
const { default: printed } = await import(pathToFileURL(printedPath).href);
const { byHand } = await import(pathToFileURL(byHandPath).href);
const n = Number(size);
const rounds = Number(repetitions);

const mtu = Float64Array.from({ length: n }, (_, j) => 1500 + (7500 * j) / (n - 1));
const fill = Float64Array.from({ length: n }, (_, j) => 0.9 - (0.2 * j) / (n - 1));
const ppi = Float64Array.from({ length: n * n }, (_, k) => 1 + ((k % n) * 30) / n);
const a = new Float64Array(n * n);
const b = new Float64Array(n * n);

// Several evaluations a round: the clock of a process that is not isolated is coarse.
const EVALUATIONS = 50;
const time = (run) => {
  const start = process.hrtime.bigint();
  for (let k = 0; k < EVALUATIONS; k++) run(k);
  return Number(process.hrtime.bigint() - start) / 1e6 / EVALUATIONS;
};
const runPrinted = (k) => printed([mtu, ppi, fill, 0.813 + k * 1e-4, 0.266, 1.11], n, n, a);
const runByHand = (k) => byHand(mtu, ppi, fill, 0.813 + k * 1e-4, 0.266, 1.11, n, n, b);
for (let k = 0; k < 20; k++) time(runPrinted), time(runByHand);

const printedMs = [];
const byHandMs = [];
for (let round = 0; round < rounds; round++) {
  printedMs.push(time(runPrinted));
  byHandMs.push(time(runByHand));
}
const difference = a.reduce((most, value, k) => Math.max(most, Math.abs(value / b[k] - 1)), 0);
const median = (values) => values.toSorted((x, y) => x - y)[values.length >> 1];
const ratio = median(printedMs.map((ms, k) => ms / byHandMs[k]));
console.log(JSON.stringify({ printed_ms: median(printedMs), by_hand_ms: median(byHandMs), ratio, difference }));
