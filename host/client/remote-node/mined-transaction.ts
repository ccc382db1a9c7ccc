import { equalBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, formatQuantity, type Hex } from '../../base/hex.ts'
import { encodeRlpHeader } from '../../evm/chain-types/ethereum-header.ts'
import type { Revision } from '../../evm/chain-types/revision.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../evm/chain-types/transaction.ts'
import { decodeSigned, encodeTransaction } from '../../evm/chain-types/transaction-codec.ts'
import { decodeForRevision } from '../../evm/execute/ethereum/transaction-rules.ts'
import { given } from './answer-member.ts'
import {
  type DescribedBlock,
  type DescribedReceipt,
  type DescribedTransaction,
  describedBlock,
  describedReceipt,
  describedTransaction,
  transactionType,
} from './block-answer.ts'
import { refuseForeignChain, refuseForeignType } from './foreign-chains.ts'
import type { NodeClient } from './node-client.ts'
import type { NodeKind } from './node-kind.ts'
import { nodeCallError } from './rpc-answer.ts'

/** Everything asked of a node about a transaction before its state. */
export interface MinedTransaction {
  readonly chainId: bigint
  readonly block: DescribedBlock
  /** Its index in the block. */
  readonly index: number
  readonly receipt: DescribedReceipt
}

/** What decoding needs: the node, and an engine's hash and recovery. */
export interface DecodeContext {
  readonly client: NodeClient
  readonly kind: NodeKind
  readonly recovery: SignatureRecovery
  /** Receives notes about anomalies that are not errors. */
  readonly note: (text: string) => void
}

/**
 * Fetches a transaction, its receipt and its block, and checks that they belong together.
 * @throws NOT_FOUND, UNSUPPORTED if the chain is not Ethereum, PEER_INVALID, and errors of asking the node
 */
export async function minedTransaction(
  { client, recovery }: DecodeContext,
  hash: Hex,
): Promise<MinedTransaction> {
  const chainId = await client.read('eth_chainId', [], (id) => id.quantity(256))
  refuseForeignChain(chainId)
  const method = 'eth_getTransactionByHash'
  const place = await client.read(method, [hash], (one) =>
    given(one, (transaction) => ({
      hash: formatData(transaction.at('hash').data(32)),
      blockHash: given(transaction.at('blockHash'), (block) => formatData(block.data(32))),
      index: given(transaction.at('transactionIndex'), (index) => index.integer()),
    })),
  )
  if (place === undefined) {
    throw new LockstepError('NOT_FOUND', `${client.name} has no transaction ${hash}`, {
      hint: `check the hash and the chain of the node: this one is chain ${chainId}`,
    })
  }
  const { blockHash, index } = place
  if (blockHash === undefined || index === undefined) {
    throw new LockstepError('NOT_FOUND', `transaction ${hash} is in no block yet`, {
      hint: 'wait until it is mined',
    })
  }
  const receipt = await client.read('eth_getTransactionReceipt', [hash], describedReceipt)
  const block = await client.read('eth_getBlockByHash', [blockHash, true], describedBlock)
  const described = block.transactions[index]
  const isHere =
    place.hash === hash &&
    receipt.index === index &&
    formatData(receipt.receipt.transactionHash) === hash &&
    described !== undefined &&
    formatData(described.at('hash').data(32)) === hash
  if (!isHere) throw client.invalid(method, `${hash} is not at the index that the node reports`)
  for (const [at, one] of block.transactions.entries()) {
    refuseForeignType(transactionType(one), at, chainId)
  }
  checkHeader(client, block, formatData(block.hash) === blockHash, recovery)
  return { chainId, block, index, receipt }
}

/** Checks a header against its hash. A mismatch means unknown fields, of a later fork or another chain. */
function checkHeader(
  client: NodeClient,
  { header, hash }: DescribedBlock,
  isAsked: boolean,
  recovery: SignatureRecovery,
): void {
  if (isAsked && equalBytes(recovery.keccak256(encodeRlpHeader(header)), hash)) return
  throw new LockstepError(
    'UNSUPPORTED',
    `${client.name}: the fields of block ${header.number} do not give its hash ${formatData(hash)}: it has others than Ethereum's blocks have up to Osaka`,
    { hint: 'the chain is not Ethereum, or has a fork that this version does not know' },
  )
}

