// SPDX-License-Identifier: Apache-2.0

/** Markup of the page's own build: MathML from the models' equations. */
export function Mathematics({ html, className }: { html: string; className?: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: MathML that was made when the page was built
  return <span className={className} dangerouslySetInnerHTML={{ __html: html }} />;
}
