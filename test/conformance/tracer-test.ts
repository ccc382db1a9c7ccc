import { isDeepStrictEqual } from 'node:util'
import { REVISIONS, type Revision } from '../../host/chain-types/revision.ts'
import type { Keccak256 } from '../../host/chain-types/signature-recovery.ts'
import { decodeTransaction } from '../../host/chain-types/transaction-codec.ts'
import type { BlockEnv } from '../../host/engine/message.ts'
import type { StepOptions } from '../../host/engine/trace-event.ts'
import { answerFrom } from '../../host/state/answer.ts'
import type { StateView } from '../../host/state/view.ts'
import { JsonWriter } from '../../host/trace/json-writer.ts'
import { openScriptTracer, RerunNeeded } from '../../host/trace/script/script-tracer.ts'
import type { Tracer, TracerConfig, TracerRequest } from '../../host/trace/tracer.ts'
import { callTracer } from '../../host/trace/tracers/call-tracer.ts'
import { erc7562Tracer } from '../../host/trace/tracers/erc7562-tracer.ts'
import { flatCallTracer } from '../../host/trace/tracers/flat-call-tracer.ts'
import { prestateTracer } from '../../host/trace/tracers/prestate-tracer.ts'
import { openScriptEngine } from '../support/engine/script-engine.ts'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { difference } from './difference.ts'
import { type FixtureState, parseBytes, parseWord, readState } from './fixture.ts'
import { CALL_TREE, PRESTATE } from './tracer-scripts.ts'

/** A case of geth's eth/tracers/internal/tracetest. */
interface TracerTest {
  readonly genesis: {
    readonly alloc: FixtureState
    readonly config: Readonly<Record<string, number | boolean | object>>
  }
  readonly context: Readonly<Record<string, string>>
  readonly input: string
  readonly tracerConfig?: TracerConfig
  readonly result: unknown
}

/** Names of the forks in geth's chain configuration, by number or by time. */
const FORKS: Readonly<Partial<Record<Revision, string>>> = {
  Homestead: 'homesteadBlock',
  TangerineWhistle: 'eip150Block',
  SpuriousDragon: 'eip158Block',
  Byzantium: 'byzantiumBlock',
  Constantinople: 'constantinopleBlock',
  Petersburg: 'petersburgBlock',
  Istanbul: 'istanbulBlock',
  Berlin: 'berlinBlock',
  London: 'londonBlock',
  Shanghai: 'shanghaiTime',
  Cancun: 'cancunTime',
  Prague: 'pragueTime',
  Osaka: 'osakaTime',
}

