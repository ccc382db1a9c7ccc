import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { LAST_SECOND } from '../../../base/time.ts'
import { given } from '../../../client/remote-node/answer-member.ts'
import {
  type DescribedBlock,
  describedBlock,
  describedReceipt,
  describedWithdrawals,
} from '../../../client/remote-node/block-answer.ts'
import { signedTransactions } from '../../../client/remote-node/mined-transaction.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import type { EthereumBody } from '../../../evm/chain-types/block.ts'
import {
  type BlockHasher,
  finishedHeader,
  listRoot,
} from '../../../evm/chain-types/ethereum-block.ts'
import {
  encodeRlpHeader,
  NO_OMMERS_HASH,
  truncatedHeader,
} from '../../../evm/chain-types/ethereum-header.ts'
import { BLOB_GAS } from '../../../evm/chain-types/generated/gas.ts'
import { encodeReceipt, type Receipt } from '../../../evm/chain-types/receipt.ts'
import type { Revision } from '../../../evm/chain-types/revision.ts'
import type { SignatureRecovery } from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { JsonMember } from '../../../evm/trace/bundle/bundle-json.ts'
import type { ExecutedBlock } from '../../../storage/store/codec/block-record.ts'
import type { ForkResponses } from './fork-responses.ts'

/** The fork block. */
export interface ForkPoint {
  readonly executed: ExecutedBlock
  /**
   * False if the block has content unknown to Ethereum or was reported incompletely. It is then stored without its
   * transactions, which are served by the other node.
   */
  readonly isWhole: boolean
  /** Oddities that are not errors, a sentence each. */
  readonly notes: readonly string[]
}

/** Above the total difficulty at which any network merged. */
const MERGED = 2n ** 255n

export interface PointContext {
  readonly client: NodeClient
  readonly recovery: SignatureRecovery
  readonly hasher: BlockHasher
  /** Revision that the block was made by. */
  readonly revision: Revision
}

/**
 * Builds the fork block from another node's responses.
 * @throws PEER_INVALID if they contradict each other on a public network
 */
export async function forkPoint(context: PointContext, answers: ForkResponses): Promise<ForkPoint> {
  const { client, hasher } = context
  const block = client.decode('eth_getBlockByNumber', answers.block, describedBlock)
  const notes: string[] = []
  const { header, hash } = block
  if (header.timestamp >= LAST_SECOND) {
    throw client.invalid(
      'eth_getBlockByNumber',
      `the timestamp ${header.timestamp} of block ${header.number} is not before the end of the year 9999, ` +
        `${LAST_SECOND}: no block can follow it`,
    )
  }
  if (!equalBytes(hasher.keccak256(encodeRlpHeader(header)), hash)) {
    const text = `the fields of block ${header.number} do not give its hash ${formatData(hash)}`
    if (answers.isPublic) throw client.invalid('eth_getBlockByNumber', text)
    notes.push(`${client.name}: ${text}: it has others than Ethereum's blocks have`)
  }
  const body = client.decode('eth_getBlockByNumber', answers.block, bodyOf)
  const difficulty = header.difficulty === 0n ? MERGED : header.difficulty
  const finished = finishedHeader(truncatedHeader(header), hash, body.size, difficulty)
  const ethereum: EthereumBody = { ommers: [], withdrawals: body.withdrawals }
  const contents = await contentsOf(context, answers, block).catch((thrown: unknown) => {
    if (!(thrown instanceof LockstepError) || answers.isPublic) throw thrown
    notes.push(`${thrown.message}: the block is stored without its transactions`)
    return undefined
  })
  const isWhole = contents !== undefined && equalBytes(header.ommersHash, NO_OMMERS_HASH)
  const { transactions, receipts } = isWhole ? contents : { transactions: [], receipts: [] }
  return {
    executed: {
      block: { header: finished, transactions: transactions.map(({ raw }) => raw), ethereum },
      transactionHashes: transactions.map((transaction) => transaction.hash),
      receipts,
    },
    isWhole,
    notes,
  }
}

function bodyOf(block: JsonMember): { size: number } & Pick<EthereumBody, 'withdrawals'> {
  return {
    size: given(block.at('size'), (size) => size.integer()) ?? 0,
    withdrawals: given(block.at('withdrawals'), describedWithdrawals),
  }
}

/**
 * Returns the transactions of the block and their receipts, verified against its roots.
 * @throws PEER_INVALID
 */
async function contentsOf(
  { client, recovery, hasher, revision }: PointContext,
  { chainId, kind, receipts: answers }: ForkResponses,
  block: DescribedBlock,
): Promise<{
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
}> {
  const { header, transactions: described } = block
  const decoding = { client, kind, recovery, note: () => {} }
  const place = { chainId, block }
  const transactions = await signedTransactions(decoding, place, revision, 0, described.length)
  const receipts = client.decode('eth_getBlockReceipts', answers, (list) =>
    list.items().map((item, i): Receipt => {
      const { receipt, blobGasPrice } = describedReceipt(item)
      const used = BigInt(transactions[i]?.blobHashes.length ?? 0) * BLOB_GAS
      const price = blobGasPrice ?? 0n
      return { ...receipt, ...(used > 0n && { blobGas: { used, price } }) }
    }),
  )
  const invalid = (what: string) =>
    client.invalid(
      'eth_getBlockReceipts',
      `${what} of block ${header.number} do not match its root`,
    )
  const raws = transactions.map(({ raw }) => raw)
  if (!equalBytes(listRoot(hasher, raws), header.transactionsRoot))
    throw invalid('the transactions')
  if (!equalBytes(listRoot(hasher, receipts.map(encodeReceipt)), header.receiptsRoot)) {
    throw invalid('the receipts')
  }
  return { transactions, receipts }
}
