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
  /** Folder of app.toml and config.toml; a file that is not there gives the defaults. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Text of each flag given, by `ConfigEntry.flag`. */
  readonly flags: ReadonlyMap<string, string>
}

/** Where a value stands. */
export interface SettingPlace {
  readonly kind: 'default' | 'file' | 'variable' | 'flag'
  /** Path and line, name of the variable, or the flag. */
  readonly name: string
}

/** A value, where it was found, and how an error names that place. */
interface Setting {
  readonly value: unknown
  readonly place: SettingPlace
  readonly source: string
  /** The remedy where the value is wrong. */
  readonly hint: string
}

/** A key with the value that is in force. */
export interface EffectiveSetting {
  readonly entry: ConfigEntry
  /** As its place writes it. */
  readonly value: unknown
  readonly place: SettingPlace
  /** True where it is the value of the table, wherever it stands. */
  readonly isDefault: boolean
}

export interface LoadedConfig {
  readonly config: Config
}

/** All that is set, and all that is wrong with it. */
export interface InspectedConfig extends LoadedConfig {
  /** With the default in place of each value that breaks its rule, in `config` too. */
  readonly settings: readonly EffectiveSetting[]
  /** What the tables of lists set. */
  readonly listSettings: readonly ListSetting[]
  /** CONFIG_INVALID each, in the order in which the places are read. */
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

/** The error for a name that the table does not have. */
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

/** The text of a file and what it means; undefined where it is missing or cannot be read. */
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

/** What one file sets. */
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

/** The strongest source that sets a key; undefined when none does. */
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
  throw invalid(
    `${setting.source} = ${JSON.stringify(setting.value)}: must be ${entry.type.rule}`,
    rejectionHint(entry, setting.value) ?? setting.hint,
  )
}

/** Values that are right elsewhere, with what stands in their place here. */
function rejectionHint(entry: ConfigEntry, value: unknown): string | undefined {
  if (entry.flag === 'mode' && value === 'seed') {
    return 'nodes do not tell each other addresses here: write full, and name servers in [follow] rpc-servers'
  }
  if (entry.flag === 'mode' && value === 'archive') {
    return 'write full, and in app.toml ss-keep-recent = 0 and min-retain-blocks = 0'
  }
  if (entry.flag === 'state-commit.sc-enable') {
    return 'the app hash is made by the state commit; there is no other backend'
  }
  return undefined
}

/**
 * The effective configuration: default, then file, then environment, then flag; with every fault that its
 * files, variables and flags have.
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
  // The table drives both this object and the type, key by key.
  const config = { ...top, ...nested } as unknown as Config
  problems.push(...unservedSettings(config.consensus.engine, settings, sourceOf))
  return { config, settings, listSettings, problems }
}

/** The faults of values that this release, or its engine of consensus, cannot serve. */
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
 * The effective configuration.
 * @throws CONFIG_INVALID naming the place, the value and the rule of the first fault.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { config, problems } = inspectConfig(sources)
  const [first, ...others] = problems
  if (first === undefined) return { config }
  if (others.length === 0) throw first
  throw invalid(
    first.message,
    `${first.hint}; \`lockstep config check\` names ${others.length} more`,
  )
}

function fallbackOf(entry: ConfigEntry): Setting {
  const place = { kind: 'default', name: 'default' } as const
  return { value: entry.fallback, place, source: 'default', hint: '' }
}

/** True where a decoded value is that of the table. */
export function isDefaultValue(entry: ConfigEntry, value: unknown): boolean {
  return comparable(entry.type.decode(entry.fallback)) === comparable(value)
}

/** JSON has no big integers. */
function comparable(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part))
}
