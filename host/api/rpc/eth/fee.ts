import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity } from '../../../base/hex.ts'
import type { BlockHeader } from '../../../evm/chain-types/block.ts'
import { BLOB_GAS } from '../../../evm/chain-types/generated/gas.ts'
import type { Receipt } from '../../../evm/chain-types/receipt.ts'
import { UNKNOWN } from '../../../evm/execute/header-draft.ts'
import type { BlockArgument } from '../argument/block-argument.ts'
import { asArray, kindOf, type ParamType } from '../argument/parameter.ts'
import type { ReadContext } from '../call/context.ts'
import type { MethodCall, ReadCall } from '../call/rpc-call.ts'
import { requireHeight } from '../resolve/block-lookup.ts'
import { findBlock, findHeader } from '../resolve/block-reader.ts'

const GWEI = 1_000_000_000n

/** geth's maximum blocks and percentiles of eth_feeHistory. */
const MAX_HISTORY = 1024
const MAX_PERCENTILES = 100

export const PERCENTILES: ParamType<readonly number[]> = {
  label: 'percentiles',
  decode: (value) =>
    asArray(value, 'an array of percentiles').map((item) => {
      if (typeof item === 'number') return item
      throw new LockstepError('INVALID_ARGUMENT', `want a percentile, got ${kindOf(item)}`)
    }),
}

/** @throws LIMIT_EXCEEDED with geth's messages if percentiles are out of range or order */
function checkPercentiles(percentiles: readonly number[]): void {
  const refuse = (text: string) => new LockstepError('LIMIT_EXCEEDED', text)
  if (percentiles.length > MAX_PERCENTILES) {
    throw refuse(`invalid reward percentile: over the query limit ${MAX_PERCENTILES}`)
  }
  for (const [i, item] of percentiles.entries()) {
    if (item < 0 || item > 100) throw refuse(`invalid reward percentile: ${item.toFixed(6)}`)
    const before = percentiles[i - 1]
    if (before === undefined || item > before) continue
    const pair = `#${i - 1}:${before.toFixed(6)} >= #${i}:${item.toFixed(6)}`
    throw refuse(`invalid reward percentile: ${pair}`)
  }
}

export function latestHeader(context: ReadContext): BlockHeader {
  const header = findHeader(context, { kind: 'latest' })
  if (header === undefined) throw new LockstepError('NOT_FOUND', 'no block yet')
  return header
}

/** Returns the base fee of the next block, which need not exist yet. */
function nextBaseFee({ chain, dev, rules }: ReadContext, header: BlockHeader): bigint {
  const { baseFeePerGas } = chain.header(header.number + 1) ?? {}
  return baseFeePerGas ?? dev?.next.baseFee ?? rules.nextBaseFee(header)
}

/** Returns the base fee after the pending block, which only its header determines. */
function feeAfterPending({ rules }: ReadContext, header: BlockHeader): bigint {
  const { baseFeePerGas } = rules.draft(header, {
    number: header.number + 1,
    timestamp: header.timestamp + 1,
    gasLimit: undefined,
    coinbase: undefined,
    prevRandao: undefined,
    baseFee: undefined,
    parentBeaconBlockRoot: undefined,
    withdrawalsRoot: UNKNOWN,
  })
  return baseFeePerGas
}

/** Returns the wei per blob gas in a block, or undefined if it does not support blobs. */
export function blobPrice({ rules }: ReadContext, header: BlockHeader): bigint | undefined {
  return rules.blobsOf(header) === undefined ? undefined : rules.envOf(header).blobBaseFee
}

function nextBlobPrice(context: ReadContext, header: BlockHeader): bigint {
  const next = context.chain.header(header.number + 1)
  const price =
    next === undefined ? context.rules.nextBlobBaseFee(header) : blobPrice(context, next)
  return price ?? 0n
}

/** Returns the used share of the maximum blob gas of a block. */
function blobGasRatio({ rules }: ReadContext, header: BlockHeader): number {
  const schedule = rules.blobsOf(header)
  const used = header.ethereum?.header.blobGasUsed
  if (schedule === undefined || used === undefined) return 0
  return Number(used) / Number(schedule.max * BLOB_GAS)
}

/** A block above four fifths of its gas limit counts as full, so tips decide about inclusion. */
function isCongested(header: BlockHeader): boolean {
  return header.gasUsed * 5n > header.gasLimit * 4n
}

/** Returns the tip of the median transaction in the latest block. */
function medianTip(context: ReadContext): bigint {
  const found = findBlock(context, { kind: 'latest' })
  if (found === undefined || found.receipts.length === 0) return GWEI
  const tips = rewards(found.receipts, found.header.baseFeePerGas)
  return tips[tips.length >> 1]?.tip ?? GWEI
}

