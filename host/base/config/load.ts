import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { LockstepError } from '../error.ts'
import { lookup } from '../lookup.ts'
import { insteadOf } from './config-key.ts'
import { unknownVariables } from './environment.ts'
import { KeyLines } from './key-lines.ts'
import { type ListSetting, type ReadList, readList } from './list-tables.ts'
import { nearestName } from './nearest-name.ts'
import {
  CONFIG_ENTRIES,
  CONFIG_FILES,
  type Config,
  type ConfigEntry,
  type ConfigFileName,
  camelCase,
  LIST_ENTRIES,
  type ListEntry,
  normalizeName,
  REPLACED_KEYS,
} from './schema.ts'
import type { EngineName } from './value-type.ts'

export interface ConfigSources {
  /** Folder of app.toml and config.toml; a missing file means the defaults. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Text of each given flag, by `ConfigEntry.flag`. */
  readonly flags: ReadonlyMap<string, string>
}

/** The source of a value. */
export interface SettingPlace {
  readonly kind: 'default' | 'file' | 'variable' | 'flag'
  /** Path and line, the name of the variable, or the flag. */
  readonly name: string
}

/** A value, its source, and the name of that source in errors. */
interface Setting {
  readonly value: unknown
  readonly place: SettingPlace
  readonly source: string
  /** The remedy if the value is wrong. */
  readonly hint: string
}

/** A key with its effective value. */
export interface EffectiveSetting {
  readonly entry: ConfigEntry
  /** As its source writes it. */
  readonly value: unknown
  readonly place: SettingPlace
  /** True if it equals the default, whatever its source. */
  readonly isDefault: boolean
}

export interface LoadedConfig {
  readonly config: Config
}

/** All settings and all their faults. */
export interface InspectedConfig extends LoadedConfig {
  /** A value that breaks its rule is replaced by the default, in `config` too. */
  readonly settings: readonly EffectiveSetting[]
  /** Settings of the tables of lists. */
  readonly listSettings: readonly ListSetting[]
  /** A CONFIG_INVALID per fault, in the order in which the sources are read. */
  readonly problems: readonly LockstepError[]
}

type Report = (problem: LockstepError) => void

function invalid(message: string, hint?: string): LockstepError {
  return new LockstepError('CONFIG_INVALID', message, hint === undefined ? {} : { hint })
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inSection(section: string, name: string): string {
  return section === '' ? name : `[${section}] ${name}`
}

/** Returns the error for an unknown name. */
function unknownKey(at: string, file: string, section: string, name: string): LockstepError {
  const wanted = normalizeName(name)
  const replacement = REPLACED_KEYS.get(wanted)
  if (replacement !== undefined) {
    return invalid(`${at}: ${name} is a key of an older release`, replacement)
  }
  const elsewhere = CONFIG_ENTRIES.find((entry) => normalizeName(entry.name) === wanted)
  if (elsewhere !== undefined) {
    const place = elsewhere.section === '' ? 'above the sections' : `in [${elsewhere.section}]`
    return invalid(
      `${at}: unknown key ${inSection(section, name)}`,
      `${elsewhere.name} belongs ${place} of ${elsewhere.file}`,
    )
  }
  const siblings = CONFIG_ENTRIES.filter(
    (entry) => entry.file === file && normalizeName(entry.section) === normalizeName(section),
  )
  const near = nearestName(
    wanted,
    siblings.map((entry) => normalizeName(entry.name)),
  )
  const meant = siblings.find((entry) => normalizeName(entry.name) === near)
  return invalid(
    `${at}: unknown key ${inSection(section, name)}`,
    meant === undefined ? 'remove the line' : `did you mean ${meant.name}?`,
  )
}

function parseToml(path: string, source: string): Readonly<Record<string, unknown>> {
  try {
    return parse(source)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const reason = error.message.split('\n')[0]
    throw invalid(`${path}:${error.line}: ${reason}`, 'correct the line; it is not valid TOML')
  }
}

function readSource(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new LockstepError('CONFIG_INVALID', `${path} cannot be read`, {
      hint: 'make the file readable by the user that runs the node',
      cause: error,
    })
  }
}

