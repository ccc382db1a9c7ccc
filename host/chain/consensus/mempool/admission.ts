import { LockstepError } from '../../../base/error.ts'
import {
  MAX_NONCE,
  MAX_TRANSACTION_GAS,
  maxInitcode,
} from '../../../evm/chain-types/generated/limit.ts'
import { atLeast, type Revision } from '../../../evm/chain-types/revision.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { SignedTransaction } from '../../../evm/chain-types/transaction-codec.ts'
import {
  floorDataGas,
  intrinsicGas,
  transactionGasCap,
} from '../../../evm/execute/intrinsic-gas.ts'
import type { PoolRules } from './pool-options.ts'

/** First revision with each transaction type; undefined for the type that this chain does not support. */
const TYPE_SINCE: readonly (Revision | undefined)[] = [
  'Frontier',
  'Berlin',
  'London',
  undefined,
  'Prague',
]

/** Returns a rejection with geth's message, which wallets match on. */
export function poolRejection(message: string, hint?: string): LockstepError {
  return new LockstepError('TRANSACTION_REJECTED', message, hint === undefined ? {} : { hint })
}

/**
 * Checks the rules that depend on the encoding only, before it is decoded.
 * @throws TRANSACTION_REJECTED
 */
export function checkEncoding(raw: Uint8Array, rules: PoolRules): void {
  if (raw[0] === 3) throw poolRejection('blobs not supported on this chain', 'send it as type 2')
  if (raw.length > rules.maxTransactionBytes) {
    throw poolRejection(
      `oversized data: transaction size ${raw.length}, limit ${rules.maxTransactionBytes}`,
    )
  }
}

/**
 * Checks the rules that depend on neither the state nor the sender, in geth's order around signature recovery
 * (core/txpool/validation.go): cheap ones first.
 * @throws TRANSACTION_REJECTED
 */
export function checkFields(transaction: SignedTransaction, rules: PoolRules): void {
  const { type, chainId, gas, data, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const since = TYPE_SINCE[type]
  if (since === undefined || !atLeast(rules.revision, since)) {
    throw poolRejection(
      `transaction type not supported: type ${type} rejected, pool not yet in ${since ?? 'Cancun'}`,
    )
  }
  if (
    transaction.to === undefined &&
    atLeast(rules.revision, 'Shanghai') &&
    data.length > maxInitcode(rules.revision)
  ) {
    throw poolRejection(
      `max initcode size exceeded: code size ${data.length} limit ${maxInitcode(rules.revision)}`,
    )
  }
  const cap = transactionGasCap(rules.revision)
  if (cap !== undefined && gas > cap) {
    throw poolRejection(`transaction gas limit too high (cap: ${cap}, tx: ${gas})`)
  }
  if (gas > rules.maxGas) throw poolRejection('exceeds block gas limit')
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw poolRejection('max priority fee per gas higher than max fee per gas')
  }
  if (chainId === undefined) {
    if (!rules.allowUnprotected) {
      throw poolRejection('only replay-protected (EIP-155) transactions allowed over RPC')
    }
  } else if (chainId !== rules.chainId) {
    throw poolRejection(
      `invalid sender: invalid chain id for signer: have ${chainId} want ${rules.chainId}`,
      `sign it for chain id ${rules.chainId}`,
    )
  }
  if (transaction.nonce === MAX_NONCE) throw poolRejection('nonce has max value')
  checkGas(transaction, rules)
  if (maxPriorityFeePerGas < rules.minTip) {
    throw poolRejection(
      `transaction underpriced: gas tip cap ${maxPriorityFeePerGas}, minimum needed ${rules.minTip}`,
    )
  }
  // The base fee never falls below its minimum, so such a transaction would wait until it expires.
  if (maxFeePerGas < rules.minBaseFee) {
    throw poolRejection(
      `transaction underpriced: gas fee cap ${maxFeePerGas}, minimum needed ${rules.minBaseFee}`,
    )
  }
  if (type === 4 && transaction.authorizations.length === 0) {
    throw poolRejection('set code tx must have at least one authorization tuple')
  }
}

function checkGas(transaction: SignedTransaction, rules: PoolRules): void {
  const intrinsic = intrinsicGas(transaction, rules.revision)
  if (transaction.gas < intrinsic) {
    throw poolRejection(
      `intrinsic gas too low: gas ${transaction.gas}, minimum needed ${intrinsic}`,
    )
  }
  if (!atLeast(rules.revision, 'Prague')) return
  const floor = floorDataGas(transaction, rules.revision)
  if (transaction.gas < floor) {
    throw poolRejection(
      `insufficient gas for floor data gas cost: gas ${transaction.gas}, minimum needed ${floor}`,
    )
  }
  // Only gas for state may exceed the limit (EIP-8037)
  const isTooMuch = intrinsic > MAX_TRANSACTION_GAS || floor > MAX_TRANSACTION_GAS
  if (!atLeast(rules.revision, 'Amsterdam') || !isTooMuch) return
  throw poolRejection(
    `insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor: ${floor}`,
  )
}

/** Transactions of a sender that the pool already holds, for the balance check. */
export interface Expenditure {
  readonly nonce: bigint
  readonly balance: bigint
  /** Total cost of its executable transactions; for a queued transaction, of all. */
  readonly spent: bigint
  /** Cost of the transaction that this one would replace. */
  readonly replaced: bigint | undefined
}

/**
 * Checks the rules that depend on the state: nonce and balance, including all pooled transactions of the sender.
 * @throws TRANSACTION_REJECTED
 */
export function checkSender(transaction: Transaction, cost: bigint, sender: Expenditure): void {
  const { nonce, balance, spent, replaced } = sender
  if (transaction.nonce < nonce) {
    throw poolRejection(`nonce too low: next nonce ${nonce}, tx nonce ${transaction.nonce}`)
  }
  const lacking = 'insufficient funds for gas * price + value'
  if (balance < cost) {
    throw poolRejection(
      `${lacking}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
    )
  }
  const change = replaced === undefined ? cost : cost - replaced
  const needed = spent + change
  if (balance < needed) {
    const kind = replaced === undefined ? 'tx cost' : 'tx bumped'
    throw poolRejection(
      `${lacking}: balance ${balance}, queued cost ${spent}, ${kind} ${change}, ` +
        `overshot ${needed - balance}`,
    )
  }
}

/**
 * Checks that a replacement offers `bump` percent more in both caps, or if `bump` is `cap`, a higher fee cap.
 * @throws TRANSACTION_REJECTED
 */
export function checkReplacement(
  transaction: Transaction,
  replaced: Transaction,
  bump: number | 'cap',
): void {
  if (bump === 'cap') {
    if (transaction.maxFeePerGas > replaced.maxFeePerGas) return
    throw poolRejection('replacement transaction underpriced')
  }
  const enough = (offered: bigint, held: bigint) =>
    offered > held && offered * 100n >= held * BigInt(100 + bump)
  if (
    !enough(transaction.maxFeePerGas, replaced.maxFeePerGas) ||
    !enough(transaction.maxPriorityFeePerGas, replaced.maxPriorityFeePerGas)
  ) {
    throw poolRejection('replacement transaction underpriced')
  }
}