function revisionAt({ genesis, context }: TracerTest): Revision {
  // geth reads the names without regard to case, and one file counts on it.
  const config = new Map(
    Object.entries(genesis.config).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const reached = (revision: Revision) => {
    const key = FORKS[revision] ?? ''
    const since = config.get(key.toLowerCase())
    const now = Number(key.endsWith('Time') ? context.timestamp : context.number)
    return typeof since === 'number' && since <= now
  }
  return REVISIONS.findLast(reached) ?? 'Frontier'
}

/** Where a script looks, and what its steps are to be recorded with. */
interface GoldenContext {
  readonly view: StateView
  readonly keccak256: Keccak256
  readonly steps: StepOptions | undefined
}

/** The tracer that a folder of golden files is of, and what geth's own runner compares of a result. */
interface Golden {
  readonly folder: RegExp
  readonly open: (request: TracerRequest, context: GoldenContext) => Tracer
  readonly comparable: (result: unknown) => unknown
}

const asItIs = (result: unknown): unknown => result

/** What a golden file may write in place of a member that is not there. */
const NOTHING: readonly unknown[] = ['', '0x', '0x0', `0x${'0'.repeat(40)}`]

/**
 * A flat trace without the place of its transaction, which the golden files do not agree on, and without
 * members that hold nothing: geth's runner takes them as the same.
 */
function withoutPlace(result: unknown): unknown {
  const isEmpty = (value: unknown) =>
    value === null ||
    NOTHING.includes(value) ||
    (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0)
  const prune = (frame: object) =>
    Object.fromEntries(Object.entries(frame).filter(([, value]) => !isEmpty(value)))
  return (result as readonly Readonly<Record<string, object | undefined>>[]).map((frame) => {
    const { action, result, error, subtraces, traceAddress, type } = frame
    return prune({
      action: prune(action ?? {}),
      result: prune(result ?? {}),
      error,
      subtraces,
      traceAddress,
      type,
    })
  })
}

/** geth's runner takes an empty output for none. */
function withoutEmptyOutput(result: unknown): unknown {
  const isEmpty = (name: string, value: unknown) => name === 'output' && value === '0x'
  const prune = (name: string, value: unknown) => (isEmpty(name, value) ? undefined : value)
  return JSON.parse(JSON.stringify(result, prune))
}

/** No tracer here is held to one. */
const LIMITS = { structLogBytes: 0 }

const scripts = await openScriptEngine()

/** geth's own scripts are not here: ones that ask for the same things the same way. */
function script(source: string): Golden['open'] {
  return (request, { steps, ...context }) =>
    openScriptTracer(source, { ...context, engine: scripts }, request, steps)
}

const GOLDENS: readonly Golden[] = [
  { folder: /call_tracer(_withLog)?$/, open: callTracer, comparable: asItIs },
  { folder: /call_tracer_legacy$/, open: script(CALL_TREE), comparable: withoutEmptyOutput },
  { folder: /prestate_tracer_legacy$/, open: script(PRESTATE), comparable: asItIs },
  { folder: /call_tracer_flat$/, open: flatCallTracer, comparable: withoutPlace },
  { folder: /erc7562_tracer$/, open: erc7562Tracer, comparable: asItIs },
  { folder: /prestate_tracer(_with_diff_mode)?$/, open: prestateTracer, comparable: asItIs },
]

function goldenOf(path: string): Golden | undefined {
  const folder = path.slice(0, path.lastIndexOf('/'))
  return GOLDENS.find((golden) => golden.folder.test(folder))
}

function trace({ engine, hasher }: Machines, test: TracerTest, { open }: Golden): unknown {
  const { context, genesis } = test
  const env: BlockEnv = {
    revision: revisionAt(test),
    chainId: BigInt(Number(genesis.config.chainId)),
    number: Number(context.number),
    timestamp: Number(context.timestamp),
    gasLimit: BigInt(context.gasLimit as string),
    baseFee: BigInt(context.baseFeePerGas ?? 0),
    coinbase: parseBytes(context.miner as string),
    prevRandao: parseWord(context.difficulty ?? '0'),
    blobBaseFee: 1n,
    burnBaseFee: true,
  }
  const input = decodeTransaction(parseBytes(test.input), engine)
  const message = { input, env, gasPrice: input.maxFeePerGas }
  const config = test.tracerConfig ?? {}
  const view = readState(genesis.alloc, hasher, () => undefined)
  let steps: StepOptions | undefined
  for (;;) {
    engine.beginBlock(env)
    const chunks: Uint8Array[] = []
    const writer = new JsonWriter((chunk) => chunks.push(chunk))
    const request = { message, config, limits: LIMITS, view, writer }
    const keccak256: Keccak256 = (bytes) => hasher.keccak256(bytes)
    const tracer = open(request, { view, keccak256, steps })
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
  if (!filter(name)) return
  yield attempt(name, () => {
    const test = file.content as TracerTest
    const golden = goldenOf(file.path) as Golden
    const got = golden.comparable(trace(machines, test, golden))
    const want = golden.comparable(test.result)
    return isDeepStrictEqual(got, want) ? undefined : `the trace\n${difference(got, want)}`
  })
}

export const tracerTests: Suite = {
  recognises: ({ path, content }) =>
    goldenOf(path) !== undefined &&
    typeof content === 'object' &&
    content !== null &&
    'genesis' in content,
  run: runFile,
}