/** Returns the text and the decoded content of a file; undefined if it is missing or unreadable. */
function readToml(path: string, report: Report) {
  try {
    const source = readSource(path)
    return source === undefined ? undefined : { source, document: parseToml(path, source) }
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    report(thrown)
    return undefined
  }
}

/** The settings of one file. */
interface FileSettings {
  /** By `ConfigEntry.flag`. */
  readonly settings: ReadonlyMap<string, Setting>
  /** By `ListEntry.header`. */
  readonly lists: ReadonlyMap<string, ReadList>
}

function readFileSettings(path: string, file: ConfigFileName, report: Report): FileSettings {
  const settings = new Map<string, Setting>()
  const lists = new Map<string, ReadList>()
  const read = readToml(path, report)
  if (read === undefined) return { settings, lists }
  const { source, document } = read
  const entries = new Map(
    CONFIG_ENTRIES.filter((entry) => entry.file === file).map((entry) => [entry.flag, entry]),
  )
  const sections = ['', ...Object.keys(CONFIG_FILES[file].sections)]
  const lines = new KeyLines(source)
  const placeOf = (section: string, name: string): string => {
    const line = lines.find(section, name)
    return line === undefined ? path : `${path}:${line}`
  }
  const takeList = (list: ListEntry, section: string, name: string, value: unknown): void => {
    const place = (table: number, key: string): string => {
      const line = lines.find(`${section}.${name}`, key, table)
      return line === undefined ? placeOf(section, name) : `${path}:${line}`
    }
    lists.set(list.header, readList(list, value, place, report))
  }
  const take = (section: string, table: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(table)) {
      const at = placeOf(section, name)
      const flag = normalizeName(section === '' ? name : `${section}.${name}`)
      const list = LIST_ENTRIES.find((each) => each.file === file && each.header === flag)
      if (section === '' && isTable(value)) {
        takeSection(name, value)
      } else if (list !== undefined) {
        takeList(list, section, name, value)
      } else if (!entries.has(flag)) {
        report(unknownKey(at, file, section, name))
      } else if (settings.has(flag)) {
        report(
          invalid(
            `${at}: ${inSection(section, name)} is given twice`,
            'hyphen and underscore are the same key; keep one of the two lines',
          ),
        )
      } else {
        settings.set(flag, {
          value,
          place: { kind: 'file', name: at },
          source: `${at}: ${inSection(section, name)}`,
          hint: `correct the line in ${path}`,
        })
      }
    }
  }
  const takeSection = (section: string, table: Readonly<Record<string, unknown>>): void => {
    const known = sections.find((name) => name === normalizeName(section))
    if (known === undefined) {
      const near = nearestName(normalizeName(section), sections)
      report(
        invalid(
          `${placeOf(section, '')}: unknown section [${section}] in ${basename(path)}`,
          near === undefined || near === '' ? 'remove the section' : `did you mean [${near}]?`,
        ),
      )
      return
    }
    take(section, table)
  }
  take('', document)
  return { settings, lists }
}

/** Returns the value of a key from its strongest source; undefined if none sets it. */
function findSetting(
  entry: ConfigEntry,
  sources: ConfigSources,
  files: Readonly<Record<ConfigFileName, FileSettings>>,
): Setting | undefined {
  const flag = sources.flags.get(entry.flag)
  if (flag !== undefined) {
    const name = `--${entry.flag}`
    return { value: flag, place: { kind: 'flag', name }, source: name, hint: 'correct the flag' }
  }
  const variable = lookup(sources.environment, entry.variable)
  if (variable !== undefined) {
    const { variable: name } = entry
    const place = { kind: 'variable', name } as const
    return { value: variable, place, source: name, hint: 'correct the variable' }
  }
  return files[entry.file].settings.get(entry.flag)
}

/** @throws CONFIG_INVALID */
function decode(entry: ConfigEntry, setting: Setting): unknown {
  const decoded = entry.type.decode(setting.value)
  if (decoded !== undefined) return decoded
  const value = entry.isSecret === true ? '' : ` = ${JSON.stringify(setting.value)}`
  throw invalid(
    `${setting.source}${value}: must be ${entry.type.rule}`,
    rejectionHint(entry, setting.value) ?? setting.hint,
  )
}

