import { METHODS } from '../../../host/api/rpc/methods.ts'
import type { Dice } from '../../fuzz/dice.ts'

/** The requests of hostile clients, as data for the flooding thread (`flood-client-thread.ts`). */
export interface Flood {
  readonly name: string
  readonly server: 'http' | 'ws' | 'consensus'
  readonly connections: number
  /** Sent in order by each connection, and repeated until the time is over. */
  readonly bodies: readonly string[]
  /** Size of a body's chunks in bytes. 0 sends it whole. */
  readonly chunkBytes: number
  /** Milliseconds between two chunks. */
  readonly chunkMs: number
  /** True to read responses. A client that does not read also waits for nothing. */
  readonly reads: boolean
  /** Messages that a WebSocket, or a client that does not read, sends without waiting for a response. */
  readonly burst: number
  /** True if the messages of a WebSocket are fragments of one that never ends. */
  readonly isUnfinished: boolean
}

/** Data of a node that requests can refer to. */
export interface FloodTarget {
  readonly addresses: readonly string[]
  readonly transactions: readonly string[]
  readonly blockHashes: readonly string[]
  readonly height: number
}

type Fields = Partial<Flood> & Pick<Flood, 'bodies'>

const CALM: Omit<Flood, 'name' | 'bodies'> = {
  server: 'http',
  connections: 4,
  chunkBytes: 0,
  chunkMs: 0,
  reads: true,
  burst: 1,
  isUnfinished: false,
}

function call(method: string, params: unknown = [], id: number | undefined = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params })
}

function batch(one: string, count: number): string {
  return `[${new Array(count).fill(one).join(',')}]`
}

/** Returns a call without an id. */
const notify = (method: string, params: unknown = []) =>
  JSON.stringify({ jsonrpc: '2.0', method, params })

const hex = (bytes: number) => `0x${'5b'.repeat(bytes)}`

/** The default maximum size of a body. */
const MAX_BODY = 5 * 1024 * 1024 - 200

/** An endless loop: JUMPDEST PUSH1 0 JUMP. */
const LOOP = '0x5b600056'
/** The same, with a hash over 64 KiB in it. */
const HASHES = '0x5b62010000600020506000 56'.replace(' ', '')
/** Returns 1.9 MB of zeros: PUSH3 PUSH1 0 RETURN. */
const ZEROS = '0x621cfde06000f3'
const CODE_AT = '0x00000000000000000000000000000000000c0de0'

