import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockstepError } from '../../../../host/base/error.ts'
import { formatData } from '../../../../host/base/hex.ts'
import type { Log } from '../../../../host/chain-types/log.ts'
import type { SimulatedBlock } from '../../../../host/execute/simulate/pretended-block.ts'
import type { Simulation } from '../../../../host/execute/simulate/simulator.ts'
import type { ImportedChain, RpcContext } from '../../../../host/rpc/call/context.ts'
import { type Account, NO_ACCOUNT } from '../../../../host/state/account.ts'
import {
  FakeNode,
  keccak256,
  RECIPIENT,
  repeat,
  SENDER,
  transaction,
} from '../../../support/chain/fake-chain.ts'

const GWEI = 1_000_000_000n
const TOPIC = repeat(0x11, 32)
const OTHER_TOPIC = repeat(0x22, 32)
const log = (topics: Uint8Array[] = [TOPIC], address = RECIPIENT): Log => ({
  address,
  topics,
  data: Uint8Array.of(1, 2),
})
const invalid = (message: string) => ({ error: { code: -32602, message } })
const failed = (message: string) => ({ error: { code: -32000, message } })

let node: FakeNode

beforeEach(() => {
  node = new FakeNode()
})

afterEach(() => {
  node.close()
  expect(node.defects).toEqual([])
})

/** Replaces the node by one with other limits or parts. */
function rewire(...args: ConstructorParameters<typeof FakeNode>): void {
  node.close()
  node = new FakeNode(...args)
}

describe('transaction records', () => {
  const common = {
    from: `0x${'aa'.repeat(20)}`,
    gas: '0x5208',
    input: '0x',
    nonce: '0x0',
    to: `0x${'bb'.repeat(20)}`,
    transactionIndex: '0x0',
    value: '0x0',
    chainId: '0x531',
    r: '0x1234',
    s: '0x5678',
    blockNumber: '0x1',
    blockTimestamp: '0x6553f101',
  }
  const accessList = [{ address: repeat(0xcc, 20), storageKeys: [repeat(0xdd, 32)] }]
  const accessListRecord = [
    { address: `0x${'cc'.repeat(20)}`, storageKeys: [`0x${'dd'.repeat(32)}`] },
  ]
  const authorization = {
    chainId: 1329n,
    address: repeat(0xee, 20),
    nonce: 3n,
    yParity: 1n,
    r: 8n,
    s: 9n,
  }

  test.each([
    [
      0,
      transaction({ type: 0, maxFeePerGas: 60n * GWEI, maxPriorityFeePerGas: 60n * GWEI }),
      { gasPrice: '0xdf8475800', v: '0xa86', type: '0x0' },
    ],
    [
      1,
      transaction({
        type: 1,
        maxFeePerGas: 60n * GWEI,
        maxPriorityFeePerGas: 60n * GWEI,
        accessList,
      }),
      {
        gasPrice: '0xdf8475800',
        v: '0x1',
        yParity: '0x1',
        type: '0x1',
        accessList: accessListRecord,
      },
    ],
    [
      2,
      transaction({ accessList }),
      {
        // Base fee of 50 gwei and tip of 1.
        gasPrice: '0xbdfd63e00',
        maxFeePerGas: '0x174876e800',
        maxPriorityFeePerGas: '0x3b9aca00',
        v: '0x1',
        yParity: '0x1',
        type: '0x2',
        accessList: accessListRecord,
      },
    ],
    [
      4,
      transaction({ type: 4, authorizations: [authorization] }),
      {
        gasPrice: '0xbdfd63e00',
        maxFeePerGas: '0x174876e800',
        maxPriorityFeePerGas: '0x3b9aca00',
        v: '0x1',
        yParity: '0x1',
        type: '0x4',
        accessList: [],
        authorizationList: [
          {
            chainId: '0x531',
            address: `0x${'ee'.repeat(20)}`,
            nonce: '0x3',
            yParity: '0x1',
            r: '0x8',
            s: '0x9',
          },
        ],
      },
    ],
  ])('type %i has exactly its fields', async (_, one, own) => {
    const { hash: blockHash } = node.addBlock([{ transaction: one }])
    const hash = formatData(one.hash)
    const expected = { ...common, ...own, hash, blockHash: formatData(blockHash) }
    expect(await node.call('eth_getTransactionByHash', [hash])).toEqual(expected)
    expect(await node.call('eth_getTransactionByBlockNumberAndIndex', ['0x1', '0x0'])).toEqual(
      expected,
    )
    expect(
      await node.call('eth_getTransactionByBlockHashAndIndex', [formatData(blockHash), '0x0']),
    ).toEqual(expected)
    expect(await node.call('eth_getRawTransactionByHash', [hash])).toBe(formatData(one.raw))
  })

  test('a legacy transaction without a chain id shows none', async () => {
    const one = transaction({ type: 0, chainId: undefined })
    node.addBlock([{ transaction: one }])
    const record = await node.call('eth_getTransactionByHash', [formatData(one.hash)])
    expect(record).not.toHaveProperty('chainId')
  })

  test('a waiting transaction has no place and shows its fee cap', async () => {
    const one = transaction()
    node.pool.announce(one)
    const record = await node.call('eth_getTransactionByHash', [formatData(one.hash)])
    expect(record).toMatchObject({
      blockHash: null,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
      gasPrice: '0x174876e800',
    })
    expect(await node.call('eth_getRawTransactionByHash', [formatData(one.hash)])).toBe(
      formatData(one.raw),
    )
    expect(await node.call('eth_getTransactionReceipt', [formatData(one.hash)])).toBeNull()
  })

  test('what does not exist is null', async () => {
    const hash = `0x${'00'.repeat(32)}`
    for (const [method, ...params] of [
      ['eth_getTransactionByHash', hash],
      ['eth_getRawTransactionByHash', hash],
      ['eth_getTransactionReceipt', hash],
      ['eth_getBlockByHash', hash, false],
      ['eth_getBlockByNumber', '0x99', false],
      ['eth_getBlockReceipts', '0x99'],
      ['eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', '0x0', '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', '0x0', '0xffffffffffffffff'],
      ['eth_getBlockTransactionCountByHash', hash],
      ['eth_getBlockTransactionCountByNumber', '0x99'],
      ['eth_getUncleCountByBlockHash', hash],
      ['eth_getUncleCountByBlockNumber', '0x99'],
    ]) {
      expect(await node.call(method as string, params), method as string).toBeNull()
    }
  })
})

