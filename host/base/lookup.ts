/**
 * Returns the own property of a table, or undefined. Inherited names (`constructor`, `__proto__`, `toString`) are
 * ignored, so names from outside are safe.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
