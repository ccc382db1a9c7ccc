import { APP_KEYS } from './app-keys.ts'
import type { ConfigFile, ConfigKey, ConfigList, ListKey } from './config-key.ts'
import { CONSENSUS_KEYS } from './consensus-keys.ts'

/**
 * Every key of the two configuration files: the single source of the files, flags, environment variables, help,
 * reference page and the `Config` type.
 */
export const CONFIG_FILES = {
  'config.toml': CONSENSUS_KEYS,
  'app.toml': APP_KEYS,
} as const satisfies Record<string, ConfigFile>

export type ConfigFileName = keyof typeof CONFIG_FILES

/** Keys of older releases, with their replacements. */
export const REPLACED_KEYS: ReadonlyMap<string, string> = new Map([
  [
    'evm-ss-write-mode',
    'write evm-ss-split = true for split_write (after a state sync) or false for cosmos_only',
  ],
  [
    'evm-ss-read-mode',
    'write evm-ss-split = true for split_read (after a state sync) or false for cosmos_only',
  ],
])

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<CamelCase<Tail>>}`
    : Name

type SectionConfig<Section> = {
  readonly [Name in keyof Section & string as CamelCase<Name>]: Section[Name] extends ConfigKey<
    infer Value
  >
    ? Value
    : never
}

/** A table of a list, its names in camel case. */
export type ListTable<List extends ConfigList> = {
  readonly [Name in keyof List['keys'] &
    string as CamelCase<Name>]: List['keys'][Name] extends ListKey<infer Value> ? Value : never
}

/** The lists of a section. */
type ListConfig<File, Section> = File extends { readonly lists: infer Lists }
  ? Section extends keyof Lists
    ? {
        readonly [Name in keyof Lists[Section] & string]: Lists[Section][Name] extends ConfigList
          ? readonly ListTable<Lists[Section][Name]>[]
          : never
      }
    : unknown
  : unknown

type FileConfig<File extends ConfigFile> = SectionConfig<File['top']> & {
  readonly [Name in keyof File['sections'] & string as CamelCase<Name>]: SectionConfig<
    File['sections'][Name]
  > &
    ListConfig<File, Name>
}

/**
 * The effective configuration. Keys above the sections are at the root, the others by section, all in camel case
 * (`config.logLevel`, `config.evm.httpPort`). Durations are milliseconds.
 */
export type Config = FileConfig<(typeof CONFIG_FILES)['config.toml']> &
  FileConfig<(typeof CONFIG_FILES)['app.toml']>

/** A key with its file, section and name, for code that iterates over all keys. */
export interface ConfigEntry extends ConfigKey<unknown> {
  readonly file: ConfigFileName
  /** Empty for the keys above the sections. */
  readonly section: string
  /** Name of the key in the file. */
  readonly name: string
  /** Flag without the dashes, also the key's identity: `evm.http-port`, `log-level`. */
  readonly flag: string
  /** `LOCKSTEP_EVM_HTTP_PORT` */
  readonly variable: string
}

/** A list with its file and section, for code that iterates over all lists. */
export interface ListEntry extends ConfigList {
  readonly file: ConfigFileName
  readonly section: string
  readonly name: string
  /** Header of a table without its brackets, such as `payments.resource`. */
  readonly header: string
}

/** Returns the spelling used to compare names: a hyphen equals an underscore. */
export function normalizeName(name: string): string {
  return name.replaceAll('_', '-')
}

/** Returns the spelling of a name in `Config`. */
export function camelCase(name: string): string {
  return name.replace(/[-_](.)/g, (_, letter: string) => letter.toUpperCase())
}

function entriesOf(
  file: ConfigFileName,
  section: string,
  keys: Readonly<Record<string, ConfigKey<unknown>>>,
): ConfigEntry[] {
  return Object.entries(keys).map(([name, row]) => {
    const flag = normalizeName(section === '' ? name : `${section}.${name}`)
    const variable = `LOCKSTEP_${flag.replace(/[-.]/g, '_').toUpperCase()}`
    return { ...row, file, section, name, flag, variable }
  })
}

/** Every key, in the order of the files. */
export const CONFIG_ENTRIES: readonly ConfigEntry[] = Object.entries(CONFIG_FILES).flatMap(
  ([file, { top, sections }]) => [
    ...entriesOf(file as ConfigFileName, '', top),
    ...Object.entries(sections).flatMap(([section, keys]) =>
      entriesOf(file as ConfigFileName, section, keys),
    ),
  ],
)

/** Every list, in the order of the files. */
export const LIST_ENTRIES: readonly ListEntry[] = Object.entries<ConfigFile>(CONFIG_FILES).flatMap(
  ([file, { lists = {} }]) =>
    Object.entries(lists).flatMap(([section, ofSection]) =>
      Object.entries(ofSection).map(([name, list]) => ({
        ...list,
        file: file as ConfigFileName,
        section,
        name,
        header: `${section}.${name}`,
      })),
    ),
)
