import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Engine, loadEngine } from '../../host/evm/engine/engine.ts'
import { compileEngine, readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { serveProgram } from '../support/browser/program.ts'
import { openScriptEngine } from '../support/engine/script-engine.ts'
import { NO_VECTORS, VECTORS } from '../support/vectors.ts'
import { digestCases } from './digest/digest-cases.ts'
import { computeDigests, type DigestCase, type Digests } from './digest/digest-program.ts'
import { nodeOf, runUnder, whyNoNode } from './digest/other-nodes.ts'
import type { DigestPage } from './digest/page.ts'
import { hasWasmtime, WasmtimeModule } from './wasmtime/wasmtime.ts'
import { wasmtimeExports } from './wasmtime/wasmtime-engine.ts'

/** Regions that the cases have at least. */
const FEWEST_REGIONS = 300

describe.skipIf(VECTORS === undefined)(
  VECTORS === undefined ? `one digest (${NO_VECTORS})` : 'one digest',
  () => {
    let folder: string
    let file: string
    let cases: readonly DigestCase[]
    let expected: Digests

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'digest-'))
      file = join(folder, 'cases.json')
      const { engine, engineHash, ...modules } = await compileEngine()
      const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
      const recorder = { engine: await loadEngine(engine, modules), hasher, engineHash }
      cases = await digestCases(recorder, VECTORS as string)
      writeFileSync(file, JSON.stringify(cases))
      const machines = { engine: await loadEngine(engine, modules), scripts: openScriptEngine }
      expected = await computeDigests(cases, machines)
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    test('covers benchmarks, state tests and traces, and differs for nearly all of them', () => {
      const digests = Object.values(expected.cases)
      expect(digests.length).toBeGreaterThan(150)
      expect(new Set(digests).size).toBeGreaterThan(0.9 * digests.length)
    })

    for (const major of [22, 24, 26]) {
      const node = nodeOf(major)
      const name =
        node === undefined ? `in Node ${major} (${whyNoNode(major)})` : `in Node ${major}`
      test.skipIf(node === undefined)(name, () => {
        const printed = runUnder(node as string, 'run-digest.ts', [file])
        expect(JSON.parse(printed)).toEqual({ ...expected, compiled: 0 })
      })

      test.skipIf(node === undefined)(`${name}, with all code compiled`, () => {
        const printed = runUnder(node as string, 'run-digest.ts', [file, 'compiled'])
        const { compiled, ...digests } = JSON.parse(printed)
        expect(digests).toEqual(expected)
        expect(compiled).toBeGreaterThan(FEWEST_REGIONS)
      })
    }

    inBrowsers('is the same', (browser) => {
      test('when it is computed in a page, with code interpreted and compiled', async () => {
        const site = await serveProgram(new URL('digest/page.ts', import.meta.url))
        try {
          writeFileSync(join(site.folder, 'cases.json'), readFileSync(file))
          await withTab(browser(), { hosts: [site.host] }, async (tab) => {
            await tab.goto(site.url)
            const there = await tab.evaluate(async () => {
              const { digests } = globalThis as unknown as DigestPage
              return [await digests(false), await digests(true)] as const
            }, undefined)
            const [interpreted, { compiled, ...digests }] = there
            expect(interpreted).toEqual({ ...expected, compiled: 0 })
            expect(digests).toEqual(expected)
            expect(compiled).toBeGreaterThan(FEWEST_REGIONS)
          })
        } finally {
          await site.close()
        }
      })
    })

    test.skipIf(!hasWasmtime)(
      hasWasmtime ? 'on wasmtime' : 'on wasmtime (its package has no binary for this platform)',
      async () => {
        const { pairing, chainModules } = await compileEngine()
        const compiled = await WasmtimeModule.compile('digest', await readModule('engine'))
        const exports = wasmtimeExports(compiled.instantiate())
        exports._initialize()
        const engine = new Engine(exports, { pairing, chainModules })
        const there = await computeDigests(cases, { engine, scripts: openScriptEngine })
        expect(there).toEqual(expected)
      },
    )
  },
)
