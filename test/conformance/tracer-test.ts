import { isDeepStrictEqual } from 'node:util'
import { REVISIONS, type Revision } from '../../host/chain-types/revision.ts'
import { decodeTransaction } from '../../host/chain-types/transaction-codec.ts'
import { answerFrom } from '../../host/state/answer.ts'
import { CallTracer } from '../../host/trace/call-tracer.ts'
import { attempt, type CaseFilter, type Machines, type Suite, type VectorFile } from './case.ts'
import { type FixtureState, parseBytes, parseWord, readState } from './fixture.ts'

/** A case of geth's eth/tracers/internal/tracetest. */
interface TracerTest {
  readonly genesis: {
    readonly alloc: FixtureState
    readonly config: Readonly<Record<string, number | boolean | object>>
  }
  readonly context: Readonly<Record<string, string>>
  readonly input: string
  readonly tracerConfig?: { readonly onlyTopCall?: boolean; readonly withLog?: boolean }
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

function trace({ engine, hasher }: Machines, test: TracerTest): unknown {
  const { context, genesis, tracerConfig } = test
  engine.beginBlock({
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
  })
  const transaction = decodeTransaction(parseBytes(test.input), engine)
  const tracer = new CallTracer({ onlyTopCall: false, withLog: false, ...tracerConfig })
  const state = readState(genesis.alloc, hasher, () => undefined)
  const outcome = answerFrom(engine.transact(transaction, { trace: tracer }), state)
  if (outcome.kind === 'rejected') throw new Error(`refused: ${outcome.code}`)
  return tracer.finish(transaction.gas, outcome.gasUsed)
}

/** Without the block-wide index of a log, which the contract's frame does not have. */
function withoutLogIndex(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === 'index' ? undefined : member)))
}

/** Path of the first member that differs, with both values. */
function difference(got: unknown, want: unknown, path = ''): string {
  if (typeof got === 'object' && typeof want === 'object' && got !== null && want !== null) {
    const names = new Set([...Object.keys(want), ...Object.keys(got)])
    for (const name of names) {
      const mine = (got as Record<string, unknown>)[name]
      const theirs = (want as Record<string, unknown>)[name]
      if (!isDeepStrictEqual(mine, theirs)) return difference(mine, theirs, `${path}.${name}`)
    }
  }
  return `${path}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`
}

function* runFile(machines: Machines, file: VectorFile, filter: CaseFilter) {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  if (!filter(name)) return
  yield attempt(name, () => {
    const test = file.content as TracerTest
    const got = JSON.parse(JSON.stringify(trace(machines, test)))
    const want = withoutLogIndex(test.result)
    return isDeepStrictEqual(got, want) ? undefined : `the trace\n${difference(got, want)}`
  })
}

export const tracerTests: Suite = {
  recognises: ({ path, content }) =>
    /testdata\/call_tracer(_withLog)?\//.test(path) &&
    typeof content === 'object' &&
    content !== null &&
    'genesis' in content,
  run: runFile,
}