/**
 * Returns the transactions of a block from index `from` up to `to` (excluded), each checked against its hash and the
 * sender of its signature.
 * @throws PEER_INVALID
 */
export async function signedTransactions(
  context: DecodeContext,
  { chainId, block }: Pick<MinedTransaction, 'chainId' | 'block'>,
  revision: Revision,
  from: number,
  to: number,
): Promise<Transaction[]> {
  const { client, recovery } = context
  const signed: Transaction[] = []
  for (const transaction of block.transactions.slice(from, to)) {
    const described = client.decode('eth_getBlockByHash', transaction.value, describedTransaction)
    const raw = await rawTransaction(context, described)
    let decoded: Transaction
    try {
      decoded = decodeForRevision(raw, { chainId }, revision, recovery)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'TRANSACTION_REJECTED') throw thrown
      if (!isDevelopment(context)) {
        throw client.invalid(
          'eth_getBlockByHash',
          `transaction ${formatData(described.hash)} is invalid under ${revision}: ${thrown.message}`,
        )
      }
      decoded = { ...decodeSigned(raw, (bytes) => recovery.keccak256(bytes)), from: described.from }
    }
    if (!equalBytes(decoded.from, described.from)) {
      const text = `transaction ${formatData(described.hash)} is signed by ${formatData(decoded.from)}, but the node says that it is from ${formatData(described.from)}`
      if (!isDevelopment(context)) throw client.invalid('eth_getBlockByHash', text)
      context.note(`${text}: it was impersonated`)
      decoded = { ...decoded, from: described.from }
    }
    signed.push(decoded)
  }
  return signed
}

/** Development nodes send transactions of impersonated accounts, without their signatures. */
function isDevelopment({ kind }: DecodeContext): boolean {
  return kind === 'anvil' || kind === 'hardhat'
}

/**
 * Encodes a transaction from its fields, which saves a request each. Fetches the raw one if that does not match the
 * hash.
 */
async function rawTransaction(
  context: DecodeContext,
  { hash, unsigned, signature }: DescribedTransaction,
): Promise<Uint8Array> {
  const { client, recovery } = context
  const isIt = (raw: Uint8Array) => equalBytes(recovery.keccak256(raw), hash)
  const encoded = encodeTransaction(unsigned, signature)
  if (isIt(encoded)) return encoded
  const text = formatData(hash)
  for (const method of ['eth_getRawTransactionByHash', 'debug_getRawTransaction']) {
    const answer = await client.askOptional(method, [text])
    if (typeof answer !== 'string') continue
    const raw = client.decode(method, answer, (value) => value.data())
    if (isIt(raw)) return raw
  }
  if (isDevelopment(context)) {
    context.note(`transaction ${text} is not signed, and has another hash in the bundle`)
    return encoded
  }
  throw client.invalid(
    'eth_getBlockByHash',
    `the fields of transaction ${text} do not give its hash`,
  )
}

/**
 * Returns the receipts of the first transactions of a block.
 * @throws PEER_INVALID, and errors of asking the node
 */
export async function receiptsOf(
  { client }: Pick<DecodeContext, 'client'>,
  { block }: Pick<MinedTransaction, 'block'>,
  count: number,
): Promise<readonly DescribedReceipt[]> {
  const method = 'eth_getBlockReceipts'
  const all = await client.askOptional(method, [formatQuantity(block.header.number)])
  const hashes = block.transactions.slice(0, count).map((one) => one.at('hash').data(32))
  const receipts: DescribedReceipt[] = []
  if (Array.isArray(all)) {
    receipts.push(
      ...client.decode(method, all, (list) => list.items().slice(0, count).map(describedReceipt)),
    )
  } else {
    const single = 'eth_getTransactionReceipt'
    const calls = hashes.map((hash) => ({ method: single, params: [formatData(hash)] }))
    for (const answer of await client.askAll(calls)) {
      if ('error' in answer) throw nodeCallError(client.name, single, answer.error)
      receipts.push(client.decode(single, answer.result, describedReceipt))
    }
  }
  for (const [i, hash] of hashes.entries()) {
    const isHere = receipts[i]?.index === i && equalBytes(receipts[i].receipt.transactionHash, hash)
    if (!isHere) throw client.invalid(method, `no receipt of transaction ${formatData(hash)}`)
  }
  return receipts
}
