import { parse } from 'smol-toml'
import { LockstepError } from '../error.ts'
import { lookup } from '../lookup.ts'
import { insteadOf } from './config-key.ts'
import { type InspectedConfig, isDefaultValue } from './load.ts'
import {
  CONFIG_ENTRIES,
  CONFIG_FILES,
  type ConfigEntry,
  type ConfigFileName,
  LIST_ENTRIES,
  normalizeName,
} from './schema.ts'
import type { EngineName } from './value-type.ts'

/** A line that a migration rewrites. */
export interface ConfigChange {
  /** Line of the original file, from 1. */
  readonly line: number
  readonly before: string
  /** The replacement; undefined if the key is commented out. */
  readonly after: string | undefined
  readonly reason: string
}

export interface MigratedFile {
  readonly text: string
  readonly changes: readonly ConfigChange[]
}

/** Renamed keys of other releases, of seid and of CometBFT, by section and name. */
const RENAMED: Readonly<Record<string, string>> = {
  'rpc.max-open-conns': 'rpc.max-open-connections',
  'statesync.trusted-height': 'statesync.trust-height',
  'statesync.trusted-hash': 'statesync.trust-hash',
  'state-store.ss-prune-interval-seconds': 'state-store.ss-prune-interval',
}

/** Keys in CometBFT's spelling that mean these keys to the embedded engine. */
const EMBEDDED_RENAMED: Readonly<Record<string, string>> = {
  'consensus.timeout_commit': 'consensus.block-time',
}

/** The two keys that `evm-ss-split` replaced, with the value that meant the split. */
const SPLIT_MODES: Readonly<Record<string, string>> = {
  'evm-ss-write-mode': 'split_write',
  'evm-ss-read-mode': 'split_read',
}

const SPLIT_KEY = 'evm-ss-split'

/** A key with its value, which may span several lines. */
interface Assignment {
  readonly first: number
  readonly end: number
  readonly name: string
  readonly value: unknown
  /** The text after the equals sign. */
  readonly literal: string
}

/** Upper bound on the lines of one value. */
const MOST_LINES = 1000

/** Returns the assignment that starts on a line. @throws CONFIG_INVALID if it is not TOML */
function readAssignment(lines: readonly string[], first: number, path: string): Assignment {
  for (let end = first + 1; end <= Math.min(lines.length, first + MOST_LINES); end++) {
    const text = lines.slice(first, end).join('\n')
    try {
      const [[name, value] = ['', undefined]] = Object.entries(parse(text))
      return { first, end, name, value, literal: text.slice(text.indexOf('=') + 1).trim() }
    } catch {
      // The value may continue on the next line.
    }
  }
  throw new LockstepError('CONFIG_INVALID', `${path}:${first + 1}: Invalid TOML document`, {
    hint: 'correct the line; it is not valid TOML',
  })
}

interface Replacement {
  readonly after: string | undefined
  readonly reason: string
}

/** Returns the flag of the key that takes the value of a name: its own, unless it was renamed. */
function targetOf(section: string, name: string, { engine, present }: Migration): string {
  const written = section === '' ? name : `${section}.${name}`
  const known = normalizeName(written)
  const target =
    (engine === 'embedded' ? lookup(EMBEDDED_RENAMED, written) : undefined) ??
    lookup(RENAMED, known)
  // A key that the file itself sets keeps its value.
  return target === undefined || (present.has(target) && isKey(known)) ? known : target
}

function isKey(flag: string): boolean {
  return CONFIG_ENTRIES.some((entry) => entry.flag === flag)
}

/** Returns the replacement of one key; undefined if it stays as it is. */
function replace(
  file: ConfigFileName,
  section: string,
  { name, value, literal }: Assignment,
  migration: Migration,
): Replacement | undefined {
  const { engine, isSet } = migration
  const known = normalizeName(section === '' ? name : `${section}.${name}`)
  const flag = targetOf(section, name, migration)
  const entry = CONFIG_ENTRIES.find((each) => each.file === file && each.flag === flag)
  if (entry === undefined) {
    return { after: undefined, reason: 'this release has no such key' }
  }
  const decoded = entry.type.decode(value)
  if (decoded === undefined) {
    return {
      after: undefined,
      reason: `the value must be ${entry.type.rule}; the default ${JSON.stringify(entry.fallback)} applies`,
    }
  }
  if (flag !== known && migration.present.has(flag)) {
    return { after: undefined, reason: `${entry.name} is set too` }
  }
  const instead = insteadOf(entry, engine)
  const isServed = entry.unless?.some((other) => isSet.has(other)) === true
  if (instead !== undefined && !isServed && !isDefaultValue(entry, decoded)) {
    return { after: undefined, reason: instead }
  }
  if (entry.name === name) return undefined
  const isSpelling = normalizeName(entry.name) === normalizeName(name)
  return {
    after: `${entry.name} = ${literal}`,
    reason: isSpelling ? 'the standard spelling' : 'the key was renamed',
  }
}

/** Returns the replacement of the two split modes. */
function splitOf(modes: ReadonlyMap<string, unknown>): Replacement {
  const isSplit = Object.entries(SPLIT_MODES).every(([name, split]) => modes.get(name) === split)
  const isOff = [...modes.values()].every((mode) => mode === 'cosmos_only')
  const both = 'writing to both stores is no longer supported; a state sync makes the split'
  return {
    after: `${SPLIT_KEY} = ${isSplit}`,
    reason: isSplit || isOff ? 'one key replaces the two modes' : both,
  }
}

