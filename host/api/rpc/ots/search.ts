import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import { decodeAccount, isContract } from '../../../evm/state/account.ts'
import { type AddressRowPosition, ALL_ROLES } from '../../../storage/store/address/address-rows.ts'
import { arrayTexts, jsonPieces, objectTexts } from '../answer/json-pieces.ts'
import { LATEST } from '../argument/block-argument.ts'
import type { RpcContext } from '../call/context.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { receiptRecord } from '../format/receipt-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { completeIndex } from '../resolve/address-search.ts'
import { stateAt } from '../resolve/block-lookup.ts'
import { signedBy } from '../resolve/block-reader.ts'

/** Maximum page size; Otterscan uses 25. */
const MAX_PAGE = 1000

/** A page of an address's history. */
interface Page {
  /** Latest first. */
  readonly places: readonly AddressRowPosition[]
  /** True if the search reached the end of the history. */
  readonly isEnd: boolean
}

function checkSize(size: number): void {
  if (size <= MAX_PAGE) return
  throw new LockstepError('LIMIT_EXCEEDED', `max allowed page size: ${MAX_PAGE}, got ${size}`, {
    data: { limit: MAX_PAGE },
  })
}

/** Returns transactions from one end of a range: the requested number, and the rest of the last one's block. */
async function pageOf(
  call: MethodCall,
  address: Uint8Array,
  range: { readonly from: number; readonly to: number; readonly reverse: boolean },
  size: number,
): Promise<Page> {
  checkSize(size)
  const index = await completeIndex(call.context)
  const places: AddressRowPosition[] = []
  let isEnd = true
  for (const { height, index: at } of index.places(address, ALL_ROLES, range)) {
    if (places.length >= size && places.at(-1)?.height !== height) {
      isEnd = false
      break
    }
    places.push({ height, index: at })
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return { places: range.reverse ? places : places.reverse(), isEnd }
}

function foundAt({ chain }: RpcContext, { height, index }: AddressRowPosition) {
  const header = chain.header(height)
  const raw = chain.transaction(height, index)
  const placed = chain.receipt(height, index)
  if (header === undefined || raw === undefined || placed === undefined) {
    throw new LockstepError(
      'NOT_FOUND',
      `block #${height} was removed from the chain during the search`,
    )
  }
  return { header, raw, ...placed, index }
}

function transactionOf(context: RpcContext, place: AddressRowPosition): object {
  const { header, raw, receipt, index } = foundAt(context, place)
  return transactionRecord(signedBy(context, raw, receipt), { header, index })
}

/** Includes the time of the block, which a page shows. */
function receiptOf(context: RpcContext, place: AddressRowPosition): object {
  const { header, receipt, index, firstLogIndex } = foundAt(context, place)
  const timestamp = formatQuantity(header.timestamp)
  return { ...receiptRecord(receipt, { header, index, firstLog: firstLogIndex }), timestamp }
}

function* mapped<From, To>(items: Iterable<From>, map: (item: From) => To): Generator<To> {
  for (const item of items) yield map(item)
}

function answer(
  call: MethodCall,
  { places }: Page,
  ends: { readonly firstPage: boolean; readonly lastPage: boolean },
): unknown {
  const { context } = call
  return jsonPieces(
    call,
    objectTexts([
      ['txs', arrayTexts(mapped(places, (place) => transactionOf(context, place)))],
      ['receipts', arrayTexts(mapped(places, (place) => receiptOf(context, place)))],
      ['firstPage', [String(ends.firstPage)]],
      ['lastPage', [String(ends.lastPage)]],
    ]),
  )
}

/** Returns transactions of an address below a block; block 0 means the head of the chain. */
export async function searchTransactionsBefore(
  call: MethodCall,
  address: Uint8Array,
  block: number,
  size: number,
): Promise<unknown> {
  const { latest } = call.context.chain
  const firstPage = block === 0 || block > latest
  const range = { from: 0, to: firstPage ? latest : block - 1, reverse: true }
  const page = await pageOf(call, address, range, size)
  return answer(call, page, { firstPage, lastPage: page.isEnd })
}

/** Returns transactions of an address above a block. */
export async function searchTransactionsAfter(
  call: MethodCall,
  address: Uint8Array,
  block: number,
  size: number,
): Promise<unknown> {
  const range = { from: block + 1, to: call.context.chain.latest, reverse: false }
  const page = await pageOf(call, address, range, size)
  return answer(call, page, { firstPage: page.isEnd, lastPage: block === 0 })
}

/** Returns the hash of the transaction with a sender and nonce, or null. */
export async function getHashBySenderAndNonce(
  { context }: MethodCall,
  sender: Uint8Array,
  nonce: number,
): Promise<string | null> {
  const index = await completeIndex(context)
  const place = index.byNonce(sender, BigInt(nonce))
  return place === undefined ? null : hashAt(context, place)
}

/** Returns {hash, creator} of an existing contract; null for other addresses and for contracts of genesis. */
export async function getContractCreator(
  { context }: MethodCall,
  address: Uint8Array,
): Promise<unknown> {
  const index = await completeIndex(context)
  const creation = index.creation(address)
  const record = stateAt(context, LATEST).account(address)
  const stands = record !== undefined && isContract(decodeAccount(record))
  if (creation === undefined || !stands) return null
  return { hash: hashAt(context, creation), creator: formatData(creation.creator) }
}

function hashAt({ chain }: RpcContext, { height, index }: AddressRowPosition): string | null {
  const placed = chain.receipt(height, index)
  return placed === undefined ? null : formatData(placed.receipt.transactionHash)
}
