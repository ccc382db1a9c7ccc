import { keccak_256 } from '@noble/hashes/sha3.js'
import { neverAborted } from '../../../host/base/signal.ts'
import { encodeReceipt } from '../../../host/evm/chain-types/receipt.ts'
import type { Transaction } from '../../../host/evm/chain-types/transaction.ts'
import type { UnsignedTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import type { Engine } from '../../../host/evm/engine/engine.ts'
import type { BlockEnv } from '../../../host/evm/engine/message.ts'
import { makeReceipt } from '../../../host/evm/execute/receipt.ts'
import type { ReplayPlan } from '../../../host/evm/execute/replay/replay-plan.ts'
import { answerFrom } from '../../../host/evm/state/answer.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import {
  type AccessScope,
  type Bundle,
  encodeBundle,
} from '../../../host/evm/trace/bundle/bundle.ts'
import { recordPlan } from '../../../host/evm/trace/bundle/record-plan.ts'
import { keccak256, SENDER, transaction as unsigned } from '../chain/fake-chain.ts'
import { TestState } from '../chain/test-state.ts'
import { assemble } from '../engine/bytecode.ts'
import {
  address,
  BLOCK,
  SENDER as CALLER,
  CONTRACT,
  engineInBlock,
  executed,
} from '../engine/engine-fixture.ts'

/** The engine hash in the bundles. */
export const BUNDLE_ENGINE: string = '00'.repeat(32)

/** Returns a transaction by the engine fixture's SENDER to its CONTRACT, with 10 million gas. */
export function call(fields: Partial<UnsignedTransaction> = {}): Transaction {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 0n }
  const sent = unsigned({ chainId: 1n, to: CONTRACT, gas: 10_000_000n, ...fees, ...fields })
  return { ...sent, from: CALLER }
}

/** Differences of a bundle from that of a whole block in the engine fixture's environment. */
export interface Recording {
  /** `transaction` records only the last transaction. */
  readonly scope?: AccessScope
  readonly env?: Partial<BlockEnv>
  readonly engineHash?: string
}

/** Executes transactions on a state and returns their bundle. */
export async function recordedBundle(
  engine: Engine,
  view: StateView,
  transactions: readonly Transaction[],
  { scope = 'block', env = {}, engineHash = BUNDLE_ENGINE }: Recording = {},
): Promise<Bundle> {
  const block: BlockEnv = { ...BLOCK, ...env }
  engine.beginBlock(block)
  let cumulative = 0n
  const ran = transactions.map((transaction) => {
    const outcome = executed(answerFrom(engine.transact(transaction), view))
    cumulative += outcome.gasUsed
    const receipt = encodeReceipt(makeReceipt(transaction, outcome, cumulative, block, keccak256))
    return { transaction, gasUsed: outcome.gasUsed, receipt }
  })
  const blockHash = new Uint8Array(32).fill(0xb1)
  const plan: ReplayPlan = {
    ...{ height: block.number, blockHash, env: block, systemCalls: [] },
    transactions: ran,
  }
  const run = { engine, plan, view, signal: neverAborted(), onReplayed: () => {} }
  const access = await recordPlan(run, scope)
  const outcomes = ran
    .slice(-access.plan.transactions.length)
    .map(({ receipt }) => ({ receipt, digests: undefined }))
  return { engineHash, scope, ...access, outcomes }
}

/** Returns the bundle as the JSON text of debug_traceStateAccess. */
export function bundleText(bundle: Bundle): string {
  return JSON.stringify(encodeBundle(bundle, { tendermint: [], receipt: [] }))
}

/**
 * Returns the parsed JSON of a bundle, of a block if there are several transactions. The fake chain's SENDER has 1000
 * ether and nonce 0. `fill` sets the other accounts.
 */
export async function bundleDocument(
  sent: readonly Transaction[],
  fill: (view: TestState) => void,
): Promise<object> {
  const view = new TestState(keccak_256, () => new Uint8Array(32))
  view.setAccount(SENDER, 0n, 10n ** 21n, new Uint8Array())
  fill(view)
  const scope = sent.length === 1 ? 'transaction' : 'block'
  const env = { baseFee: 1_000_000_000n }
  return JSON.parse(
    bundleText(await recordedBundle(await engineInBlock(), view, sent, { scope, env })),
  )
}

const LOOP = address(0xc0)

/** Returns a bundle of a transaction that loops until its gas runs out. */
export function loopBundle(gas = 300_000n): Promise<object> {
  const sent = unsigned({ to: LOOP, nonce: 0n, gas, maxFeePerGas: 2_000_000_000n })
  return bundleDocument([sent], (view) =>
    view.setAccount(LOOP, 1n, 0n, assemble('JUMPDEST', 0, 'JUMP')),
  )
}
