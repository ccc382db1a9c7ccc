import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import {
  type AccountKey,
  shownAddress,
  signTransaction,
} from '../../../evm/chain-types/account-key.ts'
import { impersonatedSignature } from '../../../evm/chain-types/impersonation.ts'
import {
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../evm/chain-types/transaction-codec.ts'
import { LATEST } from '../argument/block-argument.ts'
import { ADDRESS, asObject, INDEX, member, type ParamType } from '../argument/parameter.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { filledTransaction, PARTIAL_TRANSACTION, type PartialTransaction } from '../eth/fill.ts'
import { receiptOfSent, submitted } from '../eth/transaction.ts'
import { driven } from './driven.ts'

/** A transaction as it is asked for. */
export interface AskedTransaction extends PartialTransaction {
  /** Undefined: the first account. */
  readonly from: Uint8Array | undefined
}

export const ASKED_TRANSACTION: ParamType<AskedTransaction> = {
  label: 'transaction',
  decode: (value) => {
    const object = asObject(value, 'a call object')
    const type = member(object, 'type', INDEX)
    return {
      ...PARTIAL_TRANSACTION.decode(value),
      from: member(object, 'from', ADDRESS),
      ...(type !== undefined && { type }),
    }
  },
}

/** The error of an account that the node neither holds nor lets act; geth's words first. */
export function unknownAccount(address: Uint8Array): LockstepError {
  return new LockstepError(
    'NOT_FOUND',
    `unknown account: the node has no key of ${shownAddress(address)}, and does not impersonate it`,
    { hint: 'take one of eth_accounts, or call hardhat_impersonateAccount first' },
  )
}

/** Where a transaction stands on its way into the pool. */
interface Adding {
  readonly adding: Promise<Uint8Array>
}

/** @throws NOT_FOUND where none is named and the node holds none */
function senderOf(call: RpcCall, { from }: AskedTransaction): Uint8Array {
  const sender = from ?? driven(call).accounts.addresses[0]
  if (sender !== undefined) return sender
  throw new LockstepError('NOT_FOUND', 'unknown account: the node holds none, and none is named')
}

/** The transaction, whole but for its signature. */
async function prepare(
  call: RpcCall,
  asked: AskedTransaction,
  from: Uint8Array,
): Promise<UnsignedTransaction> {
  const { pool } = call.context
  // What waits is what the transaction will find.
  const stateOfGas = pool.counts.pending > 0 ? ({ kind: 'pending' } as const) : LATEST
  const partial = { ...asked, call: { ...asked.call, from } }
  const { from: _, ...filled } = await filledTransaction(call, partial, stateOfGas)
  // Others of this sender may have come meanwhile: from here on all is done in one turn.
  return { ...filled, nonce: asked.call.nonce ?? pool.nextNonce(from) }
}

/** Puts a transaction into the pool in the name of its sender, signed by nobody. */
function addImpersonated(call: RpcCall, unsigned: UnsignedTransaction, from: Uint8Array): Adding {
  const { type, chainId } = unsigned
  const signature = impersonatedSignature(from, type === 0 ? chainId : undefined)
  const raw = encodeTransaction(unsigned, signature)
  return { adding: call.context.pool.add(raw, { isImpersonated: true }) }
}

function addSigned(
  call: RpcCall,
  unsigned: UnsignedTransaction,
  from: Uint8Array,
  key: AccountKey,
): Adding {
  return { adding: call.context.pool.add(signTransaction(unsigned, key), { signer: from }) }
}

/** Transactions of one sender are filled one after another: a later one never gets the nonce of an earlier. */
async function send(
  call: RpcCall,
  asked: AskedTransaction,
  isUnsigned: boolean,
): Promise<Uint8Array> {
  const { accounts } = driven(call)
  const from = senderOf(call, asked)
  const key = isUnsigned ? undefined : accounts.keyOf(from)
  if (!isUnsigned && key === undefined && !accounts.mayAct(from)) throw unknownAccount(from)
  const { adding } = await accounts.inOrder(from, async () => {
    const unsigned = await prepare(call, asked, from)
    if (key === undefined) return addImpersonated(call, unsigned, from)
    return addSigned(call, unsigned, from, key)
  })
  return submitted(call.context, adding)
}

export async function sendTransaction(call: RpcCall, asked: AskedTransaction): Promise<string> {
  return formatData(await send(call, asked, false))
}

export function sendTransactionSync(
  call: RpcCall,
  asked: AskedTransaction,
  waitMs: number,
): Promise<unknown> {
  return receiptOfSent(call, waitMs, () => send(call, asked, false))
}

/** Sends in the name of any account, whether it is impersonated or not. */
export async function sendUnsignedTransaction(
  call: RpcCall,
  asked: AskedTransaction,
): Promise<string> {
  return formatData(await send(call, asked, true))
}

/** The signed transaction, which is not sent. */
export async function signedTransaction(call: RpcCall, asked: AskedTransaction): Promise<string> {
  const from = senderOf(call, asked)
  const key = driven(call).accounts.keyOf(from)
  if (key === undefined) throw unknownAccount(from)
  return formatData(signTransaction(await prepare(call, asked, from), key))
}
