import { gzipSync } from 'node:zlib'
import { loadEngine } from '../host/evm/engine/engine.ts'
import { answerFrom } from '../host/evm/state/answer.ts'
import { readModule } from '../host/node/wasm.ts'
import { assemble } from '../test/support/engine/bytecode.ts'
import { BLOCK, executed, stateWith, transaction } from '../test/support/engine/engine-fixture.ts'
import { median } from './statistics.ts'

const RUNS = 9

/** A call that stores, hashes and logs, as a visitor of a page might run first. */
const CODE = assemble(
  ...[1, 0, 'SSTORE', 32, 0, 'KECCAK256', 0, 'MSTORE', 32, 0, 'LOG0', 32, 0, 'RETURN'],
)

/** Prints the milliseconds from the bytes of engine.wasm to the outcome of a first call, and the modules' sizes. */
export async function runColdBench(): Promise<void> {
  const bytes = await readModule('engine')
  const compile: number[] = []
  const instantiate: number[] = []
  const call: number[] = []
  for (let i = 0; i < RUNS; i++) {
    // Different bytes, so that V8 does not reuse a compiled module
    const fresh = new Uint8Array([...bytes, 0, 2, 1, i])
    const start = performance.now()
    const module = await WebAssembly.compile(fresh)
    const compiled = performance.now()
    const engine = await loadEngine(module)
    const loaded = performance.now()
    engine.beginBlock({ ...BLOCK })
    const { success } = executed(answerFrom(engine.transact(transaction()), stateWith(CODE)))
    const ended = performance.now()
    if (!success) throw new Error('the first call failed')
    compile.push(compiled - start)
    instantiate.push(loaded - compiled)
    call.push(ended - loaded)
  }
  const round = (value: number) => Number(value.toPrecision(3))
  const parts = [median(compile), median(instantiate), median(call)] as const
  console.log(
    JSON.stringify({
      bench: 'cold',
      compile_ms: round(parts[0]),
      instantiate_ms: round(parts[1]),
      first_call_ms: round(parts[2]),
      total_ms: round(parts[0] + parts[1] + parts[2]),
    }),
  )
  for (const name of ['engine', 'pairing', 'commit'] as const) {
    const module = await readModule(name)
    const gzipped = gzipSync(module, { level: 9 }).length
    console.log(JSON.stringify({ bench: 'cold', module: name, bytes: module.length, gzipped }))
  }
}