describe('receipts', () => {
  test('carry exactly their fields; logs count through the block', async () => {
    const first = transaction()
    const second = transaction({ nonce: 1n, to: undefined })
    const { hash: blockHash } = node.addBlock([
      { transaction: first, logs: [log(), log()] },
      {
        transaction: second,
        logs: [log([TOPIC, OTHER_TOPIC])],
        gasUsed: 90_000n,
        contractAddress: repeat(0xc0, 20),
      },
    ])
    const receipt = await node.call('eth_getTransactionReceipt', [formatData(second.hash)])
    const bloom = node.chain.receipts(1)?.[1]?.logsBloom ?? new Uint8Array()
    expect(receipt).toEqual({
      blockHash: formatData(blockHash),
      blockNumber: '0x1',
      contractAddress: `0x${'c0'.repeat(20)}`,
      cumulativeGasUsed: '0x1b198',
      effectiveGasPrice: '0xbdfd63e00',
      from: formatData(SENDER),
      gasUsed: '0x15f90',
      logs: [
        {
          address: formatData(RECIPIENT),
          topics: [formatData(TOPIC), formatData(OTHER_TOPIC)],
          data: '0x0102',
          blockNumber: '0x1',
          transactionHash: formatData(second.hash),
          transactionIndex: '0x1',
          blockHash: formatData(blockHash),
          blockTimestamp: '0x6553f101',
          logIndex: '0x2',
          removed: false,
        },
      ],
      logsBloom: formatData(bloom),
      status: '0x1',
      to: null,
      transactionHash: formatData(second.hash),
      transactionIndex: '0x1',
      type: '0x2',
    })
    expect(await node.call('eth_getBlockReceipts', ['latest'])).toMatchObject([
      { transactionHash: formatData(first.hash), contractAddress: null, to: formatData(RECIPIENT) },
      receipt,
    ])
  })

  test('a failed transaction has status 0x0', async () => {
    const one = transaction()
    node.addBlock([{ transaction: one, status: 0 }])
    expect(await node.call('eth_getTransactionReceipt', [formatData(one.hash)])).toMatchObject({
      status: '0x0',
      logs: [],
    })
  })
})

describe('blocks', () => {
  test('carry exactly their fields, with hashes or records', async () => {
    const one = transaction()
    const header = node.addBlock([{ transaction: one, logs: [log()] }])
    const block = {
      number: '0x1',
      hash: formatData(header.hash),
      parentHash: formatData(header.parentHash),
      nonce: '0x0000000000000000',
      mixHash: `0x${'04'.repeat(32)}`,
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      logsBloom: formatData(header.logsBloom),
      stateRoot: `0x${'01'.repeat(32)}`,
      transactionsRoot: `0x${'02'.repeat(32)}`,
      receiptsRoot: `0x${'03'.repeat(32)}`,
      miner: `0x${'fe'.repeat(20)}`,
      difficulty: '0x0',
      totalDifficulty: '0x0',
      extraData: '0x',
      gasLimit: '0xbebc20',
      gasUsed: '0x5208',
      timestamp: '0x6553f101',
      baseFeePerGas: '0xba43b7400',
      withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: `0x${'00'.repeat(32)}`,
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      size: `0x${one.raw.length.toString(16)}`,
      uncles: [],
      withdrawals: [],
      transactions: [formatData(one.hash)],
    }
    expect(await node.call('eth_getBlockByNumber', ['0x1', false])).toEqual(block)
    expect(await node.call('eth_getBlockByHash', [formatData(header.hash)])).toEqual(block)
    const record = await node.call('eth_getTransactionByHash', [formatData(one.hash)])
    expect(await node.call('eth_getBlockByNumber', ['latest', true])).toEqual({
      ...block,
      transactions: [record],
    })
    expect(await node.call('eth_getBlockTransactionCountByNumber', ['0x1'])).toBe('0x1')
    expect(await node.call('eth_getUncleCountByBlockNumber', ['0x1'])).toBe('0x0')
    expect(await node.call('eth_blockNumber', [])).toBe('0x1')
  })

  test('latest, safe and finalized are the newest block', async () => {
    node.addBlock([])
    for (const tag of ['latest', 'safe', 'finalized']) {
      expect(await node.call('eth_getBlockByNumber', [tag, false])).toMatchObject({ number: '0x1' })
    }
    expect(await node.call('eth_getBlockByNumber', ['earliest', false])).toMatchObject({
      number: '0x0',
    })
  })

  test.each([
    ['newest', 'hex string without 0x prefix'],
    ['1', 'hex string without 0x prefix'],
    ['0x', 'hex string "0x"'],
    ['0x01', 'hex number with leading zero digits'],
    ['0xg', 'invalid hex string'],
    ['0x8000000000000000', 'block number larger than int64'],
    ['', 'empty hex string'],
    ['0x10000000000000000', 'hex number > 64 bits'],
    [1, 'hex string without 0x prefix'],
  ])('block argument %j is refused', async (block, text) => {
    expect(await node.call('eth_getBlockByNumber', [block, false])).toEqual(
      invalid(`invalid argument 0: ${text}`),
    )
  })

  test('a pruned block is error 4444 with the earliest height', async () => {
    for (let i = 0; i < 3; i++) node.addBlock([])
    node.chain.earliest = 2
    expect(await node.call('eth_getBlockByNumber', ['0x1', false])).toEqual({
      error: {
        code: 4444,
        message: 'requested height 1 has been pruned; earliest available is 2',
        data: { requested: 1, earliest: 2, latest: 3 },
      },
    })
  })

  test('capabilities name what is kept', async () => {
    const { hash } = node.addBlock([])
    node.stateEarliest = 1
    expect(await node.call('eth_capabilities', [])).toEqual({
      head: { number: '0x1', hash: formatData(hash) },
      state: { disabled: false, oldestBlock: '0x1' },
      tx: { disabled: false, oldestBlock: '0x0' },
      logs: { disabled: false, oldestBlock: '0x0' },
      receipts: { disabled: false, oldestBlock: '0x0' },
      blocks: { disabled: false, oldestBlock: '0x0' },
      stateproofs: { disabled: true },
    })
  })
})

