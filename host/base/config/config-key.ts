import type { EngineName, TomlLiteral, ValueType } from './value-type.ts'

/** One configuration key. */
export interface ConfigKey<T> {
  readonly type: ValueType<T>
  /** The default, as the file writes it. */
  readonly fallback: TomlLiteral
  readonly help: string
  /** If this release supports only the default: what to use instead of another value. */
  readonly instead?: string
  /** The only consensus engine that supports other values; undefined if none does. */
  readonly engine?: EngineName
  /** True if the value may contain a password: no message, report or bundle repeats it. */
  readonly isSecret?: true
  /** Flags of keys that do what this key is for: if one of them is set, another value is accepted. */
  readonly unless?: readonly string[]
  /** True if a running node applies a new value when it reads its files again; others need a restart. */
  readonly isLive?: true
}

export function key<T>(type: ValueType<T>, fallback: TomlLiteral, help: string): ConfigKey<T> {
  return { type, fallback, help }
}

/** Declares a key whose new value a running node applies when it reads its files again. */
export function liveKey<T>(type: ValueType<T>, fallback: TomlLiteral, help: string): ConfigKey<T> {
  return { type, fallback, help, isLive: true }
}

/** Declares a key whose value may contain a password. */
export function secretKey<T>(
  type: ValueType<T>,
  fallback: TomlLiteral,
  help: string,
): ConfigKey<T> {
  return { type, fallback, help, isSecret: true }
}

/**
 * Declares a key that operators know but this release does not support. Another value than the default is refused,
 * because the node would silently ignore it.
 */
export function unserved<T>(
  type: ValueType<T>,
  fallback: TomlLiteral,
  help: string,
  instead: string,
): ConfigKey<T> {
  return { type, fallback, help, instead }
}

/** Declares a key of one consensus engine: the other engine refuses a value other than the default. */
export function underEngine<T>(
  engine: EngineName,
  served: ConfigKey<T>,
  instead: string,
  unless: readonly string[] = [],
): ConfigKey<T> {
  return { ...served, engine, instead, unless }
}

/** Returns what to use in place of a value that this engine cannot support; undefined if it can. */
export function insteadOf(
  { engine, instead }: ConfigKey<unknown>,
  running: EngineName,
): string | undefined {
  return engine === running ? undefined : instead
}

/** A key of the tables of a list. */
export interface ListKey<T> {
  readonly type: ValueType<T>
  /** Undefined if each table has to set it. */
  readonly fallback: TomlLiteral | undefined
  /** What a new file shows for it; undefined shows nothing. */
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

/** A fault of a table whose keys are each valid. */
export interface ListProblem {
  /** Position of the table, from 0. */
  readonly table: number
  /** The key at fault; undefined for the table as a whole. */
  readonly name?: string
  readonly message: string
  readonly hint: string
}

/** Tables `[[section.name]]`, any number per file. They have no flags and no variables. */
export interface ConfigList {
  readonly help: string
  readonly keys: Readonly<Record<string, ListKey<unknown>>>
  /** Checks the tables against each other. Names are in camel case. */
  check(tables: readonly Readonly<Record<string, unknown>>[]): readonly ListProblem[]
}

/** Keys of a file: those above its sections and those of each section. */
export interface ConfigFile {
  readonly top: Readonly<Record<string, ConfigKey<unknown>>>
  readonly sections: Readonly<Record<string, Readonly<Record<string, ConfigKey<unknown>>>>>
  /** By section and name. */
  readonly lists?: Readonly<Record<string, Readonly<Record<string, ConfigList>>>>
}
