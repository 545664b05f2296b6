// SPDX-License-Identifier: Apache-2.0
// Addresses of embeds: a view's own behind /embed, and what only a frame asks for. docs/addresses.md freezes them.

const BEHIND = '/embed';
const VIEWS = /^\/(explorer|models|figures)\/[^/]+$/;

export const THEMES = ['auto', 'light', 'dark'] as const;
export type EmbedTheme = (typeof THEMES)[number];

interface EmbedOptions {
  /** auto follows the reader's system. */
  readonly theme: EmbedTheme;
  /** Whether the model's parameters stand below the drawing. */
  readonly sliders: boolean;
}

/** A view's and an embed's own options, which must not be handed on. */
const OPTIONS = /^(theme|sliders)(=|$)/;

function parts(address: string): { path: string; query: string[] } {
  const [path, query = ''] = address.split('#', 1)[0].split(/\?(.*)/s);
  return { path, query: query.split('&').filter((part) => part !== '' && !OPTIONS.test(part)) };
}

const joined = (path: string, query: readonly string[]): string =>
  query.length > 0 ? `${path}?${query.join('&')}` : path;

export const isEmbed = (path: string): boolean => path.startsWith(`${BEHIND}/`);

/** Whether a view at this address can stand in another page. */
export const canEmbed = (address: string): boolean => VIEWS.test(parts(address).path);

/** Whether it has parameters that could be shown as sliders. */
export const mayHaveSliders = (address: string): boolean => !address.startsWith('/figures/');

/** The embed of a view. */
export function embedPath(view: string, options: EmbedOptions): string {
  const { path, query } = parts(view);
  const asked = [
    ...(options.sliders ? ['sliders=on'] : []),
    ...(options.theme === 'auto' ? [] : [`theme=${options.theme}`]),
  ];
  return joined(BEHIND + path, [...query, ...asked]);
}

/** The view of an embed. */
export function viewPath(embed: string): string {
  const { path, query } = parts(embed);
  return joined(isEmbed(path) ? path.slice(BEHIND.length) : path, query);
}

export const slidersAsked = (query: string): boolean => new URLSearchParams(query).get('sliders') === 'on';