describe('state', () => {
  const address = formatData(SENDER)
  const checksummed = '0xAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAaAa'

  beforeEach(() => {
    node.state.setAccount(SENDER, 5n, 10n ** 18n, Uint8Array.of(0x60, 0x00))
    node.state.setStorage(SENDER, repeat(0, 32), repeat(0x7f, 32))
  })

  test('reads accounts, code and slots', async () => {
    expect(await node.call('eth_getBalance', [address, 'latest'])).toBe('0xde0b6b3a7640000')
    expect(await node.call('eth_getBalance', [checksummed])).toBe('0xde0b6b3a7640000')
    expect(await node.call('eth_getTransactionCount', [address, 'latest'])).toBe('0x5')
    expect(await node.call('eth_getTransactionCount', [address, 'pending'])).toBe('0x7')
    expect(await node.call('eth_getCode', [address, '0x0'])).toBe('0x6000')
    for (const slot of ['0x0', '0x', '0', `0x${'0'.repeat(64)}`]) {
      expect(await node.call('eth_getStorageAt', [address, slot, 'latest'])).toBe(
        `0x${'7f'.repeat(32)}`,
      )
    }
  })

  test('absent accounts are empty', async () => {
    const nobody = `0x${'99'.repeat(20)}`
    expect(await node.call('eth_getBalance', [nobody, 'latest'])).toBe('0x0')
    expect(await node.call('eth_getTransactionCount', [nobody, 'latest'])).toBe('0x0')
    expect(await node.call('eth_getCode', [nobody, 'latest'])).toBe('0x')
    expect(await node.call('eth_getStorageAt', [nobody, '0x1', 'latest'])).toBe(
      `0x${'00'.repeat(32)}`,
    )
  })

  test('takes blocks by hash and by EIP-1898 objects', async () => {
    const { hash } = node.addBlock([])
    for (const block of [
      formatData(hash),
      { blockHash: formatData(hash) },
      { blockHash: formatData(hash), requireCanonical: true },
      { blockNumber: '0x1' },
      { blockNumber: 'latest' },
    ]) {
      expect(await node.call('eth_getBalance', [address, block])).toBe('0xde0b6b3a7640000')
    }
    expect(await node.call('eth_getBalance', [address, {}])).toEqual(
      invalid('invalid argument 1: must specify either BlockHash or BlockNumber'),
    )
    expect(
      await node.call('eth_getBalance', [
        address,
        { blockHash: formatData(hash), blockNumber: '0x1' },
      ]),
    ).toEqual(
      invalid(
        'invalid argument 1: cannot specify both BlockHash and BlockNumber, choose one or the other',
      ),
    )
  })

  test('says why a height cannot be read', async () => {
    for (let i = 0; i < 4; i++) node.addBlock([])
    expect(await node.call('eth_getBalance', [address, '0x5'])).toEqual(failed('header not found'))
    expect(await node.call('eth_getBalance', [address, `0x${'12'.repeat(32)}`])).toEqual(
      failed('header for hash not found'),
    )
    node.stateEarliest = 3
    expect(await node.call('eth_getBalance', [address, '0x2'])).toEqual({
      error: {
        code: 4444,
        message: 'requested height 2 has been pruned; earliest available is 3',
        data: { requested: 2, earliest: 3, latest: 4 },
      },
    })
  })

  test.each([
    [[], 'missing value for required argument 0'],
    [[7], 'invalid argument 0: want an address, got number'],
    [['0xabc'], 'invalid argument 0: hex string of odd length'],
    [['0xabcd'], 'invalid argument 0: hex string has length 4, want 40 for common.Address'],
    [['aa'.repeat(20)], 'invalid argument 0: hex string without 0x prefix'],
    [[`0x${'zz'.repeat(20)}`], 'invalid argument 0: invalid hex string'],
    [[`0x${'aa'.repeat(20)}`, 'latest', 1], 'too many arguments, want at most 2'],
    [
      [`0x${'aa'.repeat(3_000_000)}`],
      'invalid argument 0: hex string has length 6000000, want 40 for common.Address',
    ],
  ])('arguments %.60j are refused', async (params, message) => {
    expect(await node.call('eth_getBalance', params)).toEqual(invalid(message))
  })

  test('a slot of more than 32 bytes is refused', async () => {
    const slot = `0x${'0'.repeat(65)}`
    expect(await node.call('eth_getStorageAt', [address, slot, 'latest'])).toEqual(
      invalid(`storage key too long (want at most 32 bytes): "${slot}"`),
    )
  })
})

