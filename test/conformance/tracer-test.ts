import { isDeepStrictEqual } from 'node:util'
import type { Keccak256 } from '../../host/evm/chain-types/signature-recovery.ts'
import { decodeTransaction } from '../../host/evm/chain-types/transaction-codec.ts'
import type { StepOptions } from '../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import type { StateView } from '../../host/evm/state/view.ts'
import { ChunkedJsonWriter } from '../../host/evm/trace/json-writer.ts'
import { RerunNeeded } from '../../host/evm/trace/script/recorded-steps.ts'
import { openScriptTracer } from '../../host/evm/trace/script/script-tracer.ts'
import type { Tracer, TracerRequest } from '../../host/evm/trace/tracer.ts'
import { callTracer } from '../../host/evm/trace/tracers/call-tracer.ts'
import { erc7562Tracer } from '../../host/evm/trace/tracers/erc7562-tracer.ts'
import { flatCallTracer } from '../../host/evm/trace/tracers/flat-call-tracer.ts'
import { prestateTracer } from '../../host/evm/trace/tracers/prestate-tracer.ts'
import { openScriptEngine } from '../support/engine/script-engine.ts'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { difference } from './difference.ts'
import { parseBytes, readState } from './fixture.ts'
import { blockOf, type Golden, readGolden, type TracerTest } from './tracer-golden.ts'

/** The state that a script reads, and the recording options of its steps. */
interface GoldenContext {
  readonly view: StateView
  readonly keccak256: Keccak256
  readonly steps: StepOptions | undefined
}

/** No limit for the tracers here. */
const LIMITS = { structLogBytes: 0 }

const scripts = await openScriptEngine()

/** The built-in tracers that golden files use. Any other name is a script. */
const TRACERS: ReadonlyMap<string, (request: TracerRequest) => Tracer> = new Map(
  Object.entries({ callTracer, flatCallTracer, erc7562Tracer, prestateTracer }),
)

function open(name: string, request: TracerRequest, { steps, ...context }: GoldenContext): Tracer {
  const tracer = TRACERS.get(name)
  if (tracer !== undefined) return tracer(request)
  return openScriptTracer(name, { ...context, engine: scripts }, request, steps)
}

function trace({ engine, hasher }: Machines, test: TracerTest, { tracer: name }: Golden): unknown {
  const env = blockOf(test)
  const input = decodeTransaction(parseBytes(test.input), engine)
  const message = { input, env, gasPrice: input.maxFeePerGas }
  const config = test.tracerConfig ?? {}
  const view = readState(test.genesis.alloc, hasher, () => undefined)
  let steps: StepOptions | undefined
  for (;;) {
    engine.beginBlock(env)
    const chunks: Uint8Array[] = []
    const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
    const request = { message, config, limits: LIMITS, view, writer }
    const keccak256: Keccak256 = (bytes) => hasher.keccak256(bytes)
    const tracer = open(name, request, { view, keccak256, steps })
    try {
      const outcome = answerFrom(engine.transact(input, { trace: tracer.sink }), view)
      if (outcome.kind === 'rejected') throw new Error(`refused: ${outcome.code}`)
      tracer.finish(outcome)
      writer.flush()
      return JSON.parse(Buffer.concat(chunks).toString())
    } catch (thrown) {
      if (!(thrown instanceof RerunNeeded)) throw thrown
      steps = thrown.steps
    } finally {
      tracer.close?.()
    }
  }
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  const found = readGolden(file)
  if (found === undefined || !filter(name)) return
  yield attempt(name, () => {
    const { golden, test } = found
    const got = golden.comparable(trace(machines, test, golden))
    const want = golden.comparable(test.result)
    return isDeepStrictEqual(got, want) ? undefined : `the trace\n${difference(got, want)}`
  })
}

export const tracerTests: Suite = {
  recognises: (file) => readGolden(file) !== undefined,
  run: runFile,
}
