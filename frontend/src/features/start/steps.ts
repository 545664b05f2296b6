// SPDX-License-Identifier: Apache-2.0
// From a network interface to what to set on it: what one does, in order, with the commands.

export interface Step {
  readonly title: string;
  readonly words: string;
  readonly commands: readonly string[];
}

/** `server`: where this page is from, as the commands reach it. */
export const stepsFor = (server: string): readonly Step[] => [
  {
    title: 'Try it without a second host',
    words:
      'Two minutes, and none of your settings are changed: a pair of virtual interfaces between two network namespaces. It needs iperf3; it has no card, and so no interrupts.',
    commands: [`sudo .venv/bin/coalescope-host demo --server ${server}`],
  },
  {
    title: 'Record one run of your interface',
    words:
      'The logger changes nothing. Put your interface for eth0, and for the factors what is set (ethtool -c eth0). Then start traffic from another host: iperf3 -c THIS-HOST -t 10.',
    commands: [
      'sudo driver/logger/coalescope-logger -i eth0 -e my-host -f mtu_bytes=1500 -f delay_us=40 -o run.runlog -- iperf3 -s -1 -J',
      `.venv/bin/coalescope upload run.runlog --server ${server}`,
    ],
  },
  {
    title: 'Sweep MTU and delay',
    words:
      'Each combination in random order, here and at a peer over ssh; everything is put back, also when it is interrupted or killed; docs/sweep.md says what cannot be. The dry run says whether it can be done. The surface fills while it runs.',
    commands: [
      'make traffic',
      'sudo .venv/bin/coalescope-host sweep eth1 --mtu 1500,9000 --rx-usecs 0,25,50 --peer root@HOST --dry-run',
      `sudo .venv/bin/coalescope-host sweep eth1 --mtu 1500,9000 --rx-usecs 0,25,50 --peer root@HOST --server ${server}`,
    ],
  },
  {
    title: 'Read the answer',
    words:
      'Open the experiment and choose a goal under “What to set”: a setting, what it gains and costs, and the commands for your driver. Or measure only as much as one goal takes:',
    commands: ['sudo .venv/bin/coalescope-host tune eth1 --goal p99 --under cpu=30% --peer root@HOST'],
  },
];
