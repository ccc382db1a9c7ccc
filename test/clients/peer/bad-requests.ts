import { METHODS } from '../../../host/api/rpc/methods.ts'
import type { Dice } from '../../fuzz/dice.ts'

export type Request = readonly [method: string, ...params: readonly unknown[]]

/** Values of the chain for use in requests. */
export interface Known {
  /** An account without code. */
  readonly address: string
  /** An account with a balance. */
  readonly sender: string
  readonly blockHash: string
  readonly transactionHash: string
  /** A block in RLP. */
  readonly rawBlock: string
}

/** Methods not sent to geth: it lacks some, and some write a file named by an argument. */
const NOT_ASKED: ReadonlySet<string> = new Set([
  'debug_getBadBlocks',
  'eth_coinbase',
  'debug_traceBlockStateAccess',
  'debug_traceStateAccess',
  'debug_traceTransactionProfile',
  // These write files
  'debug_standardTraceBlockToFile',
  // geth has these in the path-based scheme of states only with their history
  'debug_getAccessibleState',
  // geth 1.17.10 does not have these
  'debug_chainConfig',
  'debug_codeByHash',
  'debug_executionWitnessByBlockHash',
  'debug_getRawBlockAccessList',
  'debug_traceCallMany',
  'eth_callMany',
  'eth_getAccount',
  'eth_getAccountInfo',
  'eth_getBlockAccessList',
  'eth_getBlockAccessListByBlockHash',
  'eth_getBlockAccessListByBlockNumber',
  'eth_getBlockAccessListByHash',
  'eth_getBlockAccessListByNumber',
  'eth_getMultiProof',
  'eth_getTransactionBySenderAndNonce',
])

/** Namespaces that geth also has. */
const ASKED = /^(debug|eth|net|rpc|txpool|web3)_/

const WORD = `0x${'00'.repeat(31)}01`
const PRECOMPILE = `0x${'00'.repeat(19)}02`
const HUGE = `0x1${'0'.repeat(64)}`

/** Values of a wrong type, or at the limits of one. */
const JUNK: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    1,
    -1,
    1.5,
    1e21,
    '',
    ' ',
    '0x',
    '0',
    '1',
    '0x0',
    '0x00',
    '0x01',
    '0X1',
    '0x1',
  ],
  ...['0xg', 'latest', 'Latest', 'nothing', '0xffffffffffffffff', '0x10000000000000000', HUGE],
  ...[
    WORD,
    `${WORD}00`,
    WORD.slice(0, 42),
    WORD.slice(0, 41),
    WORD.slice(2),
    `0x${'ab'.repeat(3000)}`,
  ],
  ...[[], [[]], [null], ['0x1'], [5], {}, { a: 1 }, { constructor: {} }, [{}]],
]

function call(dice: Dice, { address, sender }: Known): object {
  const common = {
    gas: '0x30d40',
    value: '0x0',
    nonce: '0x0',
    input: '0x1234',
    data: '0x1234',
    chainId: '0x539',
    accessList: [{ address, storageKeys: [WORD] }],
  }
  const price = { gasPrice: '0x77359400' }
  const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
  const kinds = [
    {},
    price,
    fees,
    { ...fees, blobVersionedHashes: [`0x01${'22'.repeat(31)}`], maxFeePerBlobGas: '0x1' },
    {
      ...fees,
      authorizationList: [
        { chainId: '0x0', address, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' },
      ],
    },
  ]
  return { from: sender, to: address, ...some(dice, common), ...dice.pick(kinds) }
}

/** Returns the object with a random subset of its members. */
function some(dice: Dice, object: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(object).filter(() => dice.chance(0.3)))
}

function overrides(dice: Dice, { address }: Known): object {
  const all = {
    nonce: '0x1',
    code: '0x00',
    balance: '0x1',
    [dice.pick(['state', 'stateDiff'])]: { [WORD]: WORD },
  }
  const moved = { movePrecompileToAddress: `0x${'99'.repeat(20)}` }
  return dice.chance(0.8)
    ? { [address]: some(dice, all) }
    : { [PRECOMPILE]: { ...some(dice, all), ...moved } }
}

function blockOverrides(dice: Dice, { address }: Known): object {
  return some(dice, {
    number: '0x10',
    difficulty: '0x0',
    time: '0xffffffff',
    gasLimit: '0x1c9c380',
    feeRecipient: address,
    prevRandao: WORD,
    baseFeePerGas: '0x1',
    blobBaseFee: '0x1',
  })
}

