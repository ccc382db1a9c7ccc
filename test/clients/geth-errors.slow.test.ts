import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GETH_DIFFERENCES } from '../../tools/reference/geth-differences.ts'
import { makeDice } from '../fuzz/dice.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../support/node/daemon.ts'
import { call, post, type RpcAnswer, type RpcFailure } from '../support/node/json-rpc.ts'
import { badRequests, type Request } from './peer/bad-requests.ts'
import { feeArguments } from './peer/fee-arguments.ts'
import { exportChain, findGeth, type Geth, sendFromGeth, startGeth } from './peer/geth.ts'

// Tools match on error codes and messages. The same bad requests go to geth and to a node that imported its chain.
// The codes must be equal, and the node's message must begin with geth's.

const found = findGeth()
const reason = 'reason' in found ? found.reason : undefined
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)
const COUNT = Number(process.env.LOCKSTEP_BAD_REQUESTS ?? 1500)
const BATCH = 100
if (reason !== undefined) console.log(`Errors are not compared with geth's: ${reason}`)
else console.log(`${COUNT} bad requests of seed ${SEED} (LOCKSTEP_BAD_REQUESTS, LOCKSTEP_SEED)`)

/** Stands for geth's error if it returned a result. */
const ANSWERED: RpcFailure = { code: 0, message: '' }

const withoutHash = ({ code, message }: RpcFailure) =>
  `${code} ${message.replace(/0x[0-9a-f]{64}/, 'hash')}`

/** How each row of tools/reference/geth-differences.ts about errors appears. */
const ACCEPTED: {
  readonly [Name in keyof typeof GETH_DIFFERENCES]?: (
    geth: RpcFailure,
    ours: RpcFailure | undefined,
    request: Request,
  ) => boolean
} = {
  decoderWords: ({ code, message }, ours) =>
    ours?.code === code && /json: cannot unmarshal|invalid hex or decimal/.test(message),
  feePercentiles: ({ message }, _ours, [method]) =>
    method === 'eth_feeHistory' && message === 'missing value for required argument 2',
  // The hash depends on the suggested tip
  suggestedPrice: (geth, ours, [method, argument]) =>
    method === 'eth_createAccessList' &&
    !Object.hasOwn(argument as object, 'maxPriorityFeePerGas') &&
    ours !== undefined &&
    withoutHash(geth) === withoutHash(ours),
  importedChain: (_geth, _ours, [method]) => method.startsWith('eth_sendRawTransaction'),
  shortSlots: ({ message }, ours) => ours === undefined && /common\.Hash$/.test(message),
  emptyValues: (_geth, ours, request) =>
    ours?.code === -32602 &&
    /null|""/.test(JSON.stringify(request)) &&
    /got null|0x prefix/.test(ours.message),
  fullTransactions: ({ message }, ours, [method]) =>
    ours === undefined &&
    method.startsWith('eth_getBlockBy') &&
    message === 'missing value for required argument 1',
  tracerScripts: (_geth, ours) =>
    /^SyntaxError|tracer name must not be empty|^tracer ".*" is not available/.test(
      ours?.message ?? '',
    ),
  blockTracerConfig: ({ message }, ours, [method]) =>
    ours === undefined &&
    method.startsWith('debug_traceBlock') &&
    /^cannot use diffMode|native\.\w+Config$/.test(message),
  traceOptions: (_geth, ours) => /\(tracerConfig\)$|^time: /.test(ours?.message ?? ''),
  chainOverrides: (_geth, ours) =>
    /^overrides of the chain's rules|\(overrides\)$/.test(ours?.message ?? ''),
  pendingTrace: ({ message }, ours) =>
    ours === undefined && message === 'tracing on top of pending is not supported',
  movedAccessList: ({ message }, _ours, [method]) =>
    method === 'eth_createAccessList' && message.endsWith('is not a precompile'),
  earliestState: ({ message }) => /^block #-\d+ not found$/.test(message),
  countText: ({ message }) => /into Go value of type (int|uint64)$/.test(message),
  decimalCount: (geth, ours, [method]) =>
    geth === ANSWERED && method === 'eth_feeHistory' && ours?.code === -32602,
  pendingFilter: (geth, _ours, [method]) =>
    geth === ANSWERED && method === 'eth_newPendingTransactionFilter',
  longKey: (_geth, ours) => ours?.message.startsWith('storage key too long') === true,
  noTime: (_geth, ours) => ours?.message === 'trace timed out after 0ms',
  oddHex: ({ message }, ours) =>
    message.endsWith('invalid hex string') &&
    ours?.message.endsWith('hex string of odd length') === true,
  printedHash: ({ message }, ours) =>
    message.startsWith('block #[') && ours?.message.endsWith('not found') === true,
  absentReceipts: (geth, _ours, [method]) => geth === ANSWERED && method === 'debug_getRawReceipts',
}