/** Raises a price to the minimum that a developer has set for the pool. */
function taken({ dev }: ReadContext, price: bigint): string {
  const least = dev?.next.minGasPrice ?? 0n
  return formatQuantity(price < least ? least : price)
}

/** Returns the next base fee plus 10 % while blocks have room, otherwise the base fee plus the median tip. */
export function suggestedGasPrice({ context }: ReadCall): string {
  const header = latestHeader(context)
  const baseFee = nextBaseFee(context, header)
  if (isCongested(header)) return taken(context, baseFee + medianTip(context))
  return taken(context, (baseFee * 11n) / 10n)
}

export function maxPriorityFeePerGas({ context }: ReadCall): string {
  return taken(context, isCongested(latestHeader(context)) ? medianTip(context) : GWEI)
}

/** Returns the wei per unit of gas of the block after the latest. */
export function baseFee({ context }: ReadCall): string {
  return formatQuantity(nextBaseFee(context, latestHeader(context)))
}

export function coinbase({ context }: ReadCall): string {
  return formatData(latestHeader(context).miner)
}

interface Reward {
  readonly tip: bigint
  readonly gasUsed: bigint
}

function rewards(receipts: readonly Receipt[], baseFee: bigint): Reward[] {
  return receipts
    .map(({ effectiveGasPrice, gasUsed }) => ({ tip: effectiveGasPrice - baseFee, gasUsed }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
}

/** Returns the tip at each percentile of the block's gas, weighted like in geth. */
function rewardsAt(
  receipts: readonly Receipt[],
  header: BlockHeader,
  percentiles: readonly number[],
): string[] {
  const sorted = rewards(receipts, header.baseFeePerGas)
  let index = 0
  let sum = sorted[0]?.gasUsed ?? 0n
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100))
    while (sum < threshold && index < sorted.length - 1) {
      index++
      sum += (sorted[index] as Reward).gasUsed
    }
    return formatQuantity(sorted[index]?.tip ?? 0n)
  })
}

export async function feeHistory(
  call: MethodCall,
  count: number,
  newest: BlockArgument,
  percentiles: readonly number[] | undefined,
): Promise<unknown> {
  const { context } = call
  // geth does not validate the other arguments of such a request.
  if (count === 0) return { oldestBlock: '0x0', gasUsedRatio: null }
  checkPercentiles(percentiles ?? [])
  const pending = newest.kind === 'pending' ? await context.pendingBlocks.latest() : undefined
  const pendingHeader = pending?.block.header
  const last =
    pendingHeader?.number ??
    requireHeight(context, newest, () => {
      const asked = newest.kind === 'height' ? newest.asked : newest.kind
      return `request beyond head block: requested ${asked}, head ${context.chain.latest}`
    })
  const first = Math.max(last - Math.min(count, MAX_HISTORY) + 1, context.chain.earliest)
  const baseFeePerGas: string[] = []
  const baseFeePerBlobGas: string[] = []
  const gasUsedRatio: number[] = []
  const blobGasUsedRatio: number[] = []
  const reward: string[][] = []
  for (let height = first; height <= last; height++) {
    const turn = call.yield()
    if (turn !== undefined) await turn
    const isPending = height === pendingHeader?.number
    const header = isPending ? pendingHeader : context.chain.header(height)
    if (header === undefined) break
    baseFeePerGas.push(formatQuantity(header.baseFeePerGas))
    baseFeePerBlobGas.push(formatQuantity(blobPrice(context, header) ?? 0n))
    gasUsedRatio.push(Number(header.gasUsed) / Number(header.gasLimit))
    blobGasUsedRatio.push(blobGasRatio(context, header))
    if (percentiles !== undefined && percentiles.length > 0) {
      const receipts = (isPending ? pending?.receipts : context.chain.receipts(height)) ?? []
      reward.push(rewardsAt(receipts, header, percentiles))
    }
    if (height < last) continue
    const next = isPending ? feeAfterPending(context, header) : nextBaseFee(context, header)
    baseFeePerGas.push(formatQuantity(next))
    baseFeePerBlobGas.push(formatQuantity(nextBlobPrice(context, header)))
  }
  return {
    oldestBlock: formatQuantity(first),
    ...(reward.length === 0 ? {} : { reward }),
    baseFeePerGas,
    gasUsedRatio,
    baseFeePerBlobGas,
    blobGasUsedRatio,
  }
}

export function latestBlobBaseFee({ context }: ReadCall): string {
  const price = blobPrice(context, latestHeader(context))
  if (price !== undefined) return formatQuantity(price)
  throw new LockstepError('UNSUPPORTED', 'blobs not supported on this chain')
}