describe('sending', () => {
  test('hands the bytes to the pool and answers its hash', async () => {
    const raw = Uint8Array.of(2, 1, 2, 3)
    expect(await node.call('eth_sendRawTransaction', [formatData(raw)])).toBe(
      formatData(keccak256(raw)),
    )
    expect(node.pool.added).toEqual([raw])
  })

  test('a refusal keeps its text', async () => {
    node.pool.add = async () => {
      throw new LockstepError('TRANSACTION_REJECTED', 'nonce too low: next nonce 2, tx nonce 1')
    }
    expect(await node.call('eth_sendRawTransaction', ['0x02'])).toEqual(
      failed('nonce too low: next nonce 2, tx nonce 1'),
    )
  })

  test('the synchronous form waits for the receipt', async () => {
    const one = transaction()
    node.pool.add = async () => {
      setImmediate(() => node.addBlock([{ transaction: one }]))
      return one.hash
    }
    expect(await node.call('eth_sendRawTransactionSync', [formatData(one.raw)])).toMatchObject({
      transactionHash: formatData(one.hash),
      blockNumber: '0x1',
      status: '0x1',
    })
  })

  test('the synchronous form gives the hash when it waited in vain', async () => {
    const one = transaction()
    node.pool.add = async () => one.hash
    const hash = formatData(one.hash)
    expect(await node.call('eth_sendRawTransactionSync', [formatData(one.raw), 5])).toEqual({
      error: {
        code: 4,
        message: `transaction ${hash} was added to the pool but not mined within 5 ms`,
        data: hash,
      },
    })
  })
})

