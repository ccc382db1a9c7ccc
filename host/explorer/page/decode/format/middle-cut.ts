/** Shortens a long text in the middle to `most` characters. */
export function middleCut(text: string, most: number): string {
  if (text.length <= most) return text
  const kept = most - 1
  const tail = Math.floor(kept / 3)
  return `${text.slice(0, kept - tail)}…${tail === 0 ? '' : text.slice(-tail)}`
}
