import { formatQuantity } from '../../../base/hex.ts'
import { WHOLE } from '../argument/amount.ts'
import { asArray, asObject, DATA, member, type ParamType, TEXT } from '../argument/parameter.ts'
import type { RpcCall } from '../call/rpc-call.ts'
import { driven, unfit } from './driven.ts'
import { ASKED_TRANSACTION, type AskedTransaction, sendTransaction } from './send.ts'

export async function snapshot(call: RpcCall): Promise<string> {
  return formatQuantity(await driven(call).snapshot())
}

export function revert(call: RpcCall, id: bigint): Promise<boolean> {
  return driven(call).revert(id)
}

/** @throws REFUSED_ARGUMENT */
function checkDepth({ context }: RpcCall, depth: number, what: string): void {
  const { latest } = context.chain
  if (depth <= latest) return
  throw unfit(
    `${what} depth must not exceed current chain height: current height ${latest}, depth ${depth}`,
  )
}

/** Removes the newest blocks. */
export async function rollback(call: RpcCall, depth: number): Promise<void> {
  checkDepth(call, depth, 'Rollback')
  await driven(call).rollback(depth)
}

/** A transaction that a block made anew is to hold: signed, or as it is asked for. */
type ReorgTransaction = Uint8Array | AskedTransaction

export interface ReorgPair {
  readonly transaction: ReorgTransaction
  /** The block, counted from the first one made anew. */
  readonly block: number
}

export const REORG_PAIRS: ParamType<readonly ReorgPair[]> = {
  label: '[transaction or data, block][]',
  decode: (value) =>
    asArray(value, 'pairs of a transaction and a block').map((pair) => {
      const [transaction, block] = asArray(pair, 'a pair of a transaction and a block')
      return {
        transaction:
          typeof transaction === 'string'
            ? DATA.decode(transaction)
            : ASKED_TRANSACTION.decode(transaction),
        block: WHOLE.decode(block),
      }
    }),
}

/**
 * Removes the newest blocks and makes as many anew, with these transactions in them. What those removed held is gone,
 * and whoever subscribes hears of both.
 */
export async function reorg(
  call: RpcCall,
  depth: number,
  pairs: readonly ReorgPair[],
): Promise<void> {
  checkDepth(call, depth, 'Reorg')
  const far = pairs.find(({ block }) => block >= depth)
  if (far !== undefined) throw unfit(`block ${far.block} is none of the ${depth} made anew`)
  const dev = driven(call)
  const { automine, intervalMs } = dev
  // Each block is made here: none by itself.
  dev.automine = false
  dev.intervalMs = 0
  try {
    await dev.rollback(depth)
    for (let block = 0; block < depth; block++) {
      for (const { transaction } of pairs.filter((pair) => pair.block === block)) {
        if (transaction instanceof Uint8Array) await call.context.pool.add(transaction)
        else await sendTransaction(call, transaction)
      }
      await dev.mine({ blocks: 1 })
    }
  } finally {
    dev.automine = automine
    dev.intervalMs = intervalMs
  }
}

/** The chain to begin again with; undefined stays without a fork, or with that which there is. */
export interface ResetOptions {
  readonly url: string | undefined
  readonly block: number | undefined
}

export const RESET_OPTIONS: ParamType<ResetOptions> = {
  label: '{forking?: {jsonRpcUrl?, blockNumber?}}',
  decode: (value) => {
    const object = asObject(value, 'an object')
    // anvil takes the members of `forking` without it too
    const forking = object.forking === undefined ? object : asObject(object.forking, 'forking')
    return {
      url: member(forking, 'jsonRpcUrl', TEXT),
      block: member(forking, 'blockNumber', WHOLE),
    }
  },
}

/** Begins again; on a fork with its block, or that which is named. */
export async function reset(call: RpcCall, options: ResetOptions | undefined): Promise<void> {
  const dev = driven(call)
  const { url, block } = options ?? {}
  if (url === undefined && block === undefined) return dev.reset()
  const known = url ?? dev.fork?.url
  if (known === undefined) {
    throw unfit(
      'Forking not enabled and RPC URL not provided to start forking',
      'start the node with --dev.fork URL',
    )
  }
  if (dev.fork === undefined) {
    throw unfit(
      'this node is no fork, and becomes none while it runs',
      `start another with --dev.fork ${known}`,
    )
  }
  await dev.reset({ url: known, block })
}
