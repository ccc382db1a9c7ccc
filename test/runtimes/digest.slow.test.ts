import { describe, expect, test } from 'vitest'
import { Engine } from '../../host/evm/engine/engine.ts'
import { compileEngine, readModule } from '../../host/node/wasm.ts'
import { openScriptEngine } from '../support/engine/script-engine.ts'
import { NO_VECTORS, VECTORS } from '../support/vectors.ts'
import { computeDigests } from './digest/digest-program.ts'
import { expectedDigests, FEWEST_REGIONS } from './digest/expected-digests.ts'
import { nodeOf, runUnder, whyNoNode } from './digest/other-nodes.ts'
import { hasWasmtime, WasmtimeModule } from './wasmtime/wasmtime.ts'
import { wasmtimeExports } from './wasmtime/wasmtime-engine.ts'

describe.skipIf(VECTORS === undefined)(
  VECTORS === undefined ? `one digest (${NO_VECTORS})` : 'one digest',
  () => {
    const expected = expectedDigests(VECTORS as string)

    test('covers benchmarks, state tests and traces, and differs for nearly all of them', () => {
      const digests = Object.values(expected().digests.cases)
      expect(digests.length).toBeGreaterThan(150)
      expect(new Set(digests).size).toBeGreaterThan(0.9 * digests.length)
    })

    for (const major of [22, 24, 26]) {
      const node = nodeOf(major)
      const name =
        node === undefined ? `in Node ${major} (${whyNoNode(major)})` : `in Node ${major}`
      test.skipIf(node === undefined)(name, () => {
        const printed = runUnder(node as string, 'run-digest.ts', [expected().file])
        expect(JSON.parse(printed)).toEqual({ ...expected().digests, compiled: 0 })
      })

      test.skipIf(node === undefined)(`${name}, with all code compiled`, () => {
        const printed = runUnder(node as string, 'run-digest.ts', [expected().file, 'compiled'])
        const { compiled, ...digests } = JSON.parse(printed)
        expect(digests).toEqual(expected().digests)
        expect(compiled).toBeGreaterThan(FEWEST_REGIONS)
      })
    }

    test.skipIf(!hasWasmtime)(
      hasWasmtime ? 'on wasmtime' : 'on wasmtime (its package has no binary for this platform)',
      async () => {
        const { pairing, chainModules } = await compileEngine()
        const compiled = await WasmtimeModule.compile('digest', await readModule('engine'))
        const exports = wasmtimeExports(compiled.instantiate())
        exports._initialize()
        const engine = new Engine(exports, { pairing, chainModules })
        const there = await computeDigests(expected().cases, { engine, scripts: openScriptEngine })
        expect(there).toEqual(expected().digests)
      },
    )
  },
)
