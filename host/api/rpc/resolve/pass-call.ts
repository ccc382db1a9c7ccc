import { formatQuantity } from '../../../base/hex.ts'
import type { ForkedHistory } from '../../../chain/dev/fork/forked-history.ts'
import { BLOCK, BLOCK_NUMBER, type BlockArgument } from '../argument/block-argument.ts'
import { HASH, type Parameter } from '../argument/parameter.ts'
import type { RpcContext } from '../call/context.ts'
import type { Method } from '../call/method.ts'

/** Methods that run a finished block again, for which the state before it is needed. */
const REPLAYS =
  /^(debug_(trace(Block|Transaction|Chain|StateAccess)|intermediateRoots|standardTrace|storageRangeAt|getModified|executionWitness)|trace_(block|transaction|get|replay)|ots_(trace|getInternal|getTransactionError))/

/** Where a call belongs: here, to the forked chain's node, or to whom that node's answer says. */
type Owner = 'here' | 'there' | ((forked: ForkedHistory) => Promise<number | undefined>)

/** Names of the newest block here, which the forked chain's node has others for. */
const TAGS: readonly unknown[] = [undefined, null, 'latest', 'safe', 'finalized', 'pending']

/** Answers a call here, or has the forked chain's node answer it where it is about that chain's blocks. */
export function passCall(
  context: RpcContext,
  { name, params, dev }: Method,
  args: readonly unknown[],
  given: unknown,
  here: () => unknown,
): unknown {
  const { forked, chain } = context
  if (forked === undefined || dev || !Array.isArray(given)) return here()
  // Of what is here, a replay lacks the state before the first block.
  const last = REPLAYS.test(name) ? forked.number : forked.first - 1
  for (const [i, parameter] of params.entries()) {
    const owner = ownerOf(context, parameter, args[i], last)
    if (owner === 'here') continue
    if (owner === 'there') {
      const asked = [...given]
      if (TAGS.includes(given[i])) asked[i] = formatQuantity(chain.latest)
      return forked.ask(name, asked)
    }
    return owner(forked).then((height) => (height === undefined ? here() : forked.ask(name, given)))
  }
  return here()
}

function ownerOf(
  { chain, pool }: RpcContext,
  { type, name }: Parameter,
  arg: unknown,
  last: number,
): Owner {
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
    case 'hash':
      return ownerOfBlock(block.hash)
    default:
      return chain.latest > last ? 'here' : 'there'
  }

  function ownerOfBlock(hash: Uint8Array): Owner {
    const height = chain.heightOf(hash)
    if (height !== undefined) return height > last ? 'here' : 'there'
    return (forked) => forked.heightOf(hash)
  }
}
