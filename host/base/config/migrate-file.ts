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

/** A line that a migration writes anew. */
export interface ConfigChange {
  /** From 1, of the file as it was. */
  readonly line: number
  readonly before: string
  /** What stands in its place; undefined where the key is switched off by a `#`. */
  readonly after: string | undefined
  readonly reason: string
}

export interface MigratedFile {
  readonly text: string
  readonly changes: readonly ConfigChange[]
}

/** Keys of other releases and of seid or CometBFT, by section and name, that go on under another name. */
const RENAMED: Readonly<Record<string, string>> = {
  'rpc.max-open-conns': 'rpc.max-open-connections',
  'statesync.trusted-height': 'statesync.trust-height',
  'statesync.trusted-hash': 'statesync.trust-hash',
  'state-store.ss-prune-interval-seconds': 'state-store.ss-prune-interval',
}

/** Keys as CometBFT's files spell them, that mean this to the embedded engine. */
const EMBEDDED_RENAMED: Readonly<Record<string, string>> = {
  'consensus.timeout_commit': 'consensus.block-time',
}

/** The two keys of which `evm-ss-split` has taken the place, with the value that meant the split. */
const SPLIT_MODES: Readonly<Record<string, string>> = {
  'evm-ss-write-mode': 'split_write',
  'evm-ss-read-mode': 'split_read',
}

const SPLIT_KEY = 'evm-ss-split'

/** A key with its value, which may go over several lines. */
interface Assignment {
  readonly first: number
  readonly end: number
  readonly name: string
  readonly value: unknown
  /** The text behind the equals sign. */
  readonly literal: string
}

/** No value of a configuration is longer. */
const MOST_LINES = 1000

/** The assignment that begins with a line. @throws CONFIG_INVALID where it is no TOML */
function readAssignment(lines: readonly string[], first: number, path: string): Assignment {
  for (let end = first + 1; end <= Math.min(lines.length, first + MOST_LINES); end++) {
    const text = lines.slice(first, end).join('\n')
    try {
      const [[name, value] = ['', undefined]] = Object.entries(parse(text))
      return { first, end, name, value, literal: text.slice(text.indexOf('=') + 1).trim() }
    } catch {
      // The value may go on.
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

/** The flag of the key that takes the value of a name: its own, unless another has taken its place. */
function targetOf(section: string, name: string, { engine, present }: Migration): string {
  const written = section === '' ? name : `${section}.${name}`
  const known = normalizeName(written)
  const target =
    (engine === 'embedded' ? lookup(EMBEDDED_RENAMED, written) : undefined) ??
    lookup(RENAMED, known)
  // A key that the file itself sets keeps the value that it has there.
  return target === undefined || (present.has(target) && isKey(known)) ? known : target
}

function isKey(flag: string): boolean {
  return CONFIG_ENTRIES.some((entry) => entry.flag === flag)
}

/** What becomes of one key; undefined where it stays as it is. */
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
      reason: `the value must be ${entry.type.rule}; the default ${JSON.stringify(entry.fallback)} stands`,
    }
  }
  if (flag !== known && migration.present.has(flag)) {
    return { after: undefined, reason: `${entry.name} is given too` }
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
    reason: isSpelling ? 'the spelling of the table' : 'the key has another name now',
  }
}

/** What stands in place of the two modes of the split. */
function splitOf(modes: ReadonlyMap<string, unknown>): Replacement {
  const isSplit = Object.entries(SPLIT_MODES).every(([name, split]) => modes.get(name) === split)
  const isOff = [...modes.values()].every((mode) => mode === 'cosmos_only')
  const both = 'nothing is written to both stores any more; a state sync makes the split'
  return {
    after: `${SPLIT_KEY} = ${isSplit}`,
    reason: isSplit || isOff ? 'one key stands for the two modes' : both,
  }
}

function entryOf(file: ConfigFileName, section: string, name: string): ConfigEntry | undefined {
  return CONFIG_ENTRIES.find(
    (entry) =>
      entry.file === file && entry.section === section && normalizeName(entry.name) === name,
  )
}

/**
 * The text of a file of an older release, or of seid or CometBFT, as this release takes it. Keys that it does
 * not have are switched off by a `#`, so that comments and the order of lines stay. What `config check` calls right
 * keeps its value.
 * @param inspected what the files, variables and flags of the home set
 * @throws CONFIG_INVALID where the file is no TOML
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
  // No older release had them: their tables stay as they are.
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

/** The modes of the split that a file sets. */
function readModes(lines: readonly string[], path: string): Map<string, unknown> {
  const modes = new Map<string, unknown>()
  for (const [at, line] of lines.entries()) {
    const name = /^\s*([\w-]+)\s*=/.exec(line)?.[1]
    if (name === undefined || lookup(SPLIT_MODES, normalizeName(name)) === undefined) continue
    modes.set(normalizeName(name), readAssignment(lines, at, path).value)
  }
  return modes
}

/** The name of a section or list that a line begins, without quotes. */
function headerOf(line: string): string | undefined {
  return /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1]?.replaceAll(/["']/g, '')
}

/** Flags of all keys that a file sets, under whatever spelling. */
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

/** What holds for the whole file. */
interface Migration {
  readonly engine: EngineName
  /** Flags of keys with another value than the default, wherever they are set. */
  readonly isSet: ReadonlySet<string>
  /** Flags of keys that the file sets. */
  readonly present: ReadonlySet<string>
  readonly modes: ReadonlyMap<string, unknown>
  /** Keys that stand above, by their flags. */
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
    return { after: undefined, reason: `${SPLIT_KEY} is given too` }
  }
  const replaced = isMode ? splitOf(modes) : replace(file, section, assignment, migration)
  if (replaced !== undefined && replaced.after === undefined) return replaced
  const key = /^[\w-]+/.exec(replaced?.after ?? assignment.name)?.[0] ?? name
  const identity = entryOf(file, section, normalizeName(key))?.flag ?? key
  if (taken.has(identity)) return { after: undefined, reason: `${key} is given above` }
  taken.add(identity)
  return replaced
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What becomes of a section that is written as one value, or of a key with its section before a dot. */
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
