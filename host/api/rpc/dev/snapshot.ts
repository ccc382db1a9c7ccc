import { formatQuantity } from '../../../base/hex.ts'
import { COUNT_AMOUNT } from '../argument/amount.ts'
import { asArray, asObject, DATA, member, type ParamType, TEXT } from '../argument/parameter.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { devChainOf, unsupportedArgument } from './driven.ts'
import { ASKED_TRANSACTION, type AskedTransaction, sendTransaction } from './send.ts'

export async function snapshot(call: MethodCall): Promise<string> {
  return formatQuantity(await devChainOf(call).snapshot())
}

export function revert(call: MethodCall, id: bigint): Promise<boolean> {
  return devChainOf(call).revert(id)
}

/** @throws REFUSED_ARGUMENT */
function checkDepth({ context }: MethodCall, depth: number, what: string): void {
  const { latest } = context.chain
  if (depth <= latest) return
  throw unsupportedArgument(
    `${what} depth must not exceed current chain height: current height ${latest}, depth ${depth}`,
  )
}

/** Removes the latest blocks. */
export async function rollback(call: MethodCall, depth: number): Promise<void> {
  checkDepth(call, depth, 'Rollback')
  await devChainOf(call).rollback(depth)
}

/** A transaction for a new block: signed, or a request to be filled in. */
type ReorgTransaction = Uint8Array | AskedTransaction

export interface ReorgPair {
  readonly transaction: ReorgTransaction
  /** Index of the block among the new ones. */
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
        block: COUNT_AMOUNT.decode(block),
      }
    }),
}

/**
 * Removes the latest blocks and produces as many new ones with these transactions. The transactions of the removed
 * blocks are lost. Subscribers are notified of both.
 */
export async function reorg(
  call: MethodCall,
  depth: number,
  pairs: readonly ReorgPair[],
): Promise<void> {
  checkDepth(call, depth, 'Reorg')
  const far = pairs.find(({ block }) => block >= depth)
  if (far !== undefined)
    throw unsupportedArgument(`block ${far.block} is not one of the ${depth} new blocks`)
  const dev = devChainOf(call)
  const { automine, intervalMs } = dev
  // Blocks are produced only here.
  dev.automine = false
  dev.intervalMs = 0
  try {
    await dev.rollback(depth)
    for (let block = 0; block < depth; block++) {
      for (const { transaction } of pairs.filter((pair) => pair.block === block)) {
        if (transaction instanceof Uint8Array) await call.context.pool.add(transaction)
        else await sendTransaction(call, transaction)
      }
      await dev.mine({ blocks: 1, isReorganization: true })
    }
  } finally {
    dev.automine = automine
    dev.intervalMs = intervalMs
  }
}

/** The chain to restart with; undefined keeps the current fork, if any. */
export interface ResetOptions {
  readonly url: string | undefined
  readonly block: number | undefined
}

export const RESET_OPTIONS: ParamType<ResetOptions> = {
  label: '{forking?: {jsonRpcUrl?, blockNumber?}}',
  decode: (value) => {
    const object = asObject(value, 'an object')
    // anvil also accepts the members of `forking` at the top level.
    const forking = object.forking === undefined ? object : asObject(object.forking, 'forking')
    return {
      url: member(forking, 'jsonRpcUrl', TEXT),
      block: member(forking, 'blockNumber', COUNT_AMOUNT),
    }
  },
}

/** Restarts the chain; a fork restarts at its block, or at the given one. */
export async function reset(call: MethodCall, options: ResetOptions | undefined): Promise<void> {
  const dev = devChainOf(call)
  const { url, block } = options ?? {}
  if (url === undefined && block === undefined) return dev.reset()
  const known = url ?? dev.fork?.url
  if (known === undefined) {
    throw unsupportedArgument(
      'Forking not enabled and RPC URL not provided to start forking',
      'start the node with --dev.fork URL',
    )
  }
  if (dev.fork === undefined) {
    throw unsupportedArgument(
      'this node is not a fork, and cannot become one while it runs',
      `start another with --dev.fork ${known}`,
    )
  }
  await dev.reset({ url: known, block })
}
