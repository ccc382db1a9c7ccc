import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import { LockstepError } from '../base/error.ts'
import { refuseUnknownVariables } from './environment.ts'
import { nearestName } from './nearest-name.ts'
import {
  CONFIG_ENTRIES,
  CONFIG_FILES,
  type Config,
  type ConfigEntry,
  type ConfigFileName,
  camelCase,
  normalizeName,
  REPLACED_KEYS,
} from './schema.ts'

export interface ConfigSources {
  /** Folder of app.toml and config.toml; a file that is not there gives the defaults. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Text of each flag given, by `ConfigEntry.flag`. */
  readonly flags: ReadonlyMap<string, string>
}

/** A value, where it was found, and how an error names that place. */
interface Setting {
  readonly value: unknown
  readonly source: string
  /** The remedy where the value is wrong. */
  readonly hint: string
}

export interface LoadedConfig {
  readonly config: Config
  /** Keys that were set although they change nothing in this release. */
  readonly inert: readonly string[]
}

function invalid(message: string, hint?: string): LockstepError {
  return new LockstepError('CONFIG_INVALID', message, hint === undefined ? {} : { hint })
}

/** Line of a key, from 1; undefined when it is written in a form other than `key = value`. */
function findLine(source: string, section: string, name: string): number | undefined {
  let current = ''
  for (const [index, line] of source.split('\n').entries()) {
    const header = /^\s*\[\s*([^\]\s]+)\s*\]/.exec(line)?.[1]
    if (header !== undefined) current = header
    const written = /^\s*["']?([\w-]+)["']?\s*=/.exec(line)?.[1]
    if (name === '' ? header === section : current === section && written === name) return index + 1
  }
  return undefined
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

/** Settings of one file, by `ConfigEntry.flag`. */
function readFileSettings(path: string, file: ConfigFileName): ReadonlyMap<string, Setting> {
  const settings = new Map<string, Setting>()
  const source = readSource(path)
  if (source === undefined) return settings
  const entries = new Map(
    CONFIG_ENTRIES.filter((entry) => entry.file === file).map((entry) => [entry.flag, entry]),
  )
  const sections = ['', ...Object.keys(CONFIG_FILES[file].sections)]
  const placeOf = (section: string, name: string): string => {
    const line = findLine(source, section, name)
    return line === undefined ? path : `${path}:${line}`
  }
  const take = (section: string, table: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(table)) {
      const at = placeOf(section, name)
      const flag = normalizeName(section === '' ? name : `${section}.${name}`)
      if (section === '' && isTable(value)) {
        takeSection(name, value)
      } else if (!entries.has(flag)) {
        throw unknownKey(at, file, section, name)
      } else if (settings.has(flag)) {
        throw invalid(
          `${at}: ${inSection(section, name)} is given twice`,
          'hyphen and underscore are the same key; keep one of the two lines',
        )
      } else {
        const hint = `correct the line in ${path}`
        settings.set(flag, { value, source: `${at}: ${inSection(section, name)}`, hint })
      }
    }
  }
  const takeSection = (section: string, table: Readonly<Record<string, unknown>>): void => {
    const known = sections.find((name) => name === normalizeName(section))
    if (known === undefined) {
      const near = nearestName(normalizeName(section), sections)
      throw invalid(
        `${placeOf(section, '')}: unknown section [${section}] in ${basename(path)}`,
        near === undefined || near === '' ? 'remove the section' : `did you mean [${near}]?`,
      )
    }
    take(section, table)
  }
  take('', parseToml(path, source))
  return settings
}

/** The strongest source that sets a key; undefined when none does. */
function findSetting(
  entry: ConfigEntry,
  sources: ConfigSources,
  files: Readonly<Record<ConfigFileName, ReadonlyMap<string, Setting>>>,
): Setting | undefined {
  const flag = sources.flags.get(entry.flag)
  if (flag !== undefined) {
    return { value: flag, source: `--${entry.flag}`, hint: 'correct the flag' }
  }
  const variable = sources.environment[entry.variable]
  if (variable !== undefined) {
    return { value: variable, source: entry.variable, hint: 'correct the variable' }
  }
  return files[entry.file].get(entry.flag)
}

function decode(entry: ConfigEntry, setting: Setting): unknown {
  const decoded = entry.type.decode(setting.value)
  if (decoded !== undefined) return decoded
  throw invalid(
    `${setting.source} = ${JSON.stringify(setting.value)}: must be ${entry.type.rule}`,
    rejectionHint(entry) ?? setting.hint,
  )
}

/** Values that once were right, with why they are not. */
function rejectionHint(entry: ConfigEntry): string | undefined {
  if (entry.flag === 'state-commit.sc-enable') {
    return 'the app hash is made by the state commit; there is no other backend'
  }
  return undefined
}

/**
 * The effective configuration: default, then file, then environment, then flag.
 * @throws CONFIG_INVALID naming the place, the value and the rule.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  refuseUnknownVariables(sources.environment)
  const files = {
    'config.toml': readFileSettings(join(sources.directory, 'config.toml'), 'config.toml'),
    'app.toml': readFileSettings(join(sources.directory, 'app.toml'), 'app.toml'),
  }
  const sections: Record<string, Record<string, unknown>> = {}
  const inert: string[] = []
  for (const entry of CONFIG_ENTRIES) {
    const fallback = { value: entry.fallback, source: 'default', hint: '' }
    const setting = findSetting(entry, sources, files)
    const value = decode(entry, setting ?? fallback)
    if (!entry.effective && setting !== undefined && !isDefault(entry, value))
      inert.push(entry.flag)
    const section = camelCase(entry.section)
    sections[section] = { ...sections[section], [camelCase(entry.name)]: value }
  }
  const { '': top, ...nested } = sections
  // The table drives both this object and the type, key by key.
  return { config: { ...top, ...nested } as unknown as Config, inert }
}

function isDefault(entry: ConfigEntry, value: unknown): boolean {
  return JSON.stringify(entry.type.decode(entry.fallback)) === JSON.stringify(value)
}
