import { expect } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import { until } from '../until.ts'
import { call, post } from './json-rpc.ts'

export interface Transaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly nonce: Hex
  readonly input: Hex
  readonly value: Hex
  readonly blockNumber: Hex
  readonly transactionIndex: Hex
}

export interface Receipt {
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly transactionHash: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
}

export interface Page {
  readonly txs: readonly Transaction[]
  readonly receipts: readonly (Receipt & { readonly timestamp: Hex })[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

export interface Frame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly calls?: readonly Frame[]
}

/** A frame and its enclosing frames. */
export interface Placed {
  readonly frame: Frame
  readonly depth: number
  /** True if it or an enclosing frame failed. */
  readonly isUndone: boolean
}

export function placed(frame: Frame, depth = 0, isBelowFailed = false): Placed[] {
  const isUndone = isBelowFailed || frame.error !== undefined
  const below = (frame.calls ?? []).flatMap((one) => placed(one, depth + 1, isUndone))
  return [{ frame, depth, isUndone }, ...below]
}

/** Returns all pages of an address's history, read in one direction, joined with the latest first. */
export async function pages(
  url: string,
  address: Hex,
  direction: 'Before' | 'After',
  size: number,
): Promise<{ readonly all: Hex[]; readonly ends: [boolean, boolean][] }> {
  const all: Hex[] = []
  const ends: [boolean, boolean][] = []
  let block = 0
  while (true) {
    const method = `ots_searchTransactions${direction}`
    const { txs, receipts, firstPage, lastPage } = await call<Page>(url, method, [
      address,
      block,
      size,
    ])
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(
      txs.map(({ hash }) => hash),
    )
    ends.push([firstPage, lastPage])
    const found = txs.map(({ hash }) => hash)
    if (direction === 'Before') all.push(...found)
    else all.unshift(...found)
    if (direction === 'Before' ? lastPage : firstPage) return { all, ends }
    block = Number((direction === 'Before' ? txs.at(-1) : txs[0])?.blockNumber)
  }
}

/**
 * Waits until the index has every block. A request waits for seconds at most, and not at all if many blocks are
 * missing.
 * @returns the error messages before that
 */
export async function untilIndexed(url: string): Promise<string[]> {
  const texts: string[] = []
  await until(async () => {
    const { error } = await post(url, 'ots_searchTransactionsBefore', [
      `0x${'11'.repeat(20)}`,
      0,
      1,
    ])
    if (error !== undefined) texts.push(error.message)
    return error === undefined
  })
  return texts
}

/** Returns each address in any frame of the chain, with the transactions that contain it, the latest first. */
export async function historyOf(url: string): Promise<Map<Hex, Hex[]>> {
  const latest = Number(await call<Hex>(url, 'eth_blockNumber'))
  await untilIndexed(url)
  const history = new Map<Hex, Hex[]>()
  for (let height = 1; height <= latest; height++) {
    const traces = await call<{ readonly txHash: Hex; readonly result: Frame }[]>(
      url,
      'debug_traceBlockByNumber',
      [`0x${height.toString(16)}`, { tracer: 'callTracer' }],
    )
    for (const { txHash, result } of traces) {
      const sides = placed(result).flatMap(({ frame: { from, to } }) => [from, ...(to ? [to] : [])])
      for (const address of new Set(sides)) {
        history.set(address, [txHash, ...(history.get(address) ?? [])])
      }
    }
  }
  return history
}
