/** Pixels of a length in rem: lists count in pixels, and grow with the text of the browser. */
export function pixelsOf(rem: number): number {
  return Math.round(rem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize))
}
