import { formatData, formatQuantity } from '../../base/hex.ts'
import { DATA, required } from './argument/parameter.ts'
import type { WorkerContext } from './call/context.ts'
import { type Method, workerMethod } from './call/method.ts'

/**
 * Methods that need no state, answered by the main thread or any RPC worker. An RPC worker checks a transaction and
 * recovers its sender, then submits it to the pool of the main thread.
 */
export const WORKER_METHODS: readonly Method<WorkerContext>[] = [
  workerMethod('eth_blockNumber', {
    params: [],
    result: 'height of the latest block',
    run: ({ context }) => formatQuantity(context.chain.latest),
  }),
  workerMethod('eth_chainId', {
    params: [],
    result: 'chain id',
    run: ({ context }) => formatQuantity(context.rules.chainId),
  }),
  workerMethod('eth_sendRawTransaction', {
    params: [required('transaction', DATA)],
    result: 'transaction hash, after the transaction is stored durably',
    run: async ({ context }, raw) => formatData(await context.submit(raw)),
  }),
  workerMethod('net_listening', { params: [], result: 'true', run: () => true }),
  workerMethod('net_version', {
    params: [],
    result: 'chain id in decimal',
    run: ({ context }) => context.rules.chainId.toString(),
  }),
  workerMethod('web3_clientVersion', {
    params: [],
    result: 'name and version of the node',
    run: ({ context }) => context.clientVersion,
  }),
  workerMethod('web3_sha3', {
    params: [required('data', DATA)],
    result: 'Keccak-256 of the data',
    run: async (call, data) => formatData(await call.keccak256(data)),
  }),
]
