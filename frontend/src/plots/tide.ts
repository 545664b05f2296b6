// SPDX-License-Identifier: Apache-2.0
// The colours of a surface: 256 steps, lightness rising evenly, order kept under protan, deutan and tritan simulation.
const HEX =
  '241e4d241e4e241f5025205125215225215326225426235526245627245727255827265927275a28285b28285c28295d282a5e282b5f292c60292d61292d62292e63292f642930652a31662a32672a33682a33692a346a2a356b2a366c2a376d2a386d2a396e2a3a6f2a3b702a3b712a3c722a3d732a3e742a3f742a40752a41762a42772a43782a44792a45792a467a2a477b2a487c2a487c2a497d2a4a7e2a4b7f2a4c7f2a4d802a4e80294f81295082295182295283295383295484295584295685295785295886295986295a87295b87295c88295d88295e89295f8929608a29618a29618a29628b29638b29648c29658c29668c29678d2a688d2a698e2a6a8e2a6b8e2a6c8f2a6d8f2a6e8f2a6f902a70902b71912b72912b73912b74922b75922b76932b77932b78932b79942b7a942b7a952b7b952b7c952b7d962b7e962b7f962b80972b81972b82972b83972b84982b85982c86982c87992c88992c89992c8a992c8b992c8c9a2c8d9a2d8e9a2d8f9a2d909a2e919a2e929b2e929b2f939b2f949b30959b30969b31979b31989b32999b339a9b339b9b349c9b359d9b369e9b379e9b389f9b39a09b3aa19b3ba29b3ca39b3da49b3ea59b3fa69b41a69b42a79b43a89b44a99a45aa9a47ab9a48ac9a49ac9a4bad9a4cae9a4daf9a4fb09950b19951b19953b29954b39956b49857b59859b6985ab6985cb7985db8975fb99760b99762ba9763bb9665bc9666bd9668bd966abe956bbf956dc0956fc09570c19472c29474c29475c39477c49379c5937bc5937dc6937ec79280c79282c89284c99286c99287ca9189cb918bcb918dcc918fcd9191cd9192ce9094ce9096cf9098d0909ad0909cd1909ed1909fd290a1d38fa3d38fa5d48fa7d48fa9d58fabd68facd68faed78fb0d78fb2d88fb4d88fb6d98fb7da8fb9da8fbbdb8fbddb8fbfdc8fc1dc8fc2dd8fc4dd90c6de90c8df90cadf90cce090cde090cfe190d1e191d3e291d5e291d6e391d8e392dae492dce492dde592dfe593e1e693e3e693e5e794e6e794e8e894eae895ece995ede996efea96f1ea97f3eb97f4eb98';

const STEPS: readonly string[] = HEX.match(/.{6}/g) ?? [];
const COLOURS: readonly string[] = STEPS.map((h) => `#${h}`);

/** ABGR words, as ImageData's buffer reads them on a little-endian machine. */
export const TIDE_WORDS: Uint32Array = Uint32Array.from(
  STEPS,
  (h) =>
    ((255 << 24) |
      (Number.parseInt(h.slice(4, 6), 16) << 16) |
      (Number.parseInt(h.slice(2, 4), 16) << 8) |
      Number.parseInt(h.slice(0, 2), 16)) >>>
    0,
);

/** The colour of a value's place on its scale, 0 to 1; beyond the ends, the end's colour. */
export const tide = (t: number): string => COLOURS[stepOf(t)];

function stepOf(t: number): number {
  const k = Math.round(t * 255);
  return k < 0 || Number.isNaN(k) ? 0 : k > 255 ? 255 : k;
}

function channel(hex: string, at: number): number {
  const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
}

export function luminance(hex: string): number {
  return 0.2126 * channel(hex, 1) + 0.7152 * channel(hex, 3) + 0.0722 * channel(hex, 5);
}

/** Ink for the dark and for the bright part of a surface. */
export type SurfaceInk = 'var(--on-dark)' | 'var(--on-bright)';

/** Ink that can be read on a colour of the surface. */
export const inkOn = (hex: string): SurfaceInk => (luminance(hex) > 0.26 ? 'var(--on-bright)' : 'var(--on-dark)');

/** The first step that is bright: lightness only rises. To ask every step would cost the first view a millisecond. */
const BRIGHT = 135;

/** The same at a value's place on its scale, as `tide`: every contour of every frame asks. */
export const inkOnTide = (t: number): SurfaceInk => (stepOf(t) < BRIGHT ? 'var(--on-dark)' : 'var(--on-bright)');
