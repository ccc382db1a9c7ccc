import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeReceipt } from '../../../host/chain-types/receipt.ts'
import type { Transaction } from '../../../host/chain-types/transaction.ts'
import { makeReceipt } from '../../../host/execute/receipt.ts'
import type { ReplayPlan } from '../../../host/execute/replay/replay-plan.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import { encodeBundle, type RecordedOutcome } from '../../../host/trace/bundle/bundle.ts'
import { recordPlan } from '../../../host/trace/bundle/record-plan.ts'
import { SENDER, transaction } from '../chain/fake-chain.ts'
import { TestState } from '../chain/test-state.ts'
import { assemble } from '../engine/bytecode.ts'
import { address, BLOCK, engineInBlock, executed } from '../engine/engine-fixture.ts'

const keccak256 = (bytes: Uint8Array) => keccak_256(bytes)
const ENV = { ...BLOCK, baseFee: 1_000_000_000n }

/** The engine hash that the bundles name. */
export const BUNDLE_ENGINE: string = '00'.repeat(32)

/**
 * A bundle of transactions as JSON, as a node gives it: of a block where there are several. `SENDER` has 1000
 * ether, nonce 0, and the other accounts what `fill` says.
 */
export async function recordedBundle(
  sent: readonly Transaction[],
  fill: (view: TestState) => void,
): Promise<object> {
  const engine = await engineInBlock()
  const view = new TestState(keccak256, () => new Uint8Array(32))
  view.setAccount(SENDER, 0n, 10n ** 21n, new Uint8Array())
  fill(view)
  engine.beginBlock(ENV)
  let cumulative = 0n
  const planned: ReplayPlan['transactions'][number][] = []
  const outcomes: RecordedOutcome[] = []
  for (const transaction of sent) {
    const outcome = executed(answerFrom(engine.transact(transaction), view))
    cumulative += outcome.gasUsed
    planned.push({ transaction, gasUsed: outcome.gasUsed })
    const receipt = makeReceipt(transaction, outcome, cumulative, ENV, keccak256)
    outcomes.push({ receipt: encodeReceipt(receipt), digests: undefined })
  }
  const plan: ReplayPlan = {
    height: ENV.number,
    blockHash: new Uint8Array(32),
    env: ENV,
    systemCalls: [],
    transactions: planned,
  }
  const { signal } = new AbortController()
  const scope = sent.length === 1 ? 'transaction' : 'block'
  const access = await recordPlan({ engine, plan, view, signal, onReplayed: () => {} }, scope)
  const bundle = { engineHash: BUNDLE_ENGINE, scope, ...access, outcomes } as const
  return JSON.parse(JSON.stringify(encodeBundle(bundle, { tendermint: [], receipt: [] })))
}

const LOOP = address(0xc0)

/** A bundle of a transaction that loops until its gas is used up. */
export function loopBundle(gas = 300_000n): Promise<object> {
  const sent = transaction({ to: LOOP, nonce: 0n, gas, maxFeePerGas: 2_000_000_000n })
  return recordedBundle([sent], (view) =>
    view.setAccount(LOOP, 1n, 0n, assemble('JUMPDEST', 0, 'JUMP')),
  )
}
