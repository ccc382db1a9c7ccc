import { isDeepStrictEqual } from 'node:util'

/** Returns the path of the first member that differs, with both values. */
export function difference(got: unknown, want: unknown, path = ''): string {
  if (typeof got === 'object' && typeof want === 'object' && got !== null && want !== null) {
    const names = new Set([...Object.keys(want), ...Object.keys(got)])
    for (const name of names) {
      const mine = (got as Record<string, unknown>)[name]
      const theirs = (want as Record<string, unknown>)[name]
      if (!isDeepStrictEqual(mine, theirs)) return difference(mine, theirs, `${path}.${name}`)
    }
  }
  return `${path}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`
}