/** Returns floods that once blocked a node, by name. */
export function namedFloods({ addresses, transactions }: FloodTarget): Flood[] {
  const flood = (name: string, fields: Fields): Flood => ({ ...CALM, name, ...fields })
  const simulation = { blockStateCalls: [{ calls: new Array(1_700_000).fill({}) }] }
  const decoded = { blockStateCalls: [{ calls: new Array(5_000).fill({}) }] }
  const looping = [{ to: CODE_AT }, 'latest', { [CODE_AT]: { code: LOOP } }]
  return [
    flood('batches of txpool_content as notifications', {
      bodies: [batch(notify('txpool_content'), 1000)],
    }),
    flood('batches of txpool_inspect', { bodies: [batch(call('txpool_inspect'), 1000)] }),
    flood('simulations of 1.7 million empty calls', {
      connections: 8,
      bodies: [call('eth_simulateV1', [simulation])],
    }),
    flood('simulations of as many empty calls as are taken', {
      connections: 8,
      bodies: [call('eth_simulateV1', [decoded])],
    }),
    flood('bodies in chunks of one byte', {
      connections: 8,
      chunkBytes: 1,
      bodies: [call('web3_sha3', [hex(2_000_000)])],
    }),
    flood('bodies that arrive slowly', {
      connections: 200,
      chunkBytes: 4096,
      chunkMs: 200,
      bodies: [call('web3_sha3', [hex(2_000_000)])],
    }),
    flood('unread answers of megabytes', {
      connections: 100,
      reads: false,
      bodies: [batch(call('txpool_content'), 100), call('txpool_content')],
    }),
    flood('unread batches of calls with megabytes of output', {
      connections: 200,
      reads: false,
      bodies: [
        batch(call('eth_call', [{ to: CODE_AT }, 'latest', { [CODE_AT]: { code: ZEROS } }]), 6),
      ],
    }),
    flood('200,000 calls on one WebSocket', {
      server: 'ws',
      connections: 1,
      burst: 200_000,
      bodies: [call('eth_getBalance', [addresses[0], 'latest'])],
    }),
    flood('WebSockets that ask and do not read', {
      server: 'ws',
      connections: 50,
      burst: 2_000,
      reads: false,
      bodies: [call('txpool_inspect'), call('eth_getBlockByNumber', ['latest', true])],
    }),
    flood('WebSockets that begin messages and do not end them', {
      server: 'ws',
      connections: 50,
      burst: 9,
      isUnfinished: true,
      bodies: ['x'.repeat(1_000_000)],
    }),
    flood('pipelined requests with unread answers', {
      connections: 50,
      burst: 20_000,
      reads: false,
      bodies: [call('eth_getBlockByNumber', ['latest', false])],
    }),
    flood('nested arrays', {
      bodies: ['['.repeat(MAX_BODY), `${'['.repeat(MAX_BODY / 2)}${']'.repeat(MAX_BODY / 2)}`],
    }),
    flood('bodies of millions of numbers', {
      connections: 8,
      bodies: [`[${'1,'.repeat(MAX_BODY / 2)}1]`],
    }),
    flood('10,000 pending filters', {
      connections: 2,
      bodies: [batch(call('eth_newPendingTransactionFilter'), 1000)],
    }),
    flood('subscriptions to everything', {
      server: 'ws',
      connections: 20,
      burst: 200,
      bodies: [
        call('eth_subscribe', ['newHeads']),
        call('eth_subscribe', ['logs', {}]),
        call('eth_subscribe', ['newPendingTransactions', true]),
      ],
    }),
    flood('calls that never end', {
      connections: 60,
      bodies: [call('eth_call', looping), call('eth_estimateGas', looping)],
    }),
    flood('calls of long hashes', {
      connections: 16,
      bodies: [
        call('eth_call', [{ to: CODE_AT }, 'latest', { [CODE_AT]: { code: HASHES } }]),
        call('debug_traceCall', [
          { to: CODE_AT },
          'latest',
          { tracer: 'noopTracer', stateOverrides: { [CODE_AT]: { code: HASHES } } },
        ]),
      ],
    }),
    flood('fee histories of a thousand blocks', {
      connections: 16,
      bodies: [call('eth_feeHistory', ['0x400', 'latest', [10, 50, 90]])],
    }),
    flood('receipts and logs of everything', {
      connections: 16,
      bodies: [
        call('eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest' }]),
        batch(call('eth_getTransactionReceipt', [transactions[0]]), 1000),
      ],
    }),
    flood('batches on the consensus RPC', {
      server: 'consensus',
      connections: 16,
      bodies: [
        batch(call('blockchain', {}), 10),
        batch(call('block_results', {}), 10),
        batch(call('genesis', {}), 10),
      ],
    }),
    flood('connections that say nothing more than a first line', {
      connections: 500,
      chunkBytes: 1,
      chunkMs: 1000,
      bodies: [call('eth_chainId')],
    }),
  ]
}

const SCALES = [1, 1, 10, 100, 1000] as const

/**
 * Approximate maximum length of an argument: more than a body may have, but made within a second. Nested lists of
 * words would otherwise take minutes to generate.
 */
const MAX_ARGUMENT = 2 * MAX_BODY
/** Length of a list entry, which is a word or contains some. */
const ENTRY = 70

