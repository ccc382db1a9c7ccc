import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { compileEngine, readModule } from '../../../host/node/wasm.ts'
import { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'
import { openScriptEngine } from '../../support/engine/script-engine.ts'
import { digestCases } from './digest-cases.ts'
import { computeDigests, type DigestCase, type Digests } from './digest-program.ts'

/** Regions of code that the cases have at least, if all code is compiled. */
export const FEWEST_REGIONS = 300

export interface ExpectedDigests {
  readonly cases: readonly DigestCase[]
  /** The cases as JSON. */
  readonly file: string
  /** Computed in this process. */
  readonly digests: Digests
}

/** Computes the digests before the tests of a file. */
export function expectedDigests(vectors: string): () => ExpectedDigests {
  let folder: string
  let expected: ExpectedDigests
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'digest-'))
    const { engine, engineHash, ...modules } = await compileEngine()
    const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
    const recorder = { engine: await loadEngine(engine, modules), hasher, engineHash }
    const cases = await digestCases(recorder, vectors)
    const file = join(folder, 'cases.json')
    writeFileSync(file, JSON.stringify(cases))
    const machines = { engine: await loadEngine(engine, modules), scripts: openScriptEngine }
    expected = { cases, file, digests: await computeDigests(cases, machines) }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return () => expected
}
