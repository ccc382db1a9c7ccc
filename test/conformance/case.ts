import type { Engine } from '../../host/evm/engine/engine.ts'
import type { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import type { SkipReason } from './skip-reasons.ts'

/** What one case came to. A case without failure and skip has passed. */
export interface CaseResult {
  readonly name: string
  /** What went wrong: the first line says what, the others where. */
  readonly failure?: string | undefined
  readonly skip?: SkipReason
}

/** True when a case is to be run; `fork` is undefined where the suite knows none. */
export type CaseFilter = (name: string, fork?: string) => boolean

/** What the suites run on, one of each a worker. */
export interface Machines {
  readonly engine: Engine
  readonly hasher: CommitHasher
  /** A folder of the worker's own, removed at the end of the run. */
  readonly scratch: string
  /** What passed and is worth a word, each once. */
  readonly notes: Set<string>
}

/** One file of vectors. */
export interface VectorFile {
  readonly path: string
  /** Parsed from JSON; the text of a file of lines. */
  readonly content: unknown
}

/** One kind of published tests. */
export interface Suite {
  readonly recognises: (file: VectorFile) => boolean
  readonly run: (
    machines: Machines,
    file: VectorFile,
    filter: CaseFilter,
  ) => Iterable<CaseResult> | AsyncIterable<CaseResult>
}

/** Runs one case; what it throws is its failure. */
export function attempt(name: string, run: () => string | undefined): CaseResult {
  try {
    return { name, failure: run() }
  } catch (thrown) {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    return { name, failure: `threw ${text}` }
  }
}

/** The members of a file that holds an object of named tests; the suites' own notes start with `_`. */
export function namedTests(file: VectorFile): [name: string, test: Record<string, unknown>][] {
  if (typeof file.content !== 'object' || file.content === null) return []
  return Object.entries(file.content).filter(
    (entry): entry is [string, Record<string, unknown>] =>
      typeof entry[1] === 'object' && entry[1] !== null && !entry[0].startsWith('_'),
  )
}

/** True when every named test of a file has the members. */
export function testsHave(file: VectorFile, ...members: readonly string[]): boolean {
  if (Array.isArray(file.content)) return false
  const tests = namedTests(file)
  return tests.length > 0 && tests.every(([, test]) => members.every((member) => member in test))
}
