import { formatData } from '../../host/base/hex.ts'
import type { Engine } from '../../host/evm/engine/engine.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { RecordedState } from '../../host/evm/state/recorded-state.ts'
import { decodeBundle } from '../../host/evm/trace/bundle/bundle.ts'
import { startEthereumjs } from '../ethereumjs.ts'
import type { ContractCase, Peer } from '../evm-peer.ts'
import { median } from '../statistics.ts'

// Runs in Node and in a tab.

/** A case of the engine benchmark, with its call as a bundle. */
export interface SpeedCase extends ContractCase {
  readonly bundle: string
}

/** Milliseconds per call. */
export interface SpeedRow {
  readonly name: string
  readonly lockstep: number
  /** Undefined if it was not requested. */
  readonly ethereumjs: number | undefined
}

/** Longer than a sample needs: a browser's clock has steps of up to a millisecond. */
const SAMPLE_MS = 60
const SAMPLES = 5

/**
 * Returns the median over samples, each of as many calls as fit. A call longer than a sample is one sample, and a
 * much longer one the only sample.
 */
async function timeCalls(row: ContractCase, peer: Peer): Promise<number> {
  const warm = performance.now()
  await check(row, peer)
  const first = performance.now() - warm
  if (first > 20 * SAMPLE_MS) return first
  const samples: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const start = performance.now()
    let elapsed = 0
    let calls = 0
    while (elapsed < SAMPLE_MS) {
      await check(row, peer)
      calls++
      elapsed = performance.now() - start
    }
    samples.push(elapsed / calls)
  }
  return median(samples)
}

async function check(row: ContractCase, peer: Peer): Promise<void> {
  const output = await peer.call(row)
  if (output !== row.out) throw new Error(`${row.name}: ${peer.name} gives ${output}`)
}

/** Measures every case on the engine, and on `@ethereumjs/evm` if requested. */
export async function measureSpeed(
  cases: readonly SpeedCase[],
  engine: Engine,
  withEthereumjs: boolean,
): Promise<readonly SpeedRow[]> {
  const rows: SpeedRow[] = []
  for (const row of cases) {
    const bundle = decodeBundle(JSON.parse(row.bundle), (bytes) => engine.keccak256(bytes))
    const transaction = bundle.plan.transactions[0]?.transaction
    if (transaction?.to === undefined) throw new Error(`${row.name}: the bundle has no call`)
    const state = new RecordedState(bundle.reads)
    engine.forgetCode()
    engine.beginBlock(bundle.plan.env)
    const ourselves: Peer = {
      name: 'lockstep',
      load: async () => {},
      call: async () => {
        const outcome = answerFrom(engine.transact(transaction, { discard: true }), state)
        if (outcome.kind !== 'executed') throw new Error(`${row.name}: ${outcome.code}`)
        return formatData(outcome.output)
      },
      stop: async () => {},
    }
    const lockstep = await timeCalls(row, ourselves)
    let ethereumjs: number | undefined
    if (withEthereumjs) {
      const peer = await startEthereumjs(transaction.from, transaction.to)
      await peer.load(row)
      ethereumjs = await timeCalls(row, peer)
    }
    rows.push({ name: row.name, lockstep, ethereumjs })
  }
  return rows
}
