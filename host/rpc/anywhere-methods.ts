import { formatData, formatQuantity } from '../base/hex.ts'
import { DATA, required } from './argument/parameter.ts'
import type { ThreadContext } from './call/context.ts'
import { anywhere, type Method } from './call/method.ts'

/** The methods that need no state: the chain's thread answers them, and so does every serving thread by itself. */
export const ANYWHERE_METHODS: readonly Method<ThreadContext>[] = [
  anywhere('eth_blockNumber', {
    params: [],
    result: 'height of the newest block',
    run: ({ context }) => formatQuantity(context.chain.latest),
  }),
  anywhere('eth_chainId', {
    params: [],
    result: 'chain id',
    run: ({ context }) => formatQuantity(context.rules.chainId),
  }),
  anywhere('net_listening', { params: [], result: 'true', run: () => true }),
  anywhere('net_peerCount', {
    params: [],
    result: '0x0: the chain has one validator, in one process',
    run: () => '0x0',
  }),
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
