import { isBroadcastRefused, isInPool } from '../../client/transaction-sender/broadcast-answer.ts'
import type { GroupCommit } from '../../storage/store/sqlite/group-commit.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { FilledTransaction, SignerRequest } from '../signer/signer-link.ts'
import { broadcastRejection } from './broadcast-rejection.ts'
import type { EvmNode } from './evm-node.ts'
import { raisedFees } from './filling.ts'
import type { ReplacementFees } from './pipeline.ts'
import type { TransactionProgress } from './transaction-progress.ts'
import type { TransactionSigner } from './transaction-signer.ts'
import {
  type StoredTransaction,
  storedFilling,
  type TransactionStore,
} from './transaction-store.ts'
import type { WalletSender } from './wallet-senders.ts'

export interface ReplacementParts {
  readonly store: TransactionStore
  readonly commits: GroupCommit
  readonly progress: TransactionProgress
  readonly signer: TransactionSigner
  readonly now: () => number
}

/**
 * Signs a waiting transaction again with the same nonce and higher fees, and broadcasts it. If the node rejects it,
 * the previous one stays.
 * @throws WalletError invalid_data if the transaction is no longer waiting
 */
export async function replaceTransaction(
  { store, commits, progress, signer, now }: ReplacementParts,
  asked: SignerRequest,
  id: string,
  wanted: ReplacementFees,
  node: EvmNode,
  sender: WalletSender,
): Promise<void> {
  const before = waitingFilling(store.require(id))
  const filled = { ...withoutFees(before), ...raisedFees(before, wanted, await node.fees()) }
  const signed = await signer.signTransaction(asked, filled)
  const attempt = { ...signed, nonce: Number(filled.nonce), transaction_id: id }
  const make = async () => {
    await commits.run(() => {
      const row = store.require(id)
      // A block may have included it while it was signed.
      waitingFilling(row)
      store.addAttempt(row, attempt, filled, now())
    })
    return attempt
  }
  const remove = () => commits.run(() => store.removeAttempt(id, attempt.hash, before))
  const answer = await sender.replace(id, make, remove)
  if (isInPool(answer)) {
    await commits.run(() => progress.queueEvent(store.require(id), 'broadcasted'))
  }
  if (isBroadcastRefused(answer)) throw broadcastRejection(answer, { transaction_id: id })
}

function waitingFilling({ is_open, status, filled }: StoredTransaction): FilledTransaction {
  const isWaiting = is_open === 1 && (status === 'pending' || status === 'broadcasted')
  if (isWaiting && filled !== null) return storedFilling(filled)
  throw new WalletError(
    'invalid_data',
    `the transaction is ${status}: only a waiting one can be replaced`,
  )
}

function withoutFees({ chainId, nonce, gas }: FilledTransaction): FilledTransaction {
  return { chainId, nonce, gas }
}