function entryOf(file: ConfigFileName, section: string, name: string): ConfigEntry | undefined {
  return CONFIG_ENTRIES.find(
    (entry) =>
      entry.file === file && entry.section === section && normalizeName(entry.name) === name,
  )
}

/**
 * Rewrites a file of an older release, of seid or of CometBFT for this release. Unknown keys are commented out with
 * `#`, so comments and line order stay. Values that `config check` accepts stay.
 * @param inspected settings of the files, variables and flags of the home
 * @throws CONFIG_INVALID if the file is not TOML
 */
export function migrateFile(
  path: string,
  file: ConfigFileName,
  source: string,
  inspected: Pick<InspectedConfig, 'config' | 'settings'>,
): MigratedFile {
  const lines = source.split('\n')
  const sections = Object.keys(CONFIG_FILES[file].sections)
  const lists = LIST_ENTRIES.filter((list) => list.file === file).map(({ header }) => header)
  const changes: ConfigChange[] = []
  const written: string[] = []
  const migration: Migration = {
    engine: inspected.config.consensus.engine,
    isSet: new Set(inspected.settings.flatMap((each) => (each.isDefault ? [] : [each.entry.flag]))),
    modes: readModes(lines, path),
    present: readPresent(lines),
    taken: new Set(),
  }
  let section: string | undefined = ''
  // No older release had lists: their tables stay as they are.
  let isList = false
  const change = (first: number, end: number, { after, reason }: Replacement): void => {
    const before = lines.slice(first, end)
    changes.push({ line: first + 1, before: before.join('\n'), after, reason })
    if (after !== undefined) written.push(`${/^\s*/.exec(before[0] ?? '')?.[0]}${after}`)
    else written.push(...before.map((line) => `# ${line}`))
  }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const header = headerOf(line)
    if (header !== undefined) {
      section = sections.find((name) => name === normalizeName(header))
      isList = lists.includes(normalizeName(header))
      if (isList || section !== undefined) written.push(line)
      else change(at, at + 1, { after: undefined, reason: 'this release has no such section' })
      at++
      continue
    }
    if (isList || !/^\s*["']?[\w.-]+["']?\s*=/.test(line)) {
      written.push(line)
      at++
      continue
    }
    const assignment = readAssignment(lines, at, path)
    at = assignment.end
    const replaced = decide(file, section, assignment, migration)
    if (replaced === undefined) written.push(...lines.slice(assignment.first, assignment.end))
    else change(assignment.first, assignment.end, replaced)
  }
  return { text: written.join('\n'), changes }
}

/** Returns the split modes that a file sets. */
function readModes(lines: readonly string[], path: string): Map<string, unknown> {
  const modes = new Map<string, unknown>()
  for (const [at, line] of lines.entries()) {
    const name = /^\s*([\w-]+)\s*=/.exec(line)?.[1]
    if (name === undefined || lookup(SPLIT_MODES, normalizeName(name)) === undefined) continue
    modes.set(normalizeName(name), readAssignment(lines, at, path).value)
  }
  return modes
}

/** Returns the name in the header of a section or list, without quotes. */
function headerOf(line: string): string | undefined {
  return /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1]?.replaceAll(/["']/g, '')
}

/** Returns the flags of all keys that a file sets, in any spelling. */
function readPresent(lines: readonly string[]): Set<string> {
  const present = new Set<string>()
  let section = ''
  for (const line of lines) {
    section = headerOf(line) ?? section
    const name = /^\s*["']?([\w-]+)["']?\s*=/.exec(line)?.[1]
    if (name !== undefined) present.add(normalizeName(section === '' ? name : `${section}.${name}`))
  }
  return present
}

/** State of the whole file's migration. */
interface Migration {
  readonly engine: EngineName
  /** Flags of keys with a value other than the default, from any source. */
  readonly isSet: ReadonlySet<string>
  /** Flags of keys that the file sets. */
  readonly present: ReadonlySet<string>
  readonly modes: ReadonlyMap<string, unknown>
  /** Flags of keys set by the lines above. */
  readonly taken: Set<string>
}

function decide(
  file: ConfigFileName,
  section: string | undefined,
  assignment: Assignment,
  migration: Migration,
): Replacement | undefined {
  if (section === undefined) {
    return { after: undefined, reason: 'this release has no such section' }
  }
  const { modes, present, taken } = migration
  if (section === '' && isTable(assignment.value)) return replaceTable(file, assignment, migration)
  const name = normalizeName(assignment.name)
  const isMode = lookup(SPLIT_MODES, name) !== undefined
  if (isMode && present.has(`${section}.${SPLIT_KEY}`)) {
    return { after: undefined, reason: `${SPLIT_KEY} is set too` }
  }
  const replaced = isMode ? splitOf(modes) : replace(file, section, assignment, migration)
  if (replaced !== undefined && replaced.after === undefined) return replaced
  const key = /^[\w-]+/.exec(replaced?.after ?? assignment.name)?.[0] ?? name
  const identity = entryOf(file, section, normalizeName(key))?.flag ?? key
  if (taken.has(identity)) return { after: undefined, reason: `${key} is set above` }
  taken.add(identity)
  return replaced
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the replacement of a section written as one inline value, or of a key with a dotted section name. */
function replaceTable(
  file: ConfigFileName,
  { name, value, ...place }: Assignment,
  migration: Migration,
): Replacement | undefined {
  const section = normalizeName(name)
  for (const [key, part] of Object.entries(value as object)) {
    const replaced = replace(file, section, { ...place, name: key, value: part }, migration)
    if (replaced?.after === undefined && replaced !== undefined) return replaced
  }
  return undefined
}
