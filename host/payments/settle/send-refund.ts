import { LockstepError, messageOf } from '../../base/error.ts'
import { formatData, type Hex, parseData, parseFixedData } from '../../base/hex.ts'
import { timeoutSignal } from '../../base/timer.ts'
import { encodeAbiCall } from '../../evm/chain-types/abi.ts'
import { type AccountKey, signWithKey } from '../../evm/chain-types/account-key.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { decodeTransaction } from '../../evm/chain-types/transaction-codec.ts'
import { callResult } from '../chain/call-result.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'
import { isTransferLog } from '../chain/token-log.ts'
import type { ClaimRecord } from '../claim/claims.ts'
import type { Ledger } from '../claim/ledger.ts'
import { balanceOf, readResultWord } from './authorization.ts'

export interface RefundOptions {
  readonly ledger: Ledger
  readonly chain: PaymentChain
  readonly recovery: SignatureRecovery
  /** Account that pays; a refund that was begun needs none. */
  readonly key: AccountKey | undefined
  /** How long to wait for the block, ms. */
  readonly deadlineMs: number
  /** Begins again if another transaction has taken the nonce of the begun refund. */
  readonly replaces?: boolean
}

/** Gas limit of a transfer: tokens take some 60,000. */
const GAS = 150_000n
/** Priority fee, wei per gas. */
const TIP = 10n ** 9n
/** Maximum time between looks if no block arrives, ms. */
const LOOK_MS = 500

const TRANSFER = 'transfer(address,uint256)'

function refused(message: string, hint: string): LockstepError {
  return new LockstepError('REFUSED_ARGUMENT', message, { hint })
}

/** A refund that is in the ledger, with its transaction. */
interface BegunRefund {
  readonly raw: Hex
  readonly hash: Hex
  readonly from: Hex
  readonly nonce: bigint
}

function begunRefund(raw: Hex, recovery: SignatureRecovery): BegunRefund {
  const { from, nonce, hash } = decodeTransaction(parseData(raw), recovery)
  return { raw, from: formatData(from), nonce, hash: formatData(hash) }
}

/**
 * Pays a payment back to its payer, at most once. The signed transaction is in the ledger before it is sent, and only
 * the transaction in the ledger is ever sent: so two calls, or one after a crash, pay once.
 * @returns the payment after a block has the transfer
 * @throws REFUSED_ARGUMENT if nothing may be sent, TRANSACTION_FAILED if the transfer failed, SYNC_TIMEOUT if no block
 * has it in time
 */
export async function sendRefund(
  record: ClaimRecord,
  options: RefundOptions,
): Promise<ClaimRecord> {
  const { chain, ledger, recovery } = options
  const { key, refund } = record
  if (key.chainId !== chain.chainId) {
    throw refused(
      `the payment is on chain ${key.chainId}, the node on chain ${chain.chainId}`,
      'name a node of that chain with --node',
    )
  }
  if (refund !== undefined && refund.raw === undefined) {
    throw refused(
      `payment ${key.id} has a refund already: ${refund.txHash}`,
      'a payment has one refund: check the recorded one',
    )
  }
  const raw = refund?.raw ?? (await beginRefund(record, options))
  const begun = begunRefund(raw, recovery)
  const outcome = await follow(begun, options)
  if (outcome === 'displaced') {
    if (options.replaces !== true) {
      throw refused(
        `another transaction of ${begun.from} has nonce ${begun.nonce}, so ${begun.hash} pays nothing any more`,
        'look on the chain whether that one paid the refund; if not, run again with --replace',
      )
    }
    const again = await ledger.endRefund(key, begun.hash, 'failed')
    return sendRefund(again, { ...options, replaces: false })
  }
  return finish(record, begun, outcome, ledger)
}

