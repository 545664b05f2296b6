// SPDX-License-Identifier: Apache-2.0
// A small drawing of the panel: SVG at rest, painted while a slider is being dragged (dragRenderer.ts says why).
import { type ReactNode, type SVGProps, useRef } from 'react';
import { currentTheme, type Theme } from '../../components/theme';
import { type Sheet, sheetOn } from '../../layers/canvas';
import { draw } from '../../layers/svg';
import type { Shape } from '../../plots/shapes';
import { type Sized, useSized } from './context';

interface Plot extends Omit<Sized<SVGSVGElement>, 'attach'> {
  show(shapes: readonly Shape[], dragging: boolean): void;
  /** The drawing as an element. */
  of(about: SVGProps<SVGSVGElement> & { height: number }): ReactNode;
}

export function usePlot(): Plot {
  const { attach, element, width, hidden } = useSized<SVGSVGElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const sheet = useRef<{ readonly of: Theme; readonly on: Sheet | null } | null>(null);

  function paint(shapes: readonly Shape[], svg: SVGSVGElement, over: HTMLCanvasElement): void {
    const theme = currentTheme();
    if (sheet.current?.of !== theme) {
      const room = { top: 0, width: width.current, height: svg.height.baseVal.value };
      sheet.current = { of: theme, on: sheetOn(over, room) };
      over.hidden = false;
      svg.style.opacity = '0';
    }
    sheet.current.on?.paint(shapes);
    sheet.current.on?.show();
  }

  return {
    element,
    width,
    hidden,
    show(shapes, dragging) {
      const [svg, over] = [element.current, canvas.current];
      if (!svg || !over) return;
      if (dragging && width.current > 0) {
        paint(shapes, svg, over);
        return;
      }
      draw(svg, shapes);
      if (!sheet.current) return;
      sheet.current = null;
      over.hidden = true;
      svg.style.opacity = '';
    },
    of: (about) => (
      <div className="sheet">
        <svg ref={attach} {...about} />
        <canvas ref={canvas} className="moving" hidden />
      </div>
    ),
  };
}