function tracing(dice: Dice): object {
  const tracer = dice.pick([
    ...['callTracer', 'prestateTracer', '4byteTracer', 'flatCallTracer', 'noopTracer'],
    ...['muxTracer', 'erc7562Tracer', 'keccak256PreimageTracer', undefined],
  ])
  const ofMux = { callTracer: { onlyTopCall: true }, '4byteTracer': null }
  const ofOthers = some(dice, {
    onlyTopCall: true,
    withLog: true,
    diffMode: true,
    disableCode: true,
    disableStorage: true,
    includeEmpty: true,
    convertParityErrors: true,
    includePrecompiles: true,
    ignoredOpcodes: [],
    stackTopItemsSize: 3,
  })
  const options = some(dice, {
    enableMemory: true,
    disableStack: true,
    disableStorage: true,
    enableReturnData: true,
    limit: 3,
    timeout: '5s',
    reexec: 128,
    tracerConfig: tracer === 'muxTracer' ? ofMux : ofOthers,
    overrides: {},
  })
  return tracer === undefined ? options : { ...options, tracer }
}

/** Valid arguments by the type labels of the method table. */
const RIGHT: Readonly<Record<string, (dice: Dice, known: Known) => unknown>> = {
  address: (_, { address }) => address,
  hash: (dice, { blockHash, transactionHash }) => dice.pick([blockHash, transactionHash]),
  'block number or tag': (dice) => dice.pick(['0x1', 'latest', 'earliest']),
  'block number, tag, hash or EIP-1898 object': (dice, { blockHash }) =>
    dice.pick<unknown>(['0x1', 'latest', blockHash, { blockHash }, { blockNumber: '0x1' }]),
  'call object': call,
  transaction: call,
  'state overrides': overrides,
  'block overrides': blockOverrides,
  'trace options': tracing,
  'trace call options': (dice, known) => ({
    ...tracing(dice),
    ...some(dice, {
      stateOverrides: overrides(dice, known),
      blockOverrides: blockOverrides(dice, known),
      txIndex: '0x0',
    }),
  }),
  simulation: (dice, known) => ({
    blockStateCalls: [
      some(dice, {
        blockOverrides: blockOverrides(dice, known),
        stateOverrides: overrides(dice, known),
        calls: [call(dice, known)],
      }),
    ],
    ...some(dice, { validation: true, traceTransfers: true, returnFullTransactions: true }),
  }),
  'log filter': (dice, { address, blockHash }) => ({
    ...some(dice, { address, topics: [[WORD], null] }),
    ...dice.pick([{ blockHash }, { fromBlock: '0x1', toBlock: 'latest' }, {}]),
  }),
  data: (dice, { rawBlock }) => dice.pick([rawBlock, '0x1234']),
  quantity: () => '0x1',
  slot: () => '0x0',
  slots: () => [WORD],
  'slots by address': (_, { address }) => ({ [address]: [WORD] }),
  percentiles: () => [10, 50.5],
  boolean: () => true,
}

/** Members that contradict others, or that are unknown. */
const MORE = [
  ...['unknown', 'gasPrice', 'state', 'stateDiff', 'beaconRoot', 'withdrawals', 'blockHash'],
  ...['movePrecompileToAddress', 'blobVersionedHashes', 'authorizationList', 'constructor'],
]

/** Returns the value with one fault: a part replaced or removed, or a part added. */
function spoiled(dice: Dice, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.25)) return dice.pick(JUNK)
  if (Array.isArray(value)) {
    const at = dice.below(value.length + 1)
    const part = at < value.length ? [spoiled(dice, value[at])] : [dice.pick(JUNK)]
    return value.toSpliced(at, 1, ...part)
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || dice.chance(0.1)) {
    return { ...value, [dice.pick(MORE)]: dice.pick(JUNK) }
  }
  const [name, part] = dice.pick(entries)
  if (!dice.chance(0.15)) return { ...value, [name]: spoiled(dice, part) }
  return Object.fromEntries(entries.filter((entry) => entry[0] !== name))
}

/** Returns requests for all methods that geth shares, most of them with one fault. */
export function badRequests(dice: Dice, known: Known, count: number): Request[] {
  const methods = METHODS.filter(
    ({ name, dev }) => ASKED.test(name) && !NOT_ASKED.has(name) && !dev,
  )
  return Array.from({ length: count }, (_, i) => {
    // Methods with parameters are chosen more often
    const rows = i % 3 === 0 ? methods : methods.filter(({ params }) => params.length > 0)
    const { name, params } = dice.pick(rows)
    const all = params.map(({ type }) => RIGHT[type.label]?.(dice, known) ?? dice.pick(JUNK))
    const place = dice.below(all.length)
    switch (dice.below(12)) {
      case 0:
        return [name, ...all.slice(0, dice.below(all.length + 1))]
      case 1:
        return [name, ...all, dice.pick(JUNK)]
      case 2:
        return [name, ...all]
      default:
        return [name, ...all.map((value, at) => (at === place ? spoiled(dice, value) : value))]
    }
  })
}
