import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeReceipt } from '../../../host/chain-types/receipt.ts'
import type { Transaction } from '../../../host/chain-types/transaction.ts'
import type { UnsignedTransaction } from '../../../host/chain-types/transaction-codec.ts'
import type { Engine } from '../../../host/engine/engine.ts'
import type { BlockEnv } from '../../../host/engine/message.ts'
import { makeReceipt } from '../../../host/execute/receipt.ts'
import type { ReplayPlan } from '../../../host/execute/replay/replay-plan.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import type { AccessScope, Bundle } from '../../../host/trace/bundle/bundle.ts'
import { recordPlan } from '../../../host/trace/bundle/record-plan.ts'
import { transaction as signedByNobody } from '../chain/fake-chain.ts'
import type { TestState } from '../chain/test-state.ts'
import { BLOCK, CONTRACT, executed, SENDER } from '../engine/engine-fixture.ts'

const keccak256 = (bytes: Uint8Array) => keccak_256(bytes)

/** A transaction by SENDER to CONTRACT, with 10 million gas. */
export function call(fields: Partial<UnsignedTransaction> = {}): Transaction {
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 0n }
  return {
    ...signedByNobody({ chainId: 1n, to: CONTRACT, gas: 10_000_000n, ...fees, ...fields }),
    from: SENDER,
  }
}

/** A block of these transactions over a state, recorded whole or of its last transaction alone. */
export async function recordedBundle(
  engine: Engine,
  view: TestState,
  transactions: readonly Transaction[],
  { scope = 'block', env = {} }: { scope?: AccessScope; env?: Partial<BlockEnv> } = {},
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
  const { signal } = new AbortController()
  const access = await recordPlan({ engine, plan, view, signal, onReplayed: () => {} }, scope)
  const outcomes = ran
    .slice(-access.plan.transactions.length)
    .map(({ receipt }) => ({ receipt, digests: undefined }))
  return { engineHash: '00'.repeat(32), scope, ...access, outcomes }
}