const ADDRESS = `0x${'77'.repeat(20)}`
const ABSENT = `0x${'12'.repeat(32)}`
const FAR = '0x7fffffffffffffff'

const BLOCKS: readonly unknown[] = [
  ...['0x3e8', FAR, '0x8000000000000000', '0x10000000000000000', ABSENT, '0x01', '0x', '1', ''],
  ...['0xg', 5, true, null, [], {}, { blockNumber: '0x3e8' }, { blockHash: ABSENT }],
  ...[{ blockNumber: '0x1', blockHash: ABSENT }, { requireCanonical: true }],
]
const WORDS: readonly unknown[] = [
  '0x',
  '',
  '1',
  '0x1',
  '0x12',
  ADDRESS,
  ABSENT,
  `${ABSENT}00`,
  5,
  null,
]

const CALLS: readonly object[] = [
  { to: ADDRESS, value: '0x1' },
  { to: ADDRESS, gas: '0x1' },
  { to: ADDRESS, chainId: '0x1' },
  { to: ADDRESS, gasPrice: '0x1', maxFeePerGas: '0x1' },
  { to: ADDRESS, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
  { to: ADDRESS, maxFeePerBlobGas: '0x1' },
  { to: ADDRESS, gas: '0x5208', gasPrice: '0x3b9aca00' },
  { to: ADDRESS, accessList: [{}] },
  { to: ADDRESS, accessList: [{ address: ADDRESS }] },
  { to: ADDRESS, authorizationList: [{ chainId: '0x1' }] },
  { to: ADDRESS, authorizationList: [{ chainId: '0x1', address: ADDRESS }] },
  { data: '0xfe' },
  { data: '0x5f5ffd' },
  { data: '0x60ef60005360016000f3' },
  { data: `0x${'00'.repeat(49_153)}` },
]

const RANGES: readonly object[] = [
  { fromBlock: '0x2', toBlock: '0x1' },
  { fromBlock: '0x3e8' },
  { fromBlock: '0x3e8', toBlock: '0x3e9' },
  { fromBlock: 'latest', toBlock: '0x3e8' },
  { fromBlock: 'pending' },
  { toBlock: 'pending' },
  { blockHash: ABSENT },
  { blockHash: ABSENT, toBlock: '0x1' },
  { address: [ADDRESS, null] },
  { address: [5] },
  { address: 5 },
  { address: '0x1' },
  { address: ['0x12'] },
  { topics: [5] },
  { topics: ['0x12'] },
  { topics: [[5]] },
  { topics: [[], [], [], [], []] },
  { topics: [Array(1001).fill(ABSENT)] },
]

function requests(hash: string): Request[] {
  const byState: readonly Request[] = [
    ['eth_getBalance', ADDRESS],
    ['eth_getCode', ADDRESS],
    ['eth_getTransactionCount', ADDRESS],
    ['eth_getStorageAt', ADDRESS, '0x0'],
    ['eth_getProof', ADDRESS, []],
    ['eth_call', { to: ADDRESS }],
    ['eth_estimateGas', { to: ADDRESS }],
    ['eth_createAccessList', { to: ADDRESS }],
    ['debug_traceCall', { to: ADDRESS }],
    ['eth_simulateV1', { blockStateCalls: [{}] }],
    ['eth_getBlockReceipts'],
  ]
  const byNumber: readonly Request[] = [
    ['eth_getBlockTransactionCountByNumber'],
    ['eth_getHeaderByNumber'],
    ['eth_getUncleCountByBlockNumber'],
    ['debug_traceBlockByNumber'],
    ['eth_feeHistory', '0x2'],
  ]
  const byHash = [
    ...['eth_getBlockTransactionCountByHash', 'eth_getHeaderByHash'],
    ...['eth_getTransactionByHash', 'eth_getTransactionReceipt', 'debug_traceBlockByHash'],
    ...['debug_traceTransaction', 'debug_intermediateRoots'],
  ]
  const asRange = BLOCKS.filter((block) => typeof block === 'string' && block !== ABSENT)
  return [
    ...byState.flatMap((one) => BLOCKS.map((block): Request => [...one, block])),
    ...byNumber.flatMap((one) => asRange.map((block): Request => [...one, block])),
    ...byHash.flatMap((name) => WORDS.map((word): Request => [name, word])),
    ...WORDS.map((word): Request => ['eth_getBalance', word, 'latest']),
    ...CALLS.flatMap((object): Request[] => [
      ['eth_call', object, 'latest'],
      ['eth_estimateGas', object, 'latest'],
      ['eth_createAccessList', object, 'latest'],
      ['debug_traceCall', object, 'latest', { tracer: 'callTracer' }],
      ['eth_simulateV1', { blockStateCalls: [{ calls: [object] }] }, 'latest'],
    ]),
    ...RANGES.flatMap((range): Request[] => [
      ['eth_getLogs', range],
      ['eth_newFilter', range],
    ]),
    ['eth_feeHistory', '0x0', 'latest'],
    ['eth_feeHistory', '0x0', FAR, [101]],
    ...[[101], [-1], [50, 50], [50, 40], Array.from({ length: 101 }, (_, i) => i / 2)].map(
      (percentiles): Request => ['eth_feeHistory', '0x2', 'latest', percentiles],
    ),
    ['eth_getStorageAt', ADDRESS, `0x${'0'.repeat(66)}`, 'latest'],
    ['eth_getStorageAt', ADDRESS, '0xzz', 'latest'],
    ['eth_getProof', ADDRESS, Array(1025).fill('0x0'), 'latest'],
    ['eth_getStorageValues', {}, 'latest'],
    ['eth_getStorageValues', { [ADDRESS]: Array(1025).fill(ABSENT) }, 'latest'],
    ['eth_call', { to: ADDRESS }, 'latest', { [ADDRESS]: { state: {}, stateDiff: {} } }],
    [
      'eth_call',
      { to: ADDRESS },
      'latest',
      { [ADDRESS]: { movePrecompileToAddress: ABSENT.slice(0, 42) } },
    ],
    ['eth_getFilterChanges', '0x1'],
    ['eth_getFilterLogs', '0x1'],
    ['eth_subscribe', 'newHeads'],
    ['eth_unsubscribe', '0x1'],
    ['eth_nothing'],
    ['constructor'],
    ['debug_traceCall', { to: ADDRESS }, 'pending'],
    ['debug_traceBlockByNumber', '0x0'],
    ['debug_traceTransaction', hash, { timeout: 'soon' }],
    ['eth_simulateV1', { blockStateCalls: [] }, 'latest'],
    ['eth_simulateV1', { blockStateCalls: Array(257).fill({}) }, 'latest'],
    ['eth_simulateV1', { blockStateCalls: [{ blockOverrides: { number: '0x1' } }] }, 'latest'],
    ['eth_simulateV1', { blockStateCalls: [{ blockOverrides: { time: '0x1' } }] }, 'latest'],
  ]
}

/** Sends a batch over HTTP. Returns the answers in the order of the requests. */
async function postAll(url: string, requests: readonly Request[]): Promise<RpcAnswer[]> {
  const calls = requests.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls),
  })
  const answers = (await response.json()) as RpcAnswer[]
  return answers.toSorted((a, b) => Number(a.id) - Number(b.id))
}

