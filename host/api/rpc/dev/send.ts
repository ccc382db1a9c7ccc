import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { checksumText, signWithKey } from '../../../evm/chain-types/account-key.ts'
import { impersonatedSignature } from '../../../evm/chain-types/impersonation.ts'
import {
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../evm/chain-types/transaction-codec.ts'
import { ADDRESS_TYPE, asObject, INDEX, member, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { latestHeader } from '../eth/fee.ts'
import { filledTransaction, PARTIAL_TRANSACTION, type PartialTransaction } from '../eth/fill.ts'
import { receiptOfSent, submitted } from '../eth/transaction.ts'
import { devChainOf } from './driven.ts'

/** A transaction as requested. */
export interface AskedTransaction extends PartialTransaction {
  /** Undefined for the first account. */
  readonly from: Uint8Array | undefined
}

export const ASKED_TRANSACTION: ParamType<AskedTransaction> = {
  label: 'transaction',
  decode: (value) => {
    const object = asObject(value, 'a call object')
    const type = member(object, 'type', INDEX)
    return {
      ...PARTIAL_TRANSACTION.decode(value),
      from: member(object, 'from', ADDRESS_TYPE),
      ...(type !== undefined && { type }),
    }
  },
}

/** Returns the error for an account that the node neither signs for nor impersonates; starts with geth's message. */
export function unknownAccount(address: Uint8Array): LockstepError {
  return new LockstepError(
    'NOT_FOUND',
    `unknown account: the node has no key of ${checksumText(address)}, and does not impersonate it`,
    { hint: 'use one of eth_accounts, or call hardhat_impersonateAccount first' },
  )
}

/** A transaction that is being added to the pool. */
interface Adding {
  readonly adding: Promise<Uint8Array>
}

/** @throws NOT_FOUND if no sender is given and the node has no accounts */
function senderOf(call: MethodCall, { from }: AskedTransaction): Uint8Array {
  const sender = from ?? devChainOf(call).accounts.addresses[0]
  if (sender !== undefined) return sender
  throw new LockstepError(
    'NOT_FOUND',
    'unknown account: the request has no sender, and the node has no accounts',
  )
}

/** Returns the unsigned transaction with all fields. */
async function prepare(
  call: MethodCall,
  asked: AskedTransaction,
  from: Uint8Array,
): Promise<UnsignedTransaction> {
  const { pool } = call.context
  const partial = { ...asked, call: { ...asked.call, from } }
  const { from: _, ...filled } = await filledTransaction(call, partial).catch((thrown) => {
    if (devChainOf(call).throwsOnRevert || !isFailedRun(thrown)) throw thrown
    const gas = devChainOf(call).next.gasLimit ?? latestHeader(call.context).gasLimit
    return filledTransaction(call, { ...partial, call: { ...partial.call, gas } })
  })
  // More transactions of this sender may have arrived; from here on there is no await.
  return { ...filled, nonce: asked.call.nonce ?? pool.nextNonce(from) }
}

function isFailedRun(thrown: unknown): boolean {
  if (!(thrown instanceof LockstepError)) return false
  return thrown.code === 'EXECUTION_REVERTED' || thrown.code === 'EXECUTION_FAILED'
}

/** Adds an unsigned transaction of an impersonated sender to the pool. */
function addImpersonated(
  call: MethodCall,
  unsigned: UnsignedTransaction,
  from: Uint8Array,
): Adding {
  const { type, chainId } = unsigned
  const signature = impersonatedSignature(from, type === 0 ? chainId : undefined)
  const raw = encodeTransaction(unsigned, signature)
  return { adding: call.context.pool.add(raw, { isImpersonated: true }) }
}

/** Fills in the transactions of one sender one after another, so that no two get the same nonce. */
async function send(
  call: MethodCall,
  asked: AskedTransaction,
  isUnsigned: boolean,
): Promise<Uint8Array> {
  const { accounts } = devChainOf(call)
  const from = senderOf(call, asked)
  const key = isUnsigned ? undefined : accounts.keyOf(from)
  if (!isUnsigned && key === undefined && !accounts.mayAct(from)) throw unknownAccount(from)
  const { adding } = await accounts.inOrder(from, async () => {
    const signDigest = key && (await accounts.signDigest())
    const unsigned = await prepare(call, asked, from)
    if (key === undefined) return addImpersonated(call, unsigned, from)
    const raw = signWithKey(unsigned, key, signDigest)
    return { adding: call.context.pool.add(raw, { signer: from }) }
  })
  return submitted(call.context, adding)
}

export async function sendTransaction(call: MethodCall, asked: AskedTransaction): Promise<string> {
  return formatData(await send(call, asked, false))
}

export function sendTransactionSync(
  call: MethodCall,
  asked: AskedTransaction,
  waitMs: number,
): Promise<unknown> {
  return receiptOfSent(call, waitMs, () => send(call, asked, false))
}

/** Sends from any account, impersonated or not. */
export async function sendUnsignedTransaction(
  call: MethodCall,
  asked: AskedTransaction,
): Promise<string> {
  return formatData(await send(call, asked, true))
}

/** Returns the signed transaction without sending it. */
export async function signedTransaction(
  call: MethodCall,
  asked: AskedTransaction,
): Promise<string> {
  const from = senderOf(call, asked)
  const key = devChainOf(call).accounts.keyOf(from)
  if (key === undefined) throw unknownAccount(from)
  const signDigest = await devChainOf(call).accounts.signDigest()
  return formatData(signWithKey(await prepare(call, asked, from), key, signDigest))
}
