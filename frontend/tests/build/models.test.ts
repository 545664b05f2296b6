// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { kernelExpression } from '../../build/models';
import { mathml, sizeFences } from '../../src/engine/mathml';

describe('the models’ plugin', () => {
  it('makes an expression of a kernel’s module, with what it declares inside', () => {
    const text =
      'const two = 2;\nexport default function kernel(inputs, nx, ny, out) { out[0] = two * inputs[0]; return out; }';
    const made = new Function(`return ${kernelExpression(text)}`);
    const kernel = made() as (i: number[], x: number, y: number, o: number[]) => number[];
    expect(kernel([21], 1, 1, [0])).toEqual([42]);
  });

  it('leaves a kernel as it is that declares nothing besides', () => {
    expect(kernelExpression('export default function kernel(inputs) {\n}\n')).toBe('function kernel(inputs) {\n}');
  });

  it('refuses what is not a kernel', () => {
    expect(() => kernelExpression('export default 1')).toThrow('kernel');
  });

  it('makes brackets tall only round a fraction', () => {
    expect(mathml('\\left(\\frac{1}{2}\\right)')).toContain('<mpadded class="tall"');
    expect(mathml('\\left(a + b\\right)')).not.toContain('tall');
    const nested = mathml('\\left\\lceil \\frac{a}{8 \\, \\left(b + 38\\right)} \\right\\rceil');
    expect(nested.match(/class="tall"/g)).toHaveLength(2);
    expect(sizeFences('<mn>1</mn>')).toBe('<mn>1</mn>');
  });

  it('writes roots as powers: without a mathematics font the radical sign would be missing', () => {
    const nested = mathml('\\sqrt{a + \\sqrt{b}}');
    expect(nested).not.toContain('msqrt');
    expect(nested.match(/<mn>1<\/mn><mo>\/<\/mo><mn>2<\/mn>/g)).toHaveLength(2);
    expect(mathml('a^2')).not.toContain('<mo>/</mo>');
  });

  it('draws the brace of cases as the edge of their table', () => {
    const cases = '\\begin{cases} a & \\text{if } a < b \\\\ b & \\text{otherwise} \\end{cases}';
    const markup = mathml(`x = ${cases} + \\left(1 + 2\\right)`);
    expect(markup).toContain('<mtable class="cases"');
    expect(markup).not.toContain('{');
    expect(markup.match(/<mo fence/g)).toHaveLength(2);
  });

  it('marks parameters and names of several letters', () => {
    expect(mathml('\\class{p-alpha}{\\alpha} \\, \\mathrm{MTU}')).toMatch(/class="p-alpha".*class="w">MTU/);
  });
});
