// SPDX-License-Identifier: Apache-2.0
// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { activeTerm, close, define, listenForDefinitions } from '../../src/components/definition';

const MARKUP = `
  <button id="name" data-quantity="delay_us">Interrupt delay</button>
  <button id="radio" role="radio"><span data-quantity="mtu_bytes">MTU</span></button>
  <label id="level">Delay <span data-quantity="delay_us">Interrupt delay</span><select id="levels"></select></label>
  <input id="typed" data-quantity="latency_us">
  <p id="other">elsewhere</p>`;

const at = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const fire = (element: Element, type: string, init: object) =>
  element.dispatchEvent(Object.assign(new Event(type, { bubbles: true }), init));
const hover = (element: Element) => fire(element, 'pointerover', { pointerType: 'mouse', buttons: 0 });

describe('asking for a definition', () => {
  let stop: () => void;
  beforeEach(() => {
    vi.useFakeTimers();
    document.body.innerHTML = MARKUP;
    stop = listenForDefinitions(document);
  });
  afterEach(() => {
    stop();
    close(false);
    vi.useRealTimers();
  });

  it('by a press, which holds it; Escape closes it and gives the focus back', () => {
    at('name').click();
    expect(activeTerm.get().now).toMatchObject({ name: 'delay_us', held: true });
    fire(document.body, 'keydown', { key: 'Escape' });
    expect(activeTerm.get().now).toBeNull();
    expect(document.activeElement).toBe(at('name'));
    at('name').click();
    at('name').click();
    expect(activeTerm.get().now).toBeNull();
  });

  it('by resting the pointer, not by passing', () => {
    hover(at('name'));
    hover(at('other'));
    vi.runAllTimers();
    expect(activeTerm.get().now).toBeNull();
    hover(at('name'));
    vi.runAllTimers();
    expect(activeTerm.get().now).toMatchObject({ name: 'delay_us', held: false });
    hover(at('other'));
    vi.runAllTimers();
    expect(activeTerm.get().now).toBeNull();
  });

  it('leaves a press that means something else alone; “?” asks there', () => {
    at('radio').click();
    at('radio').querySelector('span')?.click();
    expect(activeTerm.get().now).toBeNull();
    fire(at('radio'), 'keydown', { key: '?' });
    expect(activeTerm.get().now).toMatchObject({ name: 'mtu_bytes', anchor: at('radio') });
  });

  it('“?” asks for what the label of a control names, and gives the focus back; where it is typed it is a letter', () => {
    at('levels').focus();
    fire(at('levels'), 'keydown', { key: '?' });
    expect(activeTerm.get().now).toMatchObject({ name: 'delay_us', held: true });
    fire(document.body, 'keydown', { key: 'Escape' });
    expect(document.activeElement).toBe(at('levels'));
    fire(at('typed'), 'keydown', { key: '?' });
    expect(activeTerm.get().now).toBeNull();
  });

  it('closes when something else is pressed or the page moves', () => {
    for (const type of ['pointerdown', 'scroll']) {
      define('delay_us', at('name'));
      fire(at('other'), type, {});
      expect(activeTerm.get().now).toBeNull();
    }
  });
});