describe('calls', () => {
  const revertData =
    '0x08c379a000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000004' +
    `6e6f7065${'00'.repeat(28)}`
  const seen: Simulation[] = []

  function simulate(simulator: Partial<RpcContext['simulator']>): void {
    seen.length = 0
    rewire({}, { simulator: { ...node.context.simulator, ...simulator } })
  }

  const outcome = (output: string, fields = {}) => ({
    success: true,
    error: undefined,
    reverted: false,
    output: Buffer.from(output.slice(2), 'hex'),
    ...fields,
  })
  const executed = (output: string, fields = {}) =>
    ({ ...outcome(output, fields), kind: 'executed' }) as never

  test('a call object arrives decoded', async () => {
    simulate({
      call: async (simulation) => {
        seen.push(simulation)
        return executed('0xc0de')
      },
    })
    const to = formatData(RECIPIENT)
    expect(
      await node.call('eth_call', [
        {
          from: formatData(SENDER),
          to,
          gas: '0x5208',
          maxFeePerGas: '0x2',
          maxPriorityFeePerGas: '0x1',
          value: '0x3',
          input: '0x0102',
          data: '0x0102',
          nonce: '0x4',
          chainId: '0x531',
          type: '0x2',
          accessList: [{ address: to, storageKeys: [formatData(TOPIC)] }],
        },
        'latest',
        { [to]: { balance: '0x9', code: '0x00', stateDiff: { '0x1': '0x2' } } },
        { time: '0x7', feeRecipient: to },
      ]),
    ).toBe('0xc0de')
    const [simulation] = seen
    expect(simulation?.request).toEqual({
      from: SENDER,
      to: RECIPIENT,
      gas: 21_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      value: 3n,
      data: Uint8Array.of(1, 2),
      nonce: 4n,
      accessList: [{ address: RECIPIENT, storageKeys: [TOPIC] }],
      authorizations: undefined,
    })
    expect(simulation?.height).toBe(0)
    const word = (value: number) => {
      const bytes = new Uint8Array(32)
      bytes[31] = value
      return bytes
    }
    expect(simulation?.stateOverrides).toEqual([
      {
        address: RECIPIENT,
        nonce: undefined,
        balance: 9n,
        code: Uint8Array.of(0),
        state: undefined,
        stateDiff: [{ slot: word(1), value: word(2) }],
      },
    ])
    expect(simulation?.blockOverrides).toMatchObject({ timestamp: 7n, coinbase: RECIPIENT })
  })

  test('an empty call object is a creation by nobody', async () => {
    simulate({
      call: async (simulation) => {
        seen.push(simulation)
        return executed('0x')
      },
    })
    expect(await node.call('eth_call', [{}])).toBe('0x')
    expect(seen[0]?.request).toMatchObject({
      from: new Uint8Array(20),
      to: undefined,
      gas: undefined,
      value: 0n,
    })
    expect(seen[0]?.blockOverrides).toBeUndefined()
  })

  test('a revert is error 3 with reason and data', async () => {
    const fields = { success: false, error: 'execution reverted', reverted: true }
    const expected = {
      error: { code: 3, message: 'execution reverted: nope', data: revertData },
    }
    simulate({
      call: async () => executed(revertData, fields),
      estimateGas: async () => ({ kind: 'failed', outcome: outcome(revertData, fields) }),
    })
    expect(await node.call('eth_call', [{}])).toEqual(expected)
    expect(await node.call('eth_estimateGas', [{}])).toEqual(expected)
    simulate({ call: async () => executed('0xcafe0001', fields) })
    expect(await node.call('eth_call', [{}])).toEqual({
      error: { code: 3, message: 'execution reverted', data: '0xcafe0001' },
    })
  })

  test('another failure is -32000 with its text', async () => {
    const fields = { success: false, error: 'out of gas' }
    simulate({ call: async () => executed('0x', fields) })
    expect(await node.call('eth_call', [{}])).toEqual(failed('out of gas'))
  })

  test.each([
    [true, "out of gas (gas limit was capped by the RPC server's global gas cap)"],
    [false, 'out of gas'],
  ])('a simulated call that fails with its gas capped (%j) says so', async (isCapped, message) => {
    const header = node.context.chain.header(node.context.chain.latest)
    if (header === undefined) throw new Error('no block')
    const spent = { success: false, error: 'out of gas', gasUsed: 30_000n }
    const simulated: SimulatedBlock = {
      block: { header, transactions: [] },
      transactions: [transaction()],
      outcomes: [{ outcome: executed('0x', spent), logs: [], maxUsedGas: 30_000n, isCapped }],
    }
    rewire({}, { blockSimulator: { simulate: async () => [simulated] } })
    const asked = { blockStateCalls: [{ calls: [{}] }] }
    expect(await node.call('eth_simulateV1', [asked, 'latest'])).toMatchObject([
      { calls: [{ status: '0x0', returnData: '0x', error: { code: -32015, message } }] },
    ])
  })

  test('the proof of an account that is not there has hashes of zeros', async () => {
    const storageRoot = repeat(0x56, 32)
    const proofOf = async (account: Account) => {
      const prove = () => ({ account, storageRoot, proof: [], slots: [] })
      rewire({}, { imported: { prove } as unknown as ImportedChain })
      return node.call('eth_getProof', [formatData(RECIPIENT), [], 'latest'])
    }
    const zeros = `0x${'00'.repeat(32)}`
    expect(await proofOf(NO_ACCOUNT)).toMatchObject({ codeHash: zeros, storageHash: zeros })
    // An account of nothing that is there has the hashes of nothing
    expect(await proofOf({ ...NO_ACCOUNT })).toMatchObject({
      codeHash: formatData(NO_ACCOUNT.codeHash),
      storageHash: formatData(storageRoot),
    })
  })

  test('estimates and access lists', async () => {
    simulate({
      estimateGas: async () => ({ kind: 'enough', gas: 21_000n }),
      createAccessList: async () => ({
        accessList: [{ address: RECIPIENT, storageKeys: [TOPIC] }],
        gasUsed: 30_000n,
        error: undefined,
      }),
    })
    expect(await node.call('eth_estimateGas', [{}])).toBe('0x5208')
    expect(await node.call('eth_createAccessList', [{}, 'latest'])).toEqual({
      accessList: [{ address: formatData(RECIPIENT), storageKeys: [formatData(TOPIC)] }],
      gasUsed: '0x7530',
    })
  })

  test.each([
    [7, 'invalid argument 0: want a call object, got number'],
    [{ to: '0x1' }, 'invalid argument 0: hex string of odd length (to)'],
    [{ value: '0x00' }, 'invalid argument 0: hex number with leading zero digits (value)'],
    [{ gas: '0x10000000000000000' }, 'invalid argument 0: hex number > 64 bits (gas)'],
    [{ accessList: {} }, 'invalid argument 0: want an access list, got object (accessList)'],
    [
      { authorizationList: [{ chainId: '0x1', address: `0x${'77'.repeat(20)}` }] },
      "invalid argument 0: missing required field 'nonce' for SetCodeAuthorization (authorizationList)",
    ],
  ])('call object %j cannot be read', async (object, message) => {
    expect(await node.call('eth_call', [object])).toEqual(invalid(message))
  })

  test.each([
    [
      { gasPrice: '0x1', maxFeePerGas: '0x1' },
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    ],
    [{ to: `0x${'77'.repeat(20)}`, blobVersionedHashes: [] }, 'blobs not supported on this chain'],
    [{ blobVersionedHashes: [] }, 'blob transaction of type create'],
    [{ authorizationList: [] }, 'EIP-7702 transaction cannot be used to create contract'],
    [{ maxFeePerBlobGas: '0x1' }, 'maxFeePerBlobGas specified without blobVersionedHashes'],
    [{ chainId: '0x1' }, "chainId does not match node's (have=1, want=1329)"],
  ])(
    'call object %j contradicts itself or the chain, for which geth has -32000',
    async (object, message) => {
      expect(await node.call('eth_call', [object])).toEqual(failed(message))
    },
  )

  test('a call that takes too long is stopped', async () => {
    rewire(
      { simulationTimeoutMs: 5 },
      {
        simulator: {
          ...node.context.simulator,
          call: ({ signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason))
            }),
        },
      },
    )
    expect(await node.call('eth_call', [{}])).toEqual({
      error: {
        code: -32002,
        message: 'execution aborted (timeout = 5 ms)',
        data: { key: 'evm.simulation_evm_timeout', milliseconds: 5 },
      },
    })
  })

  test('a call stops when its caller is gone', async () => {
    const caller = new AbortController()
    const aborted = new Promise((resolve) => {
      rewire(
        {},
        {
          simulator: {
            ...node.context.simulator,
            call: ({ signal }) =>
              new Promise((_, reject) => {
                signal.addEventListener('abort', () => {
                  resolve(true)
                  reject(new LockstepError('REQUEST_TIMEOUT', 'gone'))
                })
                caller.abort()
              }),
          },
        },
      )
    })
    await node.call('eth_call', [{}], { signal: caller.signal })
    expect(await aborted).toBe(true)
  })

  test('overrides are limited', async () => {
    rewire({ overrideAccounts: 1, overrideSlots: 2 })
    const account = (byte: string) => `0x${byte.repeat(20)}`
    expect(
      await node.call('eth_call', [{}, 'latest', { [account('01')]: {}, [account('02')]: {} }]),
    ).toEqual(failed('state override has too many accounts (2 > 1)'))
    const stateDiff = { '0x1': '0x1', '0x2': '0x1', '0x3': '0x1' }
    expect(await node.call('eth_call', [{}, 'latest', { [account('01')]: { stateDiff } }])).toEqual(
      failed(`state override for ${account('01')} has too many slots (3 > 2)`),
    )
  })
})

