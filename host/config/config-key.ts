import type { TomlLiteral, ValueType } from './value-type.ts'

/** One configuration key. */
export interface ConfigKey<T> {
  readonly type: ValueType<T>
  /** The default, as the file writes it. */
  readonly fallback: TomlLiteral
  readonly help: string
  /** Of a key that only its default can be served for: what to use instead of another value. */
  readonly instead?: string
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
  unless: readonly string[] = [],
): ConfigKey<T> {
  return { type, fallback, help, instead, unless }
}

/** Keys of a file: those above its sections, and those of each section. */
export interface ConfigFile {
  readonly top: Readonly<Record<string, ConfigKey<unknown>>>
  readonly sections: Readonly<Record<string, Readonly<Record<string, ConfigKey<unknown>>>>>
}
