import { LockstepError } from '../../../base/error.ts'
import type { IntervalMs } from '../../../chain/dev/dev-chain.ts'
import { COUNT_AMOUNT } from '../argument/amount.ts'
import { asArray, asObject, member, type ParamType } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { blockRecord } from '../format/block-record.ts'
import { transactionRecord } from '../format/transaction-record.ts'
import { findBlock, transactionAt } from '../resolve/block-reader.ts'
import { devChainOf, unsupportedArgument } from './driven.ts'
import { minedDetails } from './mined-details.ts'

/** Maximum blocks per call. */
const MOST_BLOCKS = 1_000_000

/** Lower numbers are seconds, as in anvil; numbers from this on are milliseconds, as in Hardhat. */
const LEAST_MILLISECONDS = 100

const SECOND_MS = 1000

/** The argument of evm_mine. */
export interface MineOptions {
  readonly timestamp: number | undefined
  readonly blocks: number
}

/** The time of a single block, or an options object. */
export const MINE_OPTIONS: ParamType<MineOptions> = {
  label: 'number, quantity or {timestamp?, blocks?}',
  decode: (value) => {
    if (typeof value !== 'object') return { timestamp: COUNT_AMOUNT.decode(value), blocks: 1 }
    const object = asObject(value, 'a time or an options object')
    return {
      timestamp: member(object, 'timestamp', COUNT_AMOUNT),
      blocks: member(object, 'blocks', COUNT_AMOUNT) ?? 1,
    }
  },
}

/** Milliseconds between blocks; a range draws a new value for each block. */
export const INTERVAL: ParamType<IntervalMs> = {
  label: 'number, or [least, most]',
  decode: (value) => {
    if (!Array.isArray(value)) return COUNT_AMOUNT.decode(value)
    const [least, most, ...rest] = asArray(value, 'an interval').map((one) =>
      COUNT_AMOUNT.decode(one),
    )
    if (least === undefined || most === undefined || rest.length > 0 || most < least) {
      throw new LockstepError('INVALID_ARGUMENT', 'want [least, most] in milliseconds')
    }
    return [least, most]
  },
}

function checkBlocks(blocks: number): void {
  if (blocks <= MOST_BLOCKS) return
  throw unsupportedArgument(
    `${blocks} blocks exceed the maximum of one call`,
    `use at most ${MOST_BLOCKS}`,
  )
}

export async function mine(
  call: MethodCall,
  blocks: number,
  interval: number | undefined,
): Promise<void> {
  checkBlocks(blocks)
  await devChainOf(call).mine({ blocks, interval, signal: call.caller.signal })
}

/** Hardhat's method: without an interval the blocks are a second apart, or as far as the chain's interval says. */
export function mineApart(
  call: MethodCall,
  blocks: number,
  interval: number | undefined,
): Promise<void> {
  return mine(call, blocks, interval ?? devChainOf(call).time.blockInterval ?? 1)
}

export async function evmMine(call: MethodCall, options: MineOptions | undefined): Promise<string> {
  await mineBy(call, options)
  return '0x0'
}

function mineBy(call: MethodCall, options: MineOptions | undefined) {
  const { timestamp, blocks = 1 } = options ?? {}
  checkBlocks(blocks)
  return devChainOf(call).mine({ blocks, timestamp, signal: call.caller.signal })
}

/** Returns the produced blocks in full, with the outcome of each transaction. */
export async function mineDetailed(
  call: MethodCall,
  options: MineOptions | undefined,
): Promise<unknown> {
  const { first, last } = await mineBy(call, options)
  const records: unknown[] = []
  for (let height = first; height <= last; height++) {
    records.push(await wholeBlock(call, height))
    const turn = call.yield()
    if (turn !== undefined) await turn
  }
  return records
}

async function wholeBlock(call: MethodCall, height: number): Promise<unknown> {
  const { context } = call
  const found = findBlock(context, { kind: 'height', height, asked: BigInt(height) })
  if (found === undefined) return null
  const { block, header } = found
  const details = block.transactions.length === 0 ? [] : await minedDetails(call, height)
  const transactions = block.transactions.map((_, index) => ({
    ...transactionRecord(transactionAt(context, found, index), { header, index }),
    ...details[index],
  }))
  return blockRecord(header, transactions, block.ethereum, context.rules, context.keccak256)
}

export function setAutomine(call: MethodCall, isOn: boolean): Promise<void> {
  return devChainOf(call).setAutomine(isOn)
}

export function getAutomine(call: MethodCall): boolean {
  return devChainOf(call).automine
}

/** Hardhat's method: milliseconds or, as in anvil, seconds if the number is small. */
export function setIntervalMining(call: MethodCall, interval: IntervalMs): void {
  const isSeconds = typeof interval === 'number' && interval < LEAST_MILLISECONDS
  devChainOf(call).intervalMs = isSeconds ? interval * SECOND_MS : interval
}

/** anvil's method: seconds. */
export function setIntervalSeconds(call: MethodCall, seconds: number): void {
  devChainOf(call).intervalMs = seconds * SECOND_MS
}

/** Returns seconds, possibly fractional; null if interval mining is off. */
export function getIntervalMining(call: MethodCall): number | null {
  const { intervalMs } = devChainOf(call)
  const [least] = typeof intervalMs === 'number' ? [intervalMs] : intervalMs
  return least === 0 ? null : least / SECOND_MS
}