describe('fees', () => {
  test('an empty chain asks for the base fee and a tenth', async () => {
    expect(await node.call('eth_gasPrice', [])).toBe(`0x${(55n * GWEI).toString(16)}`)
    expect(await node.call('eth_maxPriorityFeePerGas', [])).toBe('0x3b9aca00')
  })

  test('a full block asks for its median tip', async () => {
    const tips = [1n, 7n, 30n]
    node.addBlock(
      tips.map((tip, i) => ({
        transaction: transaction({ nonce: BigInt(i), maxPriorityFeePerGas: tip * GWEI }),
        gasUsed: 4_000_000n,
      })),
    )
    expect(await node.call('eth_maxPriorityFeePerGas', [])).toBe(`0x${(7n * GWEI).toString(16)}`)
    expect(await node.call('eth_gasPrice', [])).toBe(`0x${(57n * GWEI).toString(16)}`)
  })

  test('history weighs rewards by gas', async () => {
    node.addBlock([])
    node.addBlock([
      { transaction: transaction({ maxPriorityFeePerGas: 9n }), gasUsed: 1_000_000n },
      { transaction: transaction({ nonce: 1n, maxPriorityFeePerGas: 2n }), gasUsed: 3_000_000n },
    ])
    const base = '0xba43b7400'
    expect(await node.call('eth_feeHistory', ['0x2', 'latest', [0, 75, 76, 100]])).toEqual({
      oldestBlock: '0x1',
      reward: [
        ['0x0', '0x0', '0x0', '0x0'],
        ['0x2', '0x2', '0x9', '0x9'],
      ],
      baseFeePerGas: [base, base, base],
      gasUsedRatio: [0, 0.32],
      baseFeePerBlobGas: ['0x0', '0x0', '0x0'],
      blobGasUsedRatio: [0, 0],
    })
    const plain = await node.call('eth_feeHistory', [1, '0x1'])
    expect(plain).toMatchObject({ oldestBlock: '0x1', gasUsedRatio: [0] })
    expect(plain).not.toHaveProperty('reward')
    expect(await node.call('eth_feeHistory', ['0xffff', 'latest'])).toMatchObject({
      oldestBlock: '0x0',
    })
  })

  test.each([
    [[101], '101.000000'],
    [[-1], '-1.000000'],
    [[50, 50], '#0:50.000000 >= #1:50.000000'],
    [Array.from({ length: 101 }, (_, i) => i), 'over the query limit 100'],
  ])('percentiles %j are refused', async (percentiles, message) => {
    expect(await node.call('eth_feeHistory', ['0x1', 'latest', percentiles])).toEqual(
      failed(`invalid reward percentile: ${message}`),
    )
  })

  test('there are no blobs', async () => {
    expect(await node.call('eth_blobBaseFee', [])).toEqual(
      failed('blobs not supported on this chain'),
    )
  })
})

