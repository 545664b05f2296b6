// SPDX-License-Identifier: Apache-2.0
// What a file needs from the browser: the light theme's values, and pixels.

/** Every token of the light theme, whatever theme is on the screen. */
export function lightTokens(): Record<string, string> {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  root.dataset.theme = 'light';
  const style = getComputedStyle(root);
  const names = [
    'ground',
    'ground-2',
    'ground-3',
    'line',
    'line-2',
    'line-3',
    'ink',
    'ink-2',
    'ink-3',
    'crosshair',
    'crosshair-ink',
    'surface-edge',
    'even',
    'inverse',
    'on-dark',
    'on-bright',
  ];
  for (let i = 1; i <= 4; i++) names.push(`over-${i}`, `under-${i}`);
  for (let i = 1; i <= 5; i++) names.push(`mtu-${i}`);
  for (const kind of ['published', 'measured', 'emulated', 'simulated']) names.push(`kind-${kind}`);
  const tokens = Object.fromEntries(
    names.map((name) => [`--${name}`, style.getPropertyValue(`--${name}`).trim() || 'none']),
  );
  // nothing was painted in between
  if (theme === undefined) delete root.dataset.theme;
  else root.dataset.theme = theme;
  return tokens;
}

/** An SVG file as a PNG of `scale` times its size. */
export async function rasterised(svg: string, scale: number): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * scale;
    canvas.height = image.naturalHeight * scale;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser made no picture.'))), 'image/png');
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
