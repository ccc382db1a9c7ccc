import { parse } from 'smol-toml'
import { LockstepError } from '../base/error.ts'
import { insteadOf } from './config-key.ts'
import { isDefaultValue } from './load.ts'
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

/** Keys of CometBFT that mean this to the embedded engine. */
const EMBEDDED_RENAMED: Readonly<Record<string, string>> = {
  'consensus.timeout-commit': 'consensus.block-time',
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

/** What becomes of one key; undefined where it stays as it is. */
function replace(
  file: ConfigFileName,
  engine: EngineName,
  section: string,
  { name, value, literal }: Assignment,
): Replacement | undefined {
  const known = normalizeName(section === '' ? name : `${section}.${name}`)
  const renamed = engine === 'embedded' ? EMBEDDED_RENAMED[known] : undefined
  const flag = renamed ?? RENAMED[known] ?? known
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
  const instead = insteadOf(entry, engine)
  if (instead !== undefined && !isDefaultValue(entry, decoded)) {
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
 * not have are switched off by a `#`, so that comments and the order of lines stay.
 * @throws CONFIG_INVALID where the file is no TOML
 */
export function migrateFile(path: string, file: ConfigFileName, source: string): MigratedFile {
  const lines = source.split('\n')
  const sections = Object.keys(CONFIG_FILES[file].sections)
  const lists = LIST_ENTRIES.filter((list) => list.file === file).map(({ header }) => header)
  const changes: ConfigChange[] = []
  const written: string[] = []
  const taken = new Set<string>()
  const modes = readModes(lines, path)
  const engine = readEngine(file, source)
  let section: string | undefined = ''
  // No older release had them: their tables stay as they are.
  let isList = false
  const change = (first: number, end: number, { after, reason }: Replacement): void => {
    const before = lines.slice(first, end)
    changes.push({ line: first + 1, before: before.join('\n'), after, reason })
    if (after !== undefined) written.push(after)
    else written.push(...before.map((line) => `# ${line}`))
  }
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const header = /^\s*\[+\s*([^\]]+?)\s*\]+/.exec(line)?.[1]
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
    const replaced = decide(file, section, assignment, { engine, modes, taken })
    if (replaced === undefined) written.push(...lines.slice(assignment.first, assignment.end))
    else change(assignment.first, assignment.end, replaced)
  }
  return { text: written.join('\n'), changes }
}

/** The engine that a file chooses; the default where it chooses none, or is another file. */
function readEngine(file: ConfigFileName, source: string): EngineName {
  const { engine } = CONFIG_FILES['config.toml'].sections.consensus
  const fallback = engine.type.decode(engine.fallback) ?? 'embedded'
  if (file !== 'config.toml') return fallback
  try {
    const { consensus } = parse(source) as { consensus?: { engine?: unknown } }
    return engine.type.decode(consensus?.engine) ?? fallback
  } catch {
    // A key may be given twice, in two spellings or in releases that took it so: each is read alone.
    return fallback
  }
}

/** The modes of the split that a file sets. */
function readModes(lines: readonly string[], path: string): Map<string, unknown> {
  const modes = new Map<string, unknown>()
  for (const [at, line] of lines.entries()) {
    const name = /^\s*([\w-]+)\s*=/.exec(line)?.[1]
    if (name === undefined || SPLIT_MODES[normalizeName(name)] === undefined) continue
    modes.set(normalizeName(name), readAssignment(lines, at, path).value)
  }
  return modes
}

/** What holds for the whole file. */
interface Migration {
  readonly engine: EngineName
  readonly modes: ReadonlyMap<string, unknown>
  /** Keys that stand above, by their flags. */
  readonly taken: Set<string>
}

function decide(
  file: ConfigFileName,
  section: string | undefined,
  assignment: Assignment,
  { engine, modes, taken }: Migration,
): Replacement | undefined {
  if (section === undefined) {
    return { after: undefined, reason: 'this release has no such section' }
  }
  const name = normalizeName(assignment.name)
  const isMode = SPLIT_MODES[name] !== undefined
  const replaced = isMode ? splitOf(modes) : replace(file, engine, section, assignment)
  if (replaced !== undefined && replaced.after === undefined) return replaced
  const key = /^[\w-]+/.exec(replaced?.after ?? assignment.name)?.[0] ?? name
  const identity = entryOf(file, section, normalizeName(key))?.flag ?? key
  if (taken.has(identity)) return { after: undefined, reason: `${key} is given above` }
  taken.add(identity)
  return replaced
}