/** Returns the remedy for values that are valid elsewhere but not here. */
function rejectionHint(entry: ConfigEntry, value: unknown): string | undefined {
  if (entry.flag === 'mode' && value === 'seed') {
    return 'nodes do not exchange peer addresses here: write full, and name servers in [follow] rpc-servers'
  }
  if (entry.flag === 'mode' && value === 'archive') {
    return 'write full, and in app.toml ss-keep-recent = 0 and min-retain-blocks = 0'
  }
  if (entry.flag === 'state-commit.sc-enable') {
    return 'the state commit computes the app hash; there is no other backend'
  }
  return undefined
}

/**
 * Returns the effective configuration (default, then file, then environment, then flag) with every fault of its
 * files, variables and flags.
 */
export function inspectConfig(sources: ConfigSources): InspectedConfig {
  const problems: LockstepError[] = [...unknownVariables(sources.environment)]
  const report: Report = (problem) => problems.push(problem)
  const files = {
    'config.toml': readFileSettings(join(sources.directory, 'config.toml'), 'config.toml', report),
    'app.toml': readFileSettings(join(sources.directory, 'app.toml'), 'app.toml', report),
  }
  const sections: Record<string, Record<string, unknown>> = {}
  const settings: EffectiveSetting[] = []
  const sourceOf = new Map<string, string>()
  for (const entry of CONFIG_ENTRIES) {
    const fallback = fallbackOf(entry)
    let setting = findSetting(entry, sources, files) ?? fallback
    let value: unknown
    try {
      value = decode(entry, setting)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      report(thrown)
      setting = fallback
      value = decode(entry, fallback)
    }
    const isDefault = isDefaultValue(entry, value)
    settings.push({ entry, value: setting.value, place: setting.place, isDefault })
    sourceOf.set(entry.flag, setting.source)
    const section = camelCase(entry.section)
    sections[section] = { ...lookup(sections, section), [camelCase(entry.name)]: value }
  }
  const listSettings: ListSetting[] = []
  for (const { file, section, name, header } of LIST_ENTRIES) {
    const { tables = [], settings: set = [] } = files[file].lists.get(header) ?? {}
    listSettings.push(...set)
    const key = camelCase(section)
    sections[key] = { ...lookup(sections, key), [camelCase(name)]: tables }
  }
  const { '': top, ...nested } = sections
  // The same table drives this object and the type, key by key.
  const config = { ...top, ...nested } as unknown as Config
  problems.push(...unservedSettings(config.consensus.engine, settings, sourceOf))
  return { config, settings, listSettings, problems }
}

/** Yields the faults of values that this release or its consensus engine does not support. */
function unservedSettings(
  engine: EngineName,
  settings: readonly EffectiveSetting[],
  sourceOf: ReadonlyMap<string, string>,
): LockstepError[] {
  const isSet = new Set(settings.flatMap(({ entry, isDefault }) => (isDefault ? [] : [entry.flag])))
  return settings.flatMap(({ entry, value, isDefault }) => {
    const { flag, unless = [] } = entry
    const instead = insteadOf(entry, engine)
    if (isDefault || instead === undefined || unless.some((other) => isSet.has(other))) return []
    const where = entry.engine === undefined ? 'in this release' : `with engine = "${engine}"`
    const what = `${sourceOf.get(flag)} = ${JSON.stringify(value)}`
    return [invalid(`${what}: has no effect ${where}`, instead)]
  })
}

/**
 * Returns the effective configuration.
 * @throws CONFIG_INVALID with the place, the value and the rule of the first fault.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { config, problems } = inspectConfig(sources)
  const [first, ...others] = problems
  if (first === undefined) return { config }
  if (others.length === 0) throw first
  throw invalid(
    first.message,
    `${first.hint}; \`lockstep config check\` lists ${others.length} more`,
  )
}

function fallbackOf(entry: ConfigEntry): Setting {
  const place = { kind: 'default', name: 'default' } as const
  return { value: entry.fallback, place, source: 'default', hint: '' }
}

/** Returns true if a decoded value equals the default. */
export function isDefaultValue(entry: ConfigEntry, value: unknown): boolean {
  return comparable(entry.type.decode(entry.fallback)) === comparable(value)
}

/** JSON does not support bigints. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))
}
