// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';
import { Section } from '../../components/Section';

/** What is seen, by name. */
export function Words() {
  return (
    <Section title="What you see" className="words">
      <p>
        <b>One interrupt per frame.</b> At 1 Gb/s a full frame of MTU 1500 ends every 12.3 µs, more than 80 000 times a
        second. An interrupt saves what the CPU was doing, asks the interface and returns: a price per interrupt,
        whatever it brings. Where that price exceeds the time between frames, the CPU does nothing else. Mogul and
        Ramakrishnan (1997) called it receive livelock; Zec, Mikuc and Žagar (2002) saw it at about 180 000 interrupts a
        second. The <Link href="/models/interrupt-livelock">model of livelock</Link> divides the one by the other.
      </p>
      <p>
        <b>Coalescing.</b> The interface holds its interrupt back while a timer runs, and one interrupt brings all that
        has come: 1 + ⌈T/gap⌉ packets under an{' '}
        <Link href="/models/timer-packets-per-interrupt">absolute timer and a steady stream</Link>. The one counts the
        packet that starts the timer. The rounding up is the frame under way when it ends, which is completed: Geist,
        Martin, Westall and Yalla (2005, section 3) deduced it from 2.000 packets per interrupt at the smallest delay,
        whatever the MTU.
      </p>
      <p>
        <b>Three prices.</b> The CPU pays per byte, per packet and per interrupt (
        <Link href="/models/cpu-overhead">Geist et al. 2005, section 4</Link>). A larger MTU makes fewer packets of the
        same bytes; coalescing makes fewer interrupts of the same packets. Neither touches the price per byte, and
        beyond some eight packets per interrupt there is little left to save.
      </p>
      <p>
        <b>The price in time.</b> The packet that starts a timer waits all of it, those that share it half of it on
        average. A stream does not mind. A client that waits for its reply does, every time: the paper’s NFS lost half
        of its throughput at a delay of 640, and did best at 40 or below. See{' '}
        <Link href="/models/request-response">request and response</Link>, and{' '}
        <Link href="/models/moderation-trade">the rate against the wait</Link> after Dillon (2004).
      </p>
      <p>
        <b>What the models leave out.</b> The <Link href="/models/receive-open-loop">composed predictor</Link> knows the
        mean rate, not the order of things. In bursts a timer gathers more than the mean says. In a livelock both let
        interrupts go first, until nothing is delivered. Polling (
        <Link href="/models/napi-receive">NAPI, Ronciak et al. 2005</Link>) takes packets without an interrupt. Where
        count and model part, one of these is why. All quantities are defined in the model pages; one CPU, one queue,
        and a stream that comes whatever the host does are simulated. For packets at random there are models of a{' '}
        <Link href="/models/throttle-poisson">throttle</Link>, a{' '}
        <Link href="/models/first-packet-timer-poisson">timer</Link> and a{' '}
        <Link href="/models/usecs-or-frames-poisson">count of frames</Link>, with what Linux{' '}
        <Link href="/models/deferred-interrupts">defers</Link> and{' '}
        <Link href="/models/suspended-interrupts">suspends</Link>. Under “Played” above, each of them runs event by
        event beside its formulas, as do merging, RSS, sleep, energy and one request at a time.
      </p>
    </Section>
  );
}
