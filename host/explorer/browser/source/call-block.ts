import { keccak_256 } from '@noble/hashes/sha3.js'
import { LockstepError } from '../../../base/error.ts'
import { formatQuantity } from '../../../base/hex.ts'
import { given } from '../../../client/remote-node/answer-member.ts'
import { describedBlock } from '../../../client/remote-node/block-answer.ts'
import { rulesOf } from '../../../client/remote-node/block-rules.ts'
import { refuseForeignChain } from '../../../client/remote-node/foreign-chains.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { nodeKind } from '../../../client/remote-node/node-kind.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import { ethereumEnv } from '../../../evm/execute/ethereum/block-env.ts'
import { decodeBundle } from '../../../evm/trace/bundle/bundle.ts'
import type { CallBlock } from '../edit/unsent-call.ts'

/**
 * Returns the environment of block `height`, in which a call runs on the state after it.
 * @throws NOT_FOUND if the node has no such block; UNSUPPORTED for a chain other than an Ethereum one, or whose rules
 * are unknown; errors of asking the node
 */
export async function callBlock(client: NodeClient, height: number): Promise<CallBlock> {
  const method = 'eth_getBlockByNumber'
  const number = formatQuantity(height)
  const block = await client.read(method, [number, false], (one) => given(one, describedBlock))
  if (block === undefined) {
    throw new LockstepError('NOT_FOUND', `${client.name} has no block ${height}`, {
      hint: 'choose a block that exists, or leave it empty for the latest one',
    })
  }
  const { header, hash, transactions } = block
  if (header.number !== BigInt(height)) throw client.invalid(method, 'another block came')
  const chainId = await client.read('eth_chainId', [], (id) => id.quantity(256))
  refuseForeignChain(chainId)
  const kind = await nodeKind(client)
  if (kind === 'lockstep' && (await client.askOptional('eth_config')) === undefined) {
    const first = transactions[0]?.value
    return { hash, env: await nativeEnv(client, height, first) }
  }
  const rules = await rulesOf({ client, kind, chainId, header, revision: undefined })
  return { hash, env: ethereumEnv(header, rules, chainId) }
}

/** A native chain has rules of its own, which only its bundles contain. That of one transaction is the smallest. */
async function nativeEnv(client: NodeClient, height: number, first: unknown): Promise<BlockEnv> {
  const [method, params] =
    first === undefined
      ? ['debug_traceBlockStateAccess', [formatQuantity(height)]]
      : ['debug_traceStateAccess', [first]]
  const document = await client.ask(method as string, params as readonly unknown[])
  let env: BlockEnv
  try {
    env = decodeBundle(document, keccak_256).plan.env
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    throw client.invalid(method as string, thrown.message)
  }
  if (env.number === height) return env
  throw client.invalid(method as string, `the block ${env.number} came, not ${height}`)
}
