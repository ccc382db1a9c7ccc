import { formatQuantity } from '../../base/hex.ts'
import { ADDRESS_PARAM } from './argument/method-parameters.ts'
import { type Method, method } from './call/method.ts'
import { CALL_MANY, DEBUG_METHODS } from './debug/methods.ts'
import { DEV_METHODS } from './dev/methods.ts'
import { ETH_METHODS } from './eth/methods.ts'
import { ETH_READ_METHODS } from './eth/read-methods.ts'
import { OTS_METHODS } from './ots/methods.ts'
import { TRACE_METHODS } from './trace/methods.ts'
import { content, contentFrom, inspectPool, poolStatus } from './txpool.ts'
import { WORKER_METHODS } from './worker-methods.ts'

const NET_METHODS: readonly Method[] = [
  method('net_peerCount', {
    params: [],
    result: 'peers that CometBFT is connected to; 0x0 with the embedded engine, which has none',
    run: ({ context }) => formatQuantity(context.peers()),
  }),
]

/** All methods of the EVM JSON-RPC, from which dispatch and METHODS.md are derived. */
export const METHODS: readonly Method[] = [
  ...[...anywhereIn('eth_'), ...ETH_READ_METHODS, ...ETH_METHODS, CALL_MANY].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  ),
  ...DEBUG_METHODS,
  ...TRACE_METHODS,
  ...OTS_METHODS,
  ...DEV_METHODS,
  ...[...anywhereIn('net_'), ...NET_METHODS].sort((a, b) => (a.name < b.name ? -1 : 1)),

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
    run: inspectPool,
  }),
  method('txpool_status', { params: [], result: '{pending, queued}: counts', run: poolStatus }),
  ...anywhereIn('web3_'),
]

function anywhereIn(namespace: string): readonly Method[] {
  return WORKER_METHODS.filter(({ name }) => name.startsWith(namespace))
}

function modulesOf(methods: readonly Method[]): Readonly<Record<string, string>> {
  return Object.fromEntries(methods.map(({ name }) => [name.slice(0, name.indexOf('_')), '1.0']))
}

const MODULES = modulesOf(METHODS.filter(({ dev }) => !dev))
const DEV_MODULES = modulesOf(METHODS)