describe('logs', () => {
  const address = formatData(RECIPIENT)
  const topic = formatData(TOPIC)
  const other = formatData(OTHER_TOPIC)

  beforeEach(() => {
    node.addBlock([{ transaction: transaction(), logs: [log(), log([OTHER_TOPIC, TOPIC])] }])
    node.addBlock([])
    node.addBlock([{ transaction: transaction({ nonce: 1n }), logs: [log([], repeat(0x77, 20))] }])
  })

  const found = async (filter: object) => {
    const logs = (await node.call('eth_getLogs', [
      { fromBlock: '0x0', toBlock: 'latest', ...filter },
    ])) as { blockNumber: string; logIndex: string }[]
    return logs.map(({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`)
  }

  test('match by address and topics', async () => {
    expect(await found({})).toEqual(['0x1:0x0', '0x1:0x1', '0x3:0x0'])
    expect(await found({ address })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ address: [address, `0x${'77'.repeat(20)}`] })).toHaveLength(3)
    expect(await found({ address: [] })).toHaveLength(3)
    expect(await found({ address: `0x${'78'.repeat(20)}` })).toEqual([])
    expect(await found({ topics: [topic] })).toEqual(['0x1:0x0'])
    expect(await found({ topics: [null, topic] })).toEqual(['0x1:0x1'])
    expect(await found({ topics: [[topic, other]] })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ topics: [[]] })).toEqual(['0x1:0x0', '0x1:0x1'])
    expect(await found({ topics: [topic, topic] })).toEqual([])
    expect(await found({ fromBlock: '0x2' })).toEqual(['0x3:0x0'])
  })

  test('are found by block hash', async () => {
    const blockHash = formatData(node.chain.header(1)?.hash ?? new Uint8Array())
    expect(await node.call('eth_getLogs', [{ blockHash, topics: [topic] }])).toMatchObject([
      { blockHash, logIndex: '0x0', removed: false },
    ])
    expect(await node.call('eth_getLogs', [{ blockHash: `0x${'00'.repeat(32)}` }])).toEqual(
      failed('unknown block'),
    )
    expect(await node.call('eth_getLogs', [{ blockHash, fromBlock: '0x0' }])).toEqual(
      invalid(
        'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      ),
    )
  })

  test('ask for a sound range within the limits', async () => {
    expect(await node.call('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }])).toEqual(
      invalid('invalid block range params'),
    )
    expect(await node.call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x9' }])).toEqual(
      invalid('block range extends beyond current head block'),
    )
    node.chain.earliest = 2
    expect(await node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }])).toMatchObject({
      error: { code: 4444, message: 'requested height 1 has been pruned; earliest available is 2' },
    })
  })

  test.each([
    [{ fromBlock: '0x2', toBlock: '0x1' }, 'invalid block range params'],
    [{ fromBlock: '0x9' }, 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x1' }, 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x9' }, 'invalid block range params'],
    [
      { fromBlock: '0x7fffffffffffffff', toBlock: '0x7ffffffffffffffe' },
      'invalid block range params',
    ],
    [{ fromBlock: '0x8', toBlock: '0x9' }, 'block range extends beyond current head block'],
    [{ fromBlock: 'pending' }, 'pending logs are not supported'],
    [{ toBlock: 'pending' }, 'pending logs are not supported'],
  ])('range %j is refused in the words of geth', async (range, message) => {
    expect(await node.call('eth_getLogs', [range])).toEqual(invalid(message))
  })

  test.each([
    [{ fromBlock: '0x2', toBlock: '0x1' }, 'invalid block range params'],
    [{ fromBlock: 'latest', toBlock: '0x9' }, 'invalid block range params'],
    [{ fromBlock: 'pending' }, 'pending logs are not supported'],
  ])('a filter of the range %j is refused', async (range, message) => {
    expect(await node.call('eth_newFilter', [range])).toEqual(invalid(message))
  })

  test('a single block is answered whole, by height and by hash', async () => {
    const { blocks } = node.chain
    const count = 12_004
    rewire({ logs: 10, responseBytes: 10_000 })
    node.chain.blocks.length = 0
    node.chain.blocks.push(...blocks)
    node.addBlock([{ transaction: transaction({ nonce: 2n }), logs: Array(count).fill(log()) }])
    const blockHash = formatData(node.chain.header(4)?.hash ?? new Uint8Array())
    for (const query of [{ blockHash }, { fromBlock: '0x4', toBlock: '0x4' }, {}]) {
      const logs = (await node.call('eth_getLogs', [query])) as { logIndex: string }[]
      expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual(
        Array.from({ length: count }, (_, i) => i),
      )
    }
    expect(await node.call('eth_getLogs', [{ fromBlock: '0x3' }])).toMatchObject({
      error: {
        message: 'query returned more than 10 results. Try with this block range [0x3, 0x3].',
      },
    })
  })

  test('too many blocks or logs name the limit', async () => {
    const { blocks } = node.chain
    rewire({ logBlocks: 3, logs: 2 })
    node.chain.blocks.length = 0
    node.chain.blocks.push(...blocks)
    expect(await node.call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x3' }])).toEqual({
      error: {
        code: -32000,
        message: 'block range too large (4), maximum allowed is 3 blocks',
        data: { limit: 3, key: 'evm.max_blocks_for_log' },
      },
    })
    expect(await node.call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }])).toEqual({
      error: {
        code: -32000,
        message: 'query returned more than 2 results. Try with this block range [0x1, 0x2].',
        data: { from: '0x1', to: '0x2', limit: 2, key: 'evm.max_log_no_block' },
      },
    })
  })

  test.each([
    [{ topics: ['0x12'] }, 'hex has invalid length 1 after decoding; expected 32 for topic'],
    [{ topics: [5] }, 'invalid topic(s)'],
    [{ address: [`0x${'77'.repeat(20)}`, null] }, 'non-string address at index 1'],
    [{ address: ['0x1'] }, 'invalid address at index 0: hex string of odd length'],
    [{ topics: 'x' }, 'want topics, got string'],
    [{ topics: [null, null, null, null, null] }, 'exceed max topics'],
    [{ address: 5 }, 'invalid addresses in query'],
  ])('filter %.50j is refused', async (filter, text) => {
    expect(await node.call('eth_getLogs', [filter])).toEqual(invalid(`invalid argument 0: ${text}`))
  })

  test('a search ends when its caller is gone', async () => {
    for (let i = 0; i < 100; i++) node.addBlock([])
    const read: number[] = []
    const header = node.chain.header.bind(node.chain)
    node.chain.header = (height) => {
      read.push(height)
      // Longer than a search goes on without giving way
      const begun = performance.now()
      while (performance.now() - begun < 1);
      return header(height)
    }
    const caller = new AbortController()
    const answer = node.call('eth_getLogs', [{ fromBlock: '0x0' }], { signal: caller.signal })
    caller.abort()
    expect(await answer).toEqual({ error: { code: -32002, message: 'request aborted' } })
    expect(Math.max(...read)).toBeLessThan(64)
  })

  test('receipts are read only where the bloom lets a match through', async () => {
    const read: number[] = []
    const receipts = node.chain.receipts.bind(node.chain)
    node.chain.receipts = (height) => {
      read.push(height)
      return receipts(height)
    }
    expect(await found({ topics: [topic] })).toEqual(['0x1:0x0'])
    expect(read).toEqual([1])
  })
})

describe('filters', () => {
  test('a log filter reports each log once', async () => {
    const id = await node.call('eth_newFilter', [{ topics: [formatData(TOPIC)] }])
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
    node.addBlock([{ transaction: transaction(), logs: [log(), log([OTHER_TOPIC])] }])
    node.addBlock([{ transaction: transaction({ nonce: 1n }), logs: [log()] }])
    expect(await node.call('eth_getFilterChanges', [id])).toMatchObject([
      { blockNumber: '0x1' },
      { blockNumber: '0x2' },
    ])
    expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
    expect(await node.call('eth_getFilterLogs', [id])).toHaveLength(1)
  })

  test('a log filter keeps to its range', async () => {
    const id = await node.call('eth_newFilter', [{ fromBlock: '0x2', toBlock: '0x3' }])
    for (let nonce = 0n; nonce < 4n; nonce++) {
      node.addBlock([{ transaction: transaction({ nonce }), logs: [log()] }])
    }
    expect(await node.call('eth_getFilterChanges', [id])).toMatchObject([
      { blockNumber: '0x2' },
      { blockNumber: '0x3' },
    ])
  })

  test('a block filter reports hashes', async () => {
    const id = await node.call('eth_newBlockFilter', [])
    const hashes = [node.addBlock([]), node.addBlock([])].map(({ hash }) => formatData(hash))
    expect(await node.call('eth_getFilterChanges', [id])).toEqual(hashes)
    expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
    expect(await node.call('eth_getFilterLogs', [id])).toEqual(failed('filter not found'))
  })

  test('a pending filter reports hashes', async () => {
    const id = await node.call('eth_newPendingTransactionFilter', [])
    const one = transaction()
    node.pool.announce(one)
    expect(await node.call('eth_getFilterChanges', [id])).toEqual([formatData(one.hash)])
    expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
  })

  test('pending filters begin where they were made, and share what is kept', async () => {
    const ids = [await node.call('eth_newPendingTransactionFilter', [])]
    const hashes: string[] = []
    for (let nonce = 0n; nonce < 3n; nonce++) {
      const one = transaction({ nonce })
      node.pool.announce(one)
      hashes.push(formatData(one.hash))
      ids.push(await node.call('eth_newPendingTransactionFilter', []))
    }
    for (const [i, id] of ids.entries()) {
      expect(await node.call('eth_getFilterChanges', [id])).toEqual(hashes.slice(i))
      expect(await node.call('eth_getFilterChanges', [id])).toEqual([])
    }
  })

  test('a filter that is polled outlives any number that are not', async () => {
    rewire({ filters: 10 })
    const polled = await node.call('eth_newBlockFilter', [])
    const first = await node.call('eth_newBlockFilter', [])
    for (let i = 0; i < 100; i++) {
      await node.call('eth_newPendingTransactionFilter', [])
      expect(await node.call('eth_getFilterChanges', [polled])).toEqual([])
    }
    expect(await node.call('eth_getFilterChanges', [first])).toEqual(failed('filter not found'))
    expect(node.context.filters.size).toBe(10)
  })

  test('end when uninstalled or idle', async () => {
    rewire({ filterIdleMs: 60_000 })
    const id = await node.call('eth_newBlockFilter', [])
    expect(await node.call('eth_uninstallFilter', [id])).toBe(true)
    expect(await node.call('eth_uninstallFilter', [id])).toBe(false)
    expect(await node.call('eth_getFilterChanges', [id])).toEqual(failed('filter not found'))
    const idle = await node.call('eth_newBlockFilter', [])
    node.context.filters.removeIdle(Date.now() + 59_000)
    expect(await node.call('eth_getFilterChanges', [idle])).toEqual([])
    node.context.filters.removeIdle(Date.now() + 61_000)
    expect(await node.call('eth_getFilterChanges', [idle])).toEqual(failed('filter not found'))
  })
})

describe('the rest', () => {
  test('constants', async () => {
    expect(await node.call('eth_accounts', [])).toEqual([])
    expect(await node.call('eth_syncing', [])).toBe(false)
    expect(await node.call('net_version', [])).toBe('1329')
    expect(await node.call('net_listening', [])).toBe(true)
    expect(await node.call('net_peerCount', [])).toBe('0x0')
    expect(await node.call('web3_clientVersion', [])).toBe('lockstep/0.0.0/test')
    expect(await node.call('web3_sha3', ['0x68656c6c6f20776f726c64'])).toBe(
      '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad',
    )
    expect(await node.call('rpc_modules', [])).toEqual({
      debug: '1.0',
      eth: '1.0',
      net: '1.0',
      rpc: '1.0',
      txpool: '1.0',
      web3: '1.0',
    })
  })

  test('the pool by sender and nonce', async () => {
    const one = transaction({ nonce: 4n, value: 3n })
    node.pool.announce(one)
    node.pool.gapped.push(transaction({ nonce: 9n, to: undefined }))
    expect(await node.call('txpool_status', [])).toEqual({ pending: '0x1', queued: '0x1' })
    const sender = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
    expect(await node.call('txpool_content', [])).toMatchObject({
      pending: { [sender]: { 4: { hash: formatData(one.hash), blockHash: null } } },
      queued: { [sender]: { 9: { to: null } } },
    })
    expect(await node.call('txpool_inspect', [])).toEqual({
      pending: {
        [sender]: {
          4: `0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB: 3 wei + 21000 gas × 100000000000 wei`,
        },
      },
      queued: { [sender]: { 9: 'contract creation: 0 wei + 21000 gas × 100000000000 wei' } },
    })
  })
})
