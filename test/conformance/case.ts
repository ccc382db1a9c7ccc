import type { Engine } from '../../host/evm/engine/engine.ts'
import type { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import type { SkipReason } from './skip-reasons.ts'

/** The result of one case. It passed if it has neither `failure` nor `skip`. */
export interface CaseResult {
  readonly name: string
  /** The first line says what failed, the others say where. */
  readonly failure?: string | undefined
  readonly skip?: SkipReason
}

/** Returns true if a case is to be run. `fork` is undefined if the suite has no forks. */
export type CaseFilter = (name: string, fork?: string) => boolean

/** What the suites run on, one instance for each worker. */
export interface Machines {
  readonly engine: Engine
  readonly hasher: CommitHasher
  /** Folder of this worker, deleted at the end of the run. */
  readonly scratch: string
  /** Remarks on cases that passed, without duplicates. */
  readonly notes: Set<string>
}

/** One file of test vectors. */
export interface VectorFile {
  readonly path: string
  /** Parsed JSON, or the text of a line-based file. */
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

/** Runs one case. An exception that it throws becomes the failure. */
export function attempt(name: string, run: () => string | undefined): CaseResult {
  try {
    return { name, failure: run() }
  } catch (thrown) {
    const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    return { name, failure: `threw ${text}` }
  }
}

/** Returns the named tests of a file, without the suites' own notes, whose names start with `_`. */
export function namedTests(file: VectorFile): [name: string, test: Record<string, unknown>][] {
  if (typeof file.content !== 'object' || file.content === null) return []
  return Object.entries(file.content).filter(
    (entry): entry is [string, Record<string, unknown>] =>
      typeof entry[1] === 'object' && entry[1] !== null && !entry[0].startsWith('_'),
  )
}

/** Returns true if every named test of a file has these members. */
export function testsHave(file: VectorFile, ...members: readonly string[]): boolean {
  if (Array.isArray(file.content)) return false
  const tests = namedTests(file)
  return tests.length > 0 && tests.every(([, test]) => members.every((member) => member in test))
}
