import type { EngineName, TomlLiteral, ValueType } from './value-type.ts'

/** One configuration key. */
export interface ConfigKey<T> {
  readonly type: ValueType<T>
  /** The default, as the file writes it. */
  readonly fallback: TomlLiteral
  readonly help: string
  /** Of a key that only its default can be served for: what to use instead of another value. */
  readonly instead?: string
  /** The one engine of consensus that serves other values; undefined where none does. */
  readonly engine?: EngineName
  /** Flags of keys beside which another value is taken all the same: they do what it is for. */
  readonly unless?: readonly string[]
}

export function key<T>(type: ValueType<T>, fallback: TomlLiteral, help: string): ConfigKey<T> {
  return { type, fallback, help }
}

/**
 * A key that operators know and this release cannot serve: another value than the default is refused, since
 * the node would do something else than what was asked for.
 */
export function unserved<T>(
  type: ValueType<T>,
  fallback: TomlLiteral,
  help: string,
  instead: string,
): ConfigKey<T> {
  return { type, fallback, help, instead }
}

/** A key of one engine of consensus: another value than the default is refused under the other. */
export function underEngine<T>(
  engine: EngineName,
  served: ConfigKey<T>,
  instead: string,
  unless: readonly string[] = [],
): ConfigKey<T> {
  return { ...served, engine, instead, unless }
}

/** What to use in place of a value that no node with this engine can serve; undefined where it can. */
export function insteadOf(
  { engine, instead }: ConfigKey<unknown>,
  running: EngineName,
): string | undefined {
  return engine === running ? undefined : instead
}

/** A key of the tables of a list. */
export interface ListKey<T> {
  readonly type: ValueType<T>
  /** Undefined where each table has to set it. */
  readonly fallback: TomlLiteral | undefined
  /** What a new file shows for it; undefined for nothing. */
  readonly example: TomlLiteral | undefined
  readonly help: string
}

export function requiredKey<T>(type: ValueType<T>, example: TomlLiteral, help: string): ListKey<T> {
  return { type, fallback: undefined, example, help }
}

export function optionalKey<T>(
  type: ValueType<T>,
  fallback: TomlLiteral,
  help: string,
  example?: TomlLiteral,
): ListKey<T> {
  return { type, fallback, example, help }
}

/** What is wrong with a table, although each of its keys is right. */
export interface ListProblem {
  /** Position of the table, from 0. */
  readonly table: number
  /** The key to look at; undefined for the table as a whole. */
  readonly name?: string
  readonly message: string
  readonly hint: string
}

/** Tables `[[section.name]]`, of which a file may have any number. They have no flags and no variables. */
export interface ConfigList {
  readonly help: string
  readonly keys: Readonly<Record<string, ListKey<unknown>>>
  /** Looks at the tables, with their names in camel case, beside each other. */
  check(tables: readonly Readonly<Record<string, unknown>>[]): readonly ListProblem[]
}

/** Keys of a file: those above its sections, and those of each section. */
export interface ConfigFile {
  readonly top: Readonly<Record<string, ConfigKey<unknown>>>
  readonly sections: Readonly<Record<string, Readonly<Record<string, ConfigKey<unknown>>>>>
  /** By section and name. */
  readonly lists?: Readonly<Record<string, Readonly<Record<string, ConfigList>>>>
}
