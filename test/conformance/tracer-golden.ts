import { REVISIONS, type Revision } from '../../host/evm/chain-types/revision.ts'
import type { BlockEnv } from '../../host/evm/engine/message.ts'
import type { TracerConfig } from '../../host/evm/trace/tracer.ts'
import type { VectorFile } from './case.ts'
import { type FixtureState, parseBytes, parseWord } from './fixture.ts'
import { CALL_TREE, PRESTATE } from './tracer-scripts.ts'

/** A case of geth's eth/tracers/internal/tracetest. */
export interface TracerTest {
  readonly genesis: {
    readonly alloc: FixtureState
    readonly config: Readonly<Record<string, number | boolean | object>>
  }
  readonly context: Readonly<Record<string, string>>
  readonly input: string
  readonly tracerConfig?: TracerConfig
  readonly result: unknown
}

/** Fork names in geth's chain configuration, by block number or by time. */
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
  // geth reads the names case-insensitively, and one file relies on it.
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

/** Returns the block of a case's transaction. */
export function blockOf(test: TracerTest): BlockEnv {
  const { context, genesis } = test
  return {
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
}

/** The tracer of a folder of golden files, and the part of a result that geth's own runner compares. */
export interface Golden {
  readonly folder: RegExp
  /** A tracer name or script source. The scripts replace geth's own and read the same data in the same way. */
  readonly tracer: string
  readonly comparable: (result: unknown) => unknown
}

const asItIs = (result: unknown): unknown => result

/** Values that a golden file may have for an absent member. */
const NOTHING: readonly unknown[] = ['', '0x', '0x0', `0x${'0'.repeat(40)}`]

/**
 * Returns a flat trace without the position of its transaction, on which golden files disagree, and without empty
 * members, which geth's runner treats as absent.
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

/** geth's runner treats an empty output as absent. */
function withoutEmptyOutput(result: unknown): unknown {
  const isEmpty = (name: string, value: unknown) => name === 'output' && value === '0x'
  const prune = (name: string, value: unknown) => (isEmpty(name, value) ? undefined : value)
  return JSON.parse(JSON.stringify(result, prune))
}

const GOLDENS: readonly Golden[] = [
  { folder: /call_tracer(_withLog)?$/, tracer: 'callTracer', comparable: asItIs },
  { folder: /call_tracer_legacy$/, tracer: CALL_TREE, comparable: withoutEmptyOutput },
  { folder: /prestate_tracer_legacy$/, tracer: PRESTATE, comparable: asItIs },
  { folder: /call_tracer_flat$/, tracer: 'flatCallTracer', comparable: withoutPlace },
  { folder: /erc7562_tracer$/, tracer: 'erc7562Tracer', comparable: asItIs },
  {
    folder: /prestate_tracer(_with_diff_mode)?$/,
    tracer: 'prestateTracer',
    comparable: asItIs,
  },
]

function goldenOf(path: string): Golden | undefined {
  const folder = path.slice(0, path.lastIndexOf('/'))
  return GOLDENS.find((golden) => golden.folder.test(folder))
}

/** Returns the golden tracer and test of a vector file, or undefined for other files. */
export function readGolden({
  path,
  content,
}: VectorFile): { readonly golden: Golden; readonly test: TracerTest } | undefined {
  const golden = goldenOf(path)
  if (golden === undefined || typeof content !== 'object' || content === null) return undefined
  return 'genesis' in content ? { golden, test: content as TracerTest } : undefined
}
