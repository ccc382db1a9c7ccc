/** Returns the pixels of a length in rem: lists count in pixels, and scale with the browser's text size. */
export function pixelsOf(rem: number): number {
  return Math.round(rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
}
