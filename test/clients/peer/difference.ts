/** A difference between two answers: its path, and both values there. */
export interface Difference {
  readonly path: string
  readonly geth: unknown
  readonly lockstep: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the first difference of two JSON values, with members matched by name, or undefined if they are equal. */
export function firstDifference(
  geth: unknown,
  lockstep: unknown,
  path = '',
): Difference | undefined {
  if (Object.is(geth, lockstep)) return undefined
  if (Array.isArray(geth) && Array.isArray(lockstep)) {
    const length = Math.max(geth.length, lockstep.length)
    for (let i = 0; i < length; i++) {
      const found = firstDifference(geth[i], lockstep[i], `${path}[${i}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (isObject(geth) && isObject(lockstep)) {
    for (const name of new Set([...Object.keys(geth), ...Object.keys(lockstep)])) {
      const found = firstDifference(geth[name], lockstep[name], `${path}.${name}`)
      if (found !== undefined) return found
    }
    return undefined
  }
  return { path, geth, lockstep }
}
