import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes } from '../../../../../host/base/bytes.ts'
import type { TxResult } from '../../../../../host/chain/consensus/application.ts'
import { encodeBlockResults } from '../../../../../host/chain/consensus/comet/block-results.ts'
import { uniteBlooms } from '../../../../../host/evm/chain-types/bloom.ts'
import { encodeReceipt, type Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import type { Exclusion } from '../../../../../host/evm/engine/batch.ts'
import type { Engine } from '../../../../../host/evm/engine/engine.ts'
import { BEGIN_BLOCK } from '../../../../../host/evm/execute/lockstep/begin-block.ts'
import type {
  ExecutedTransactions,
  ExecutionContext,
} from '../../../../../host/evm/execute/lockstep/block.ts'
import { makeReceipt } from '../../../../../host/evm/execute/receipt.ts'
import { transactNew } from '../../../../../host/evm/execute/transact.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { encodeReceipts } from '../../../../../host/storage/store/codec/receipt-codec.ts'

/** Executes a block's transactions as single messages, and encodes their results with the host's codecs. */
export function executeOneByOne(
  { view, env }: Pick<ExecutionContext, 'view' | 'env'>,
  engine: Engine,
  transactions: readonly Transaction[],
): ExecutedTransactions {
  const included: Transaction[] = []
  const receipts: Receipt[] = []
  const results: TxResult[] = []
  let gasUsed = 0n
  engine.beginBlock(env)
  for (const { to, data } of BEGIN_BLOCK) answerFrom(engine.systemCall(to, data), view)
  const exclusions = transactions.map((transaction): Exclusion | undefined => {
    if (transaction.gas > env.gasLimit - gasUsed) return 'blockFull'
    const outcome = answerFrom(transactNew(engine, transaction), view)
    if (outcome.kind === 'rejected') return outcome.code
    gasUsed += outcome.gasUsed
    const receipt = makeReceipt(transaction, outcome, gasUsed, env, keccak_256)
    included.push(transaction)
    receipts.push(receipt)
    results.push({
      code: 1 - receipt.status,
      data: keccak_256(encodeReceipt(receipt)),
      gasWanted: transaction.gas,
      gasUsed: receipt.gasUsed,
    })
    return undefined
  })
  return {
    included,
    hashes: concatBytes(included.map(({ hash }) => hash)),
    results: encodeBlockResults(results),
    receipts: concatBytes(receipts.map((receipt) => encodeReceipts([receipt]).slice(1))),
    gasUsed,
    logsBloom: uniteBlooms(receipts.map(({ logsBloom }) => logsBloom)),
    diff: engine.diff(),
    exclusions,
  }
}
