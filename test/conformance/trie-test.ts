import { formatData } from '../../host/base/hex.ts'
import type { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import {
  attempt,
  type CaseFilter,
  type Machines,
  namedTests,
  type Suite,
  testsHave,
  type VectorFile,
} from './case.ts'
import { parseBytes } from './fixture.ts'

/** A trie test: writes in order, in which null deletes, or rows in any order, and the root. */
interface TrieTest {
  readonly in:
    | readonly (readonly [key: string, value: string | null])[]
    | Readonly<Record<string, string | null>>
  readonly root: string
}

function readText(text: string): Uint8Array {
  return text.startsWith('0x') ? parseBytes(text) : new TextEncoder().encode(text)
}

function runCase(hasher: CommitHasher, test: TrieTest, isSecure: boolean): string | undefined {
  const rows = new Map<string, readonly [Uint8Array, Uint8Array]>()
  const puts = Array.isArray(test.in) ? test.in : Object.entries(test.in)
  for (const [key, value] of puts) {
    if (value === null || value === '') rows.delete(key)
    else rows.set(key, [readText(key), readText(value)])
  }
  const values = rows.values()
  const root = formatData(isSecure ? hasher.secureTrieRoot(values) : hasher.trieRoot(values))
  return root === test.root ? undefined : `root ${root}, want ${test.root}`
}

function* runFile({ hasher }: Machines, file: VectorFile, filter: CaseFilter) {
  const isSecure = /secure/i.test(file.path)
  for (const [name, test] of namedTests(file)) {
    if (!filter(name)) continue
    yield attempt(name, () => runCase(hasher, test as unknown as TrieTest, isSecure))
  }
}

export const trieTests: Suite = {
  recognises: (file) => testsHave(file, 'in', 'root'),
  run: runFile,
}

/** Tests of neighbours in an ordered key set, which the trie hasher does not have. */
export const trieNeighbourTests: Suite = {
  recognises: (file) => testsHave(file, 'in', 'tests'),
  *run(_machines, file, filter) {
    for (const [name] of namedTests(file)) if (filter(name)) yield { name, skip: 'notEngine' }
  },
}