/** Returns an argument of a type, by its label: valid values of any size up to the node's limits and beyond. */
function argument(label: string, dice: Dice, target: FloodTarget): unknown {
  const address = () => dice.pick([...target.addresses, CODE_AT])
  const word = () => `0x${Buffer.from(dice.bytes(32)).toString('hex')}`
  const quantity = () => `0x${dice.number(dice.pick([1, 8, 16, 62])).toString(16)}`
  const count = () => dice.pick(SCALES) * (1 + dice.below(9))
  let left = MAX_ARGUMENT
  const take = (length: number, bytesEach: number): number => {
    const taken = Math.min(length, Math.floor(left / bytesEach))
    left -= taken * bytesEach
    return taken
  }
  const data = (bytes: number) => hex(take(bytes, 2))
  const list = <T>(make: () => T, length = count()): T[] =>
    Array.from({ length: take(length, ENTRY) }, make)
  const block = () =>
    dice.pick([
      'latest',
      'earliest',
      'pending',
      'safe',
      quantity(),
      `0x${dice.below(target.height + 1).toString(16)}`,
    ])
  const slots = () => Object.fromEntries(list(() => [word(), word()]))
  const overrides = () =>
    Object.fromEntries([
      [CODE_AT, { code: dice.pick([LOOP, HASHES, '0x']) }],
      ...list(() => [
        `0x${Buffer.from(dice.bytes(20)).toString('hex')}`,
        dice.pick([{ balance: word() }, { stateDiff: slots() }, { code: data(count() * 24) }]),
      ]).slice(0, 200),
    ])
  const callObject = () => ({
    from: address(),
    to: dice.pick([CODE_AT, address(), null]),
    ...(dice.chance(0.3) && { data: data(count() * 100) }),
    ...(dice.chance(0.2) && { value: quantity() }),
    ...(dice.chance(0.2) && {
      accessList: list(() => ({ address: address(), storageKeys: list(word, dice.below(20)) })),
    }),
  })
  const tracer = () =>
    dice.pick([
      {},
      { tracer: 'callTracer', tracerConfig: { withLog: true } },
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
      { tracer: 'muxTracer', tracerConfig: { callTracer: {}, '4byteTracer': {} } },
      { tracer: '{step:function(){for(;;);},fault:function(){},result:function(){}}' },
      { enableMemory: true, enableReturnData: true, timeout: '60s' },
    ])
  switch (label) {
    case 'address':
      return address()
    case 'hash':
      return dice.pick([...target.transactions, ...target.blockHashes, word()])
    case 'data':
      return data(count() * dice.pick([1, 100, 300]))
    case 'quantity':
      return quantity()
    case 'slot':
      return word()
    case 'slots':
      return list(word)
    case 'slots by address':
      return Object.fromEntries(target.addresses.map((one) => [one, list(word)]))
    case 'boolean':
      return dice.chance(0.8)
    case 'string':
      return dice.pick(['logs', 'newHeads', 'newPendingTransactions', word(), 'x'.repeat(count())])
    case 'percentiles':
      return list(() => 0, 100).map((_, i) => i)
    case 'call object':
      return callObject()
    case 'state overrides':
      return overrides()
    case 'block overrides':
      return { number: quantity(), time: quantity(), gasLimit: quantity() }
    case 'simulation':
      return {
        blockStateCalls: list(
          () => ({ calls: list(callObject, dice.below(50)), stateOverrides: overrides() }),
          1 + dice.below(20),
        ),
        traceTransfers: dice.chance(0.5),
        validation: dice.chance(0.2),
        returnFullTransactions: dice.chance(0.5),
      }
    case 'log filter':
    case 'filter or boolean':
      return {
        fromBlock: block(),
        toBlock: block(),
        ...(dice.chance(0.3) && { address: list(address) }),
        ...(dice.chance(0.3) && { topics: [list(word), null, list(word)] }),
      }
    case 'trace options':
      return tracer()
    case 'trace call options':
      return { ...tracer(), stateOverrides: overrides() }
    default:
      return block()
  }
}

/** Returns a random flood: one to four methods with arguments of their types, sent in any of the ways. */
export function generatedFlood(seed: number, dice: Dice, target: FloodTarget): Flood {
  const bodies: string[] = []
  const names: string[] = []
  for (let i = 1 + dice.below(4); i > 0; i--) {
    const method = dice.pick(METHODS)
    const params = method.params
      .filter((parameter) => parameter.required || dice.chance(0.7))
      .map(({ type }) => argument(type.label, dice, target))
    const one = call(method.name, params, dice.chance(0.3) ? undefined : 1)
    const most = Math.max(1, Math.min(1000, Math.floor(MAX_BODY / (one.length + 1))))
    const length = dice.pick([1, 1, 10, most])
    bodies.push(length === 1 ? one : batch(one, Math.min(length, most)))
    names.push(length === 1 ? method.name : `${Math.min(length, most)} x ${method.name}`)
  }
  const server = dice.pick(['http', 'http', 'ws'] as const)
  const reads = dice.chance(0.8)
  const connections = dice.pick([1, 4, 16, 64])
  const chunkBytes = server === 'http' && dice.chance(0.2) ? dice.pick([1, 16, 1000]) : 0
  const way = [
    `${connections} ${server}`,
    ...(reads ? [] : ['unread']),
    ...(chunkBytes > 0 ? [`chunks of ${chunkBytes}`] : []),
  ]
  return {
    ...CALM,
    name: `seed ${seed}: ${names.join(', ')} (${way.join(', ')})`,
    server,
    connections,
    bodies,
    reads,
    chunkBytes,
    burst: server === 'ws' ? dice.pick([1, 10, 100]) : 1,
  }
}
