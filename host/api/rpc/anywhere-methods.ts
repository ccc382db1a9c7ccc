import { formatData, formatQuantity } from '../../base/hex.ts'
import { DATA, required } from './argument/parameter.ts'
import type { ThreadContext } from './call/context.ts'
import { anywhere, type Method } from './call/method.ts'

/**
 * Methods that need no state, answered by the main thread or any RPC worker. An RPC worker checks a transaction and
 * recovers its sender, then submits it to the pool of the main thread.
 */
export const ANYWHERE_METHODS: readonly Method<ThreadContext>[] = [
  anywhere('eth_blockNumber', {
    params: [],
    result: 'height of the latest block',
    run: ({ context }) => formatQuantity(context.chain.latest),
  }),
  anywhere('eth_chainId', {
    params: [],
    result: 'chain id',
    run: ({ context }) => formatQuantity(context.rules.chainId),
  }),
  anywhere('eth_sendRawTransaction', {
    params: [required('transaction', DATA)],
    result: 'transaction hash, after the transaction is stored durably',
    run: async ({ context }, raw) => formatData(await context.submit(raw)),
  }),
  anywhere('net_listening', { params: [], result: 'true', run: () => true }),
  anywhere('net_version', {
    params: [],
    result: 'chain id in decimal',
    run: ({ context }) => context.rules.chainId.toString(),
  }),
  anywhere('web3_clientVersion', {
    params: [],
    result: 'name and version of the node',
    run: ({ context }) => context.clientVersion,
  }),
  anywhere('web3_sha3', {
    params: [required('data', DATA)],
    result: 'Keccak-256 of the data',
    run: async (call, data) => formatData(await call.keccak256(data)),
  }),
]
