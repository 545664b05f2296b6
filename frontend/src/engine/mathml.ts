// SPDX-License-Identifier: Apache-2.0
// LaTeX to MathML that the page's policy lets through: for the catalogue when the page is built, for a reader's own model as it is written.
// The LaTeX is always printed by this project's own code.
import temml from 'temml';

const FENCE = /<mo fence="true" form="(prefix|postfix)" stretchy="true">([^<]*)<\/mo>/g;

/**
 * Brackets that hold a fraction, made tall by the page's style: fonts without a mathematics table do not stretch them, and those with one must
 * not stretch them twice.
 */
export function sizeFences(markup: string): string {
  const open: number[] = [];
  const tall = new Set<number>();
  const found = [...markup.matchAll(FENCE)];
  found.forEach((fence, k) => {
    if (fence[1] === 'prefix') open.push(k);
    else {
      const from = open.pop();
      if (from === undefined) return;
      if (!markup.slice(found[from].index, fence.index).includes('<mfrac')) return;
      tall.add(from).add(k);
    }
  });
  let k = 0;
  return markup.replace(FENCE, (_, form: string, sign: string) => {
    const mark = `<mo fence="true" form="${form}" stretchy="false">${sign}</mo>`;
    return tall.has(k++) ? `<mpadded class="tall" voffset="-0.2em">${mark}</mpadded>` : mark;
  });
}

/**
 * Roots as powers: a browser draws the radical sign only from a font with a mathematics table, and without one the root would silently be
 * missing from the equation.
 */
function powersForRoots(markup: string): string {
  const root = /<msqrt>((?:(?!<msqrt>)[\s\S])*?)<\/msqrt>/;
  const bracket = (form: string, sign: string): string =>
    `<mo fence="true" form="${form}" stretchy="true">${sign}</mo>`;
  let out = markup;
  while (root.test(out))
    out = out.replace(
      root,
      (_, radicand: string) =>
        `<msup><mrow>${bracket('prefix', '(')}${radicand}${bracket('postfix', ')')}</mrow>` +
        '<mrow><mn>1</mn><mo>/</mo><mn>2</mn></mrow></msup>',
    );
  return out;
}

/** The brace before cases as the left edge of their table, which is as high as they are: no font has to stretch it. */
function edgesForBraces(markup: string): string {
  return markup
    .replace(
      /<mo fence="true" form="prefix" stretchy="true">{<\/mo>(<mpadded[^>]*>)?<mtable/g,
      '$1<mtable class="cases"',
    )
    .replace(/<mo fence="true" form="postfix" stretchy="true"><\/mo>/g, '');
}

/** MathML without style attributes: the page's content security policy allows none in markup. */
export function mathml(latex: string, displayMode = true): string {
  // trust: the models' own \class{p-NAME} marks parameters, so that the page can underline their cost
  const markup = temml.renderToString(latex, { displayMode, throwOnError: true, trust: true });
  // names of several letters stand upright; the page's style cannot count letters
  const upright = markup.replace(/ style="[^"]*"/g, '').replace(/<mi>([^<]{2,})<\/mi>/g, '<mi class="w">$1</mi>');
  return sizeFences(powersForRoots(edgesForBraces(upright)));
}
