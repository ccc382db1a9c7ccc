import { lookup } from '../../../../base/lookup.ts'
/** Returns an object's own members; an empty list for other values. External JSON may have any shape. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : []
}

/** Returns the member at a path; undefined if it does not exist. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = lookup(at as Record<string, unknown>, name)
  }
  return at
}

export function textField(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path)
  return typeof found === 'string' ? found : undefined
}

/** Returns a natural number, given as JSON number or in digits. */
export function countField(value: unknown, ...path: readonly string[]): number | undefined {
  const found = field(value, ...path)
  const count = typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : found
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

export function listField(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Parses JSON; undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
