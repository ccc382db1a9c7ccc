import { formatQuantity } from '../../../base/hex.ts'
import type { ForkedHistory } from '../../../chain/dev/fork/forked-history.ts'
import { BLOCK, BLOCK_NUMBER, type BlockArgument, LATEST } from '../argument/block-argument.ts'
import { HASH, type MethodParameter } from '../argument/parameter.ts'
import type { RpcContext } from '../call/context.ts'
import type { Method } from '../call/method.ts'
import { heightBefore } from './block-lookup.ts'

/** Methods that replay a finished block and so need the state before it. */
const REPLAYS =
  /^(debug_(trace(Block|Transaction|Chain|StateAccess)|intermediateRoots|standardTrace|storageRangeAt|getModified|executionWitness|getRawBlockAccessList)|eth_getBlockAccessList|trace_(block|transaction|get|replay)|ots_(trace|getInternal|getTransactionError))/

/** Methods that read or run on the state of a block. That of the fork block is stored here with what was set since. */
const READS_STATE =
  /^(eth_(call|estimateGas|createAccessList|simulateV1|getBalance|getCode|getStorageAt|getStorageValues|getTransactionCount)|debug_traceCall|trace_call(Many)?)$/

/**
 * The node that answers a call: this one, the forked chain's node, or the one that a query to the latter determines.
 */
type Owner = 'here' | 'there' | ((forked: ForkedHistory) => Promise<number | undefined>)

/** Tags of recent blocks, which mean other blocks on the forked chain's node. */
const TAGS: readonly unknown[] = [undefined, null, 'latest', 'safe', 'finalized']

/** Answers a call locally, or forwards it to the forked chain's node if it concerns that chain's blocks. */
export function forwardCall(
  context: RpcContext,
  { name, params, dev }: Method,
  args: readonly unknown[],
  given: unknown,
  here: () => unknown,
): unknown {
  const { forked } = context
  if (forked === undefined || dev || !Array.isArray(given)) return here()
  // A replay of the first local block needs the state before it, which is remote.
  const last = lastThere(forked, name)
  for (const [i, parameter] of params.entries()) {
    const owner = ownerOf(context, parameter, args[i], last)
    if (owner === 'here') continue
    if (owner === 'there') {
      const asked = [...given]
      if (TAGS.includes(given[i])) asked[i] = formatQuantity(heightOfTag(context, args[i]))
      return forked.ask(name, asked)
    }
    return owner(forked).then((height) => (height === undefined ? here() : forked.ask(name, given)))
  }
  return here()
}

/** Returns the height of the last block for which the forked chain's node answers a method. */
function lastThere({ number, first }: ForkedHistory, method: string): number {
  if (REPLAYS.test(method)) return number
  return READS_STATE.test(method) ? number - 1 : first - 1
}

/** Returns the height that a tag of the head of the chain means. */
function heightOfTag(context: RpcContext, block: unknown): number {
  const { kind } = (block ?? LATEST) as BlockArgument
  if (kind === 'safe') return heightBefore(context, 1)
  return kind === 'finalized' ? heightBefore(context, 2) : context.chain.latest
}

function ownerOf(
  context: RpcContext,
  { type, name }: MethodParameter,
  arg: unknown,
  last: number,
): Owner {
  const { chain, pool } = context
  if (type === HASH && name.includes('lock')) return ownerOfBlock(arg as Uint8Array)
  if (type === HASH) {
    const hash = arg as Uint8Array
    const place = chain.locate(hash)
    if (place !== undefined) return place.height > last ? 'here' : 'there'
    if (pool.get(hash) !== undefined) return 'here'
    return (forked) => forked.heightOfTransaction(hash)
  }
  if (type !== BLOCK && type !== BLOCK_NUMBER) return 'here'
  const block = arg as BlockArgument | undefined
  switch (block?.kind) {
    case 'height':
      return block.height > last ? 'here' : 'there'
    case 'earliest':
      return 'there'
    case 'pending':
      return 'here'
    case 'hash':
      return ownerOfBlock(block.hash)
    default:
      return heightOfTag(context, block) > last ? 'here' : 'there'
  }

  function ownerOfBlock(hash: Uint8Array): Owner {
    const height = chain.heightOf(hash)
    if (height !== undefined) return height > last ? 'here' : 'there'
    return (forked) => forked.heightOf(hash)
  }
}
