/** A difference between two JSON values: its path, and both values there. */
export interface ValueDifference {
  readonly path: string
  readonly theirs: unknown
  readonly ours: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns all differences at the deepest level. Lists of different lengths differ as a whole. */
export function allDifferences(theirs: unknown, ours: unknown, path = ''): ValueDifference[] {
  if (Object.is(theirs, ours)) return []
  if (Array.isArray(theirs) && Array.isArray(ours) && theirs.length === ours.length) {
    return theirs.flatMap((item, i) => allDifferences(item, ours[i], `${path}[${i}]`))
  }
  if (isObject(theirs) && isObject(ours)) {
    const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])]
    return names.flatMap((name) => allDifferences(theirs[name], ours[name], `${path}.${name}`))
  }
  return [{ path, theirs, ours }]
}
