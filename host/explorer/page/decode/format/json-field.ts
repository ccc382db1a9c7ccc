import { lookup } from '../../../../base/lookup.ts'
/** An object's own members; none where the value is no object. JSON from outside has any shape. */
export function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : []
}

/** A member at the end of a path of names; undefined where there is none. */
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

/** A natural number, as JSON's number or in digits. */
export function countField(value: unknown, ...path: readonly string[]): number | undefined {
  const found = field(value, ...path)
  const count = typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : found
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

export function listField(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path)
  return Array.isArray(found) ? found : []
}

/** The value of a JSON text; undefined for text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
