import { formatData } from '../base/hex.ts'
import { ADDRESS_PARAM } from './argument/method-parameters.ts'
import { DATA, required } from './argument/parameter.ts'
import { type Method, method } from './call/method.ts'
import { DEBUG_METHODS } from './debug/methods.ts'
import { DEV_METHODS } from './dev/methods.ts'
import { ETH_METHODS } from './eth/methods.ts'
import { OTS_METHODS } from './ots/methods.ts'
import { TRACE_METHODS } from './trace/methods.ts'
import { content, contentFrom, inspect, status } from './txpool.ts'

/** Every method of the EVM JSON-RPC: the one place from which dispatch and METHODS.md come. */
export const METHODS: readonly Method[] = [
  ...ETH_METHODS,
  ...DEBUG_METHODS,
  ...TRACE_METHODS,
  ...OTS_METHODS,
  ...DEV_METHODS,

  method('net_listening', { params: [], result: 'true', run: () => true }),
  method('net_peerCount', {
    params: [],
    result: '0x0: the chain has one validator, in one process',
    run: () => '0x0',
  }),
  method('net_version', {
    params: [],
    result: 'chain id in decimal',
    run: ({ context }) => context.rules.chainId.toString(),
  }),

  method('rpc_modules', {
    params: [],
    result: 'namespaces served, each with version 1.0',
    run: ({ context }) => (context.dev === undefined ? MODULES : DEV_MODULES),
  }),

  method('txpool_content', {
    params: [],
    result: '{pending, queued}: transaction records by sender and nonce',
    run: content,
  }),
  method('txpool_contentFrom', {
    params: [ADDRESS_PARAM],
    result: '{pending, queued}: transaction records of one sender, by nonce',
    run: contentFrom,
  }),
  method('txpool_inspect', {
    params: [],
    result: '{pending, queued}: one line per transaction, by sender and nonce',
    run: inspect,
  }),
  method('txpool_status', { params: [], result: '{pending, queued}: counts', run: status }),

  method('web3_clientVersion', {
    params: [],
    result: 'name and version of the node',
    run: ({ context }) => context.clientVersion,
  }),
  method('web3_sha3', {
    params: [required('data', DATA)],
    result: 'Keccak-256 of the data',
    run: async (call, data) => formatData(await call.keccak256(data)),
  }),
]

function modulesOf(methods: readonly Method[]): Readonly<Record<string, string>> {
  return Object.fromEntries(methods.map(({ name }) => [name.slice(0, name.indexOf('_')), '1.0']))
}

const MODULES = modulesOf(METHODS.filter(({ dev }) => !dev))
const DEV_MODULES = modulesOf(METHODS)
