import { LockstepError } from '../error.ts'
import { lookup } from '../lookup.ts'
import { nearestName } from './nearest-name.ts'
import { camelCase, type ListEntry, normalizeName } from './schema.ts'

/** A key that a table of a list sets. */
export interface ListSetting {
  /** `payments.resource.path` */
  readonly key: string
  /** Position of its table, from 0. */
  readonly table: number
  readonly value: unknown
  /** Path of the file and line. */
  readonly place: string
}

/** The tables of a list as read from a file. */
export interface ReadList {
  /** Decoded tables, names in camel case. Tables with a fault are left out. */
  readonly tables: readonly Readonly<Record<string, unknown>>[]
  readonly settings: readonly ListSetting[]
}

/** Returns the path and line of a key of a table; with an empty name those of the table. */
export type ListPlace = (table: number, name: string) => string

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string, hint: string): LockstepError {
  return new LockstepError('CONFIG_INVALID', message, { hint })
}

/** Decodes one table. Each fault is reported; if there is one, returns undefined. */
function readTable(
  list: ListEntry,
  table: Readonly<Record<string, unknown>>,
  at: (name: string) => string,
  report: (problem: LockstepError) => void,
): Readonly<Record<string, unknown>> | undefined {
  let isRight = true
  const fail = (message: string, hint: string): void => {
    isRight = false
    report(invalid(message, hint))
  }
  const header = `[[${list.header}]]`
  const names = Object.keys(list.keys)
  const written = new Map<string, unknown>()
  for (const [name, value] of Object.entries(table)) {
    const known = names.find((each) => each === normalizeName(name))
    if (known === undefined) {
      const near = nearestName(normalizeName(name), names)
      const hint = near === undefined ? `its keys are ${names.join(', ')}` : `did you mean ${near}?`
      fail(`${at(name)}: unknown key ${header} ${name}`, hint)
    } else if (written.has(known)) {
      fail(
        `${at(name)}: ${header} ${name} is given twice`,
        'hyphen and underscore are the same key; keep one of the two lines',
      )
    } else {
      const shown = `${at(name)}: ${header} ${name} = ${JSON.stringify(value)}`
      const { type } = lookup(list.keys, known) as (typeof list.keys)[string]
      const decoded = type.decode(value)
      if (decoded === undefined) fail(`${shown}: must be ${type.rule}`, 'correct the line')
      written.set(known, decoded)
    }
  }
  const decoded: Record<string, unknown> = {}
  for (const [name, { type, fallback, example }] of Object.entries(list.keys)) {
    if (!written.has(name) && fallback === undefined) {
      fail(`${at('')}: ${header} has no ${name}`, `write ${name} = ${JSON.stringify(example)}`)
    }
    decoded[camelCase(name)] = written.has(name) ? written.get(name) : type.decode(fallback)
  }
  return isRight ? decoded : undefined
}

/** Reads the tables of a list and reports each of their faults. */
export function readList(
  list: ListEntry,
  value: unknown,
  place: ListPlace,
  report: (problem: LockstepError) => void,
): ReadList {
  if (!Array.isArray(value) || !value.every(isTable)) {
    report(
      invalid(
        `${place(0, '')}: ${list.header} is not an array of tables`,
        `write each one as [[${list.header}]] with its keys below`,
      ),
    )
    return { tables: [], settings: [] }
  }
  const read = value.map((table, i) => readTable(list, table, (name) => place(i, name), report))
  const settings = value.flatMap((table, i) =>
    Object.entries(table).map(([name, written]) => ({
      key: `${list.header}.${normalizeName(name)}`,
      table: i,
      value: written,
      place: place(i, name),
    })),
  )
  const right = read.flatMap((table, i) => (table === undefined ? [] : [{ table, i }]))
  for (const problem of list.check(right.map(({ table }) => table))) {
    const at = place(right[problem.table]?.i ?? 0, problem.name ?? '')
    report(invalid(`${at}: [[${list.header}]] ${problem.message}`, problem.hint))
  }
  return { tables: right.map(({ table }) => table), settings }
}