/** Describes how two answers differ, one of which is an error. */
function differenceOf(request: Request, geth: RpcAnswer, ours: RpcAnswer): string | undefined {
  const [theirs, own] = [geth.error, ours.error]
  if (theirs === undefined && own === undefined) return undefined
  const isSame = theirs?.code === own?.code && own?.message.startsWith(theirs?.message ?? '\0')
  if (isSame === true) return undefined
  const isAccepted = Object.values(ACCEPTED).some((is) => is(theirs ?? ANSWERED, own, request))
  if (isAccepted) return undefined
  const show = ({ error, result }: RpcAnswer) =>
    error === undefined
      ? `result ${JSON.stringify(result)?.slice(0, 60)}`
      : `${error.code} ${error.message}`
  const asked = JSON.stringify(request).slice(0, 260)
  return `${asked}\n  geth: ${show(geth)}\n  ours: ${show(ours)}`
}

const head = (url: string) => call<string>(url, 'eth_blockNumber', [])

/** Starts a node that has imported geth's current chain, with its files in `folder`. */
async function startOnChainOf(geth: Geth, folder: string, attempt: number): Promise<Daemon> {
  const [file, home] = [join(folder, `chain-${attempt}.rlp`), join(folder, `home-${attempt}`)]
  await exportChain(geth, file)
  const genesis = join(folder, 'genesis.json')
  const imported = await runCommand(['import', file, '--genesis', genesis, '--home', home])
  expect(imported).toMatchObject({ code: 0 })
  return startDaemon({ home, dev: false })
}