/** Signs the refund and writes it to the ledger. */
async function beginRefund(
  { key: claim, asset, payer, amount, isPaid }: ClaimRecord,
  { chain, ledger, recovery, key }: RefundOptions,
): Promise<Hex> {
  if (!isPaid) {
    throw refused(
      `${claim.id} is an authorization that was not settled: there is nothing to refund`,
      'look at the payment with `lockstep payments show`',
    )
  }
  if (key === undefined) {
    throw refused('no key is named to refund with', 'name the file of an account key with --key')
  }
  const from = formatData(key.address)
  const held = readResultWord(await chain.call(asset, balanceOf(from))) ?? 0n
  if (held < amount) {
    throw refused(
      `${from} holds ${held} of ${asset}, the refund takes ${amount}`,
      'send it tokens, or use the key of another account',
    )
  }
  const data = encodeAbiCall(TRANSFER, [BigInt(payer), amount])
  const call = chain.call(asset, formatData(data), { from, gas: GAS })
  const answer = await callResult(call)
  const isTransferred = answer === '0x' || (answer !== undefined && readResultWord(answer) === 1n)
  if (!isTransferred) {
    throw refused(
      `the token ${asset} refuses the transfer to ${payer}`,
      'trace the call to see why',
    )
  }
  const maxFeePerGas = await chain.maxFeePerGas()
  const wei = await chain.balance(from)
  if (wei < GAS * maxFeePerGas) {
    throw refused(
      `${from} has ${wei} wei, the gas may cost ${GAS * maxFeePerGas}`,
      'send it native tokens',
    )
  }
  const transaction = {
    type: 2,
    chainId: chain.chainId,
    nonce: await chain.nonce(from, 'pending'),
    to: parseFixedData(asset, 20),
    value: 0n,
    data,
    gas: GAS,
    maxFeePerGas,
    maxPriorityFeePerGas: maxFeePerGas < TIP ? maxFeePerGas : TIP,
    accessList: [],
    authorizations: [],
    maxFeePerBlobGas: 0n,
    blobHashes: [],
  } as const
  const raw = signWithKey(transaction, key)
  await ledger.refund(claim, formatData(recovery.keccak256(raw)), formatData(raw))
  return formatData(raw)
}

/** Sends the transaction until a block has it. */
async function follow(
  { raw, hash, from, nonce }: BegunRefund,
  { chain, deadlineMs }: RefundOptions,
): Promise<PaymentReceipt | 'displaced'> {
  const end = timeoutSignal(deadlineMs)
  let reason = ''
  for (;;) {
    // The count first: a transaction that is included in between has its receipt
    const count = await chain.nonce(from, 'latest')
    const receipt = await chain.receipt(hash)
    if (receipt !== undefined) return receipt
    if (count > nonce) return 'displaced'
    if (!(await chain.has(hash))) reason = await send(chain, raw)
    if (end.aborted) {
      const why = reason === '' ? '' : ` (${reason})`
      throw new LockstepError('SYNC_TIMEOUT', `no block has the refund ${hash} yet${why}`, {
        hint: 'run the command again: it sends the same transaction',
      })
    }
    await chain.nextBlock(AbortSignal.any([end, timeoutSignal(LOOK_MS)]))
  }
}

/** Sends a transaction; returns the reason if the node refuses or does not answer. */
async function send(chain: PaymentChain, raw: Hex): Promise<string> {
  try {
    await chain.send(parseData(raw))
    return ''
  } catch (error) {
    if (error instanceof LockstepError) return messageOf(error)
    throw error
  }
}

async function finish(
  { key, asset, payer, amount }: ClaimRecord,
  { hash, from }: BegunRefund,
  { succeeded, logs }: PaymentReceipt,
  ledger: Ledger,
): Promise<ClaimRecord> {
  if (!succeeded) {
    await ledger.endRefund(key, hash, 'failed')
    throw new LockstepError('TRANSACTION_FAILED', `the refund ${hash} reverted: nothing was paid`, {
      hint: 'trace it to see why, then run the command again',
    })
  }
  const ended = await ledger.endRefund(key, hash, 'included')
  // Not taken back: a token with a fee has moved another amount
  const isExact = logs.some((log) => isTransferLog(log, { asset, from, to: payer, amount }))
  if (isExact) return ended
  throw new LockstepError('TRANSACTION_FAILED', `the refund ${hash} did not move ${amount}`, {
    hint: 'look at its logs: the ledger has it as the refund, and sends no other',
  })
}
