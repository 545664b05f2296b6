// SPDX-License-Identifier: Apache-2.0
// The page's typeface as a data address: a picture that is drawn apart from the page has no other way to it.
import plex from '@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2?url';

function dataAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the typeface could not be read'));
    reader.readAsDataURL(blob);
  });
}

/** CSS that brings the typeface along, or nothing where it cannot be had. */
export async function embeddedTypeface(): Promise<string> {
  try {
    const response = await fetch(plex);
    if (!response.ok) return '';
    const source = await dataAddress(await response.blob());
    return `@font-face { font-family: "IBM Plex Sans Variable"; src: url(${source}) format("woff2"); font-weight: 100 700; }`;
  } catch {
    return '';
  }
}
