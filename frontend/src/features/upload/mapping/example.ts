// SPDX-License-Identifier: Apache-2.0
// A table to try the page with, and one to fill in.

/** Made up: how a table from a spreadsheet looks in many countries. */
const EXAMPLE = `mtu;rx-usecs;cpu;Gbps;notes
1500;10;71,4;8,61;
1500;50;58,9;9,37;
1500;100;49,2;9,41;
1500;200;43,8;9,40;
3000;10;55,3;9,52;
3000;50;43,1;9,71;
3000;100;37,6;9,70;
3000;200;34,9;9,69;
9000;10;38,2;9,88;
9000;50;31,0;9,90;
9000;100;28,4;9,90;backup was running
9000;200;27,1;9,84;
`;

/** Columns that name themselves; two runs of two settings. */
const TEMPLATE = `mtu_bytes,delay_us,workload,replicate,throughput_mbps,system_cpu_percent
1500,10,tcp,1,,
1500,10,tcp,2,,
9000,10,tcp,1,,
9000,10,tcp,2,,
`;

export const exampleFile = (): File => new File([EXAMPLE], 'example.csv', { type: 'text/csv' });

export const templateAddress = (): string => `data:text/csv;charset=utf-8,${encodeURIComponent(TEMPLATE)}`;
