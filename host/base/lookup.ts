/**
 * The member of a table that a name has; undefined if the table has none. What every object inherits (`constructor`,
 * `__proto__`, `toString`) is no member: a name that comes from outside never leads there.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
