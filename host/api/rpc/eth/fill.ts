import { equalBytes } from '../../../base/bytes.ts'
import { formatData } from '../../../base/hex.ts'
import type { TransactionType } from '../../../evm/chain-types/transaction.ts'
import {
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../evm/chain-types/transaction-codec.ts'
import { CALL, type CallArgument } from '../argument/call-argument.ts'
import { asObject, DATA, member, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { refused, requestOf } from '../resolve/call-request.ts'
import { defaultGasBlock, estimatedLeastGas } from './call.ts'
import { latestHeader } from './fee.ts'
import { feeDefaults } from './fee-defaults.ts'

/** An incomplete transaction. */
export interface PartialTransaction {
  readonly call: CallArgument
  readonly hasAccessList: boolean
  /** The requested type; if omitted, the other fields determine it. */
  readonly type?: number
  /** True if `data` and `input` are both set and differ. */
  readonly isAmbiguous: boolean
}

export const PARTIAL_TRANSACTION: ParamType<PartialTransaction> = {
  label: 'transaction',
  decode: (value) => {
    const call = CALL.decode(value)
    const object = asObject(value, 'a call object')
    const data = member(object, 'data', DATA)
    const input = member(object, 'input', DATA)
    return {
      call,
      hasAccessList: call.accessList !== undefined,
      isAmbiguous: data !== undefined && input !== undefined && !equalBytes(data, input),
    }
  },
}

/** Maximum blobs of a transaction (EIP-7594). */
const MAX_BLOBS = 6

/** @throws CALL_CONTRADICTS with geth's messages for an impossible transaction */
function checkWhole({ call, isAmbiguous }: PartialTransaction): void {
  const { to, data, blobHashes, authorizations } = call
  if (isAmbiguous) {
    throw refused(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  if (blobHashes?.length === 0) throw refused('need at least 1 blob for a blob transaction')
  if (blobHashes !== undefined && blobHashes.length > MAX_BLOBS) {
    throw refused(`too many blobs in transaction (have=${blobHashes.length}, max=${MAX_BLOBS})`)
  }
  if (to !== undefined) return
  if (blobHashes !== undefined) throw refused('missing "to" in blob transaction')
  if (data.length === 0) throw refused('contract creation without any data provided')
  if (authorizations !== undefined) {
    throw refused('authorizationList provided for contract creation, but "to" field is missing')
  }
}

function typeOf({ call, hasAccessList, type }: PartialTransaction): TransactionType {
  if (type === 0 || type === 1) return hasAccessList ? 1 : type
  if (call.gasPrice !== undefined) return hasAccessList ? 1 : 0
  if (call.authorizations !== undefined) return 4
  return call.blobHashes === undefined ? 2 : 3
}

/**
 * Returns a transaction with defaults for omitted fields.
 * @throws CALL_CONTRADICTS with geth's messages; the errors of a gas estimate
 */
export async function filledTransaction(
  call: MethodCall,
  partial: PartialTransaction,
): Promise<UnsignedTransaction & { readonly from: Uint8Array }> {
  const { context } = call
  const { call: asked } = partial
  const fees = feeDefaults(call, asked, latestHeader(context))
  checkWhole(partial)
  const request = requestOf(context, asked, context.chain.latest)
  const gas =
    request.gas ??
    BigInt(await estimatedLeastGas(call, { ...asked, ...fees }, defaultGasBlock(call)))
  const type = typeOf(partial)
  const price = fees.maxFeePerGas
  return {
    ...request,
    ...fees,
    ...(type < 2 && { maxFeePerGas: price, maxPriorityFeePerGas: price }),
    type,
    gas,
    maxFeePerBlobGas: fees.maxFeePerBlobGas ?? 0n,
    chainId: context.rules.chainId,
    nonce: request.nonce ?? context.pool.nextNonce(request.from),
    accessList: request.accessList ?? [],
    authorizations: request.authorizations ?? [],
    blobHashes: request.blobHashes ?? [],
  }
}

/** Returns an unsigned transaction with defaults for omitted fields: {raw, tx}, as in geth. */
export async function fillTransaction(
  call: MethodCall,
  partial: PartialTransaction,
): Promise<unknown> {
  const { from, ...filled } = await filledTransaction(call, partial)
  const { type } = filled
  const unsigned = { ...filled, from, chainId: type === 0 ? undefined : filled.chainId }
  const raw = encodeTransaction(unsigned, { v: 0n, r: 0n, s: 0n })
  const signature = { v: 0n, yParity: 0, r: 0n, s: 0n } as const
  const hash = await call.keccak256(raw)
  const shown = transactionRecord({ ...unsigned, ...signature, hash, raw }, undefined)
  const { from: _, blockHash, blockNumber, blockTimestamp, transactionIndex, ...record } = shown
  // geth includes both kinds of fees, null for the kind that the type does not use.
  const ofLegacy =
    type < 2 ? { maxFeePerGas: null, maxPriorityFeePerGas: null } : { gasPrice: null }
  return { raw: formatData(raw), tx: { ...record, ...ofLegacy } }
}