describe.skipIf(reason !== undefined)('errors, compared with those of geth,', () => {
  const folder = makeHome()
  let geth: Geth
  let daemon: Daemon
  beforeAll(async () => {
    geth = await startGeth('path' in found ? found.path : '', folder)
    for (let i = 1; i <= 3; i++) await sendFromGeth(geth, { to: ADDRESS, gas: '0x5208' })
    // On a busy machine geth still makes empty blocks after the last transaction.
    for (let attempt = 1; ; attempt++) {
      daemon = await startOnChainOf(geth, folder, attempt)
      const [theirs, ours] = await Promise.all([head(geth.url), head(daemon.ready.rpc)])
      if (ours === theirs) break
      await daemon.stop()
    }
  })
  afterAll(async () => {
    await daemon?.stop()
    await geth?.stop()
    removeHome(folder)
  })

  test('have the same code and begin with the same message', async () => {
    const { hash } = await call<{ hash: string }>(
      geth.url,
      'eth_getTransactionByBlockNumberAndIndex',
      ['0x1', '0x0'],
    )
    const differences: string[] = []
    for (const request of requests(hash)) {
      const [method, ...params] = request
      const [theirs, ours] = await Promise.all([
        post(geth.url, method, params),
        post(daemon.ready.rpc, method, params),
      ])
      const difference = differenceOf(request, theirs, ours)
      if (difference !== undefined) differences.push(difference)
    }
    expect(differences.join('\n')).toBe('')
  })

  test('have the same code and the same beginning for generated requests with one fault each', async () => {
    const { hash, blockHash } = await call<{ hash: string; blockHash: string }>(
      geth.url,
      'eth_getTransactionByBlockNumberAndIndex',
      ['0x1', '0x0'],
    )
    const rawBlock = await call<string>(geth.url, 'debug_getRawBlock', ['0x1'])
    const known = {
      address: ADDRESS,
      sender: geth.account,
      blockHash,
      transactionHash: hash,
      rawBlock,
    }
    expect(await differencesIn(badRequests(makeDice(SEED), known, COUNT))).toBe('')
  })

  test('have the same code and the same beginning for every mix of gas prices, delegations, blobs and creations', async () => {
    expect(await differencesIn(feeArguments(geth.account))).toBe('')
  })

  async function differencesIn(asked: readonly Request[]): Promise<string> {
    const differences: string[] = []
    for (let first = 0; first < asked.length; first += BATCH) {
      const batch = asked.slice(first, first + BATCH)
      const [theirs, ours] = await Promise.all([
        postAll(geth.url, batch),
        postAll(daemon.ready.rpc, batch),
      ])
      for (const [i, request] of batch.entries()) {
        const [one, other] = [theirs[i] as RpcAnswer, ours[i] as RpcAnswer]
        const difference = differenceOf(request, one, other)
        if (difference !== undefined) differences.push(difference)
      }
    }
    return differences.join('\n')
  }
})
