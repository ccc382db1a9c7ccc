import { describe, expect, test } from 'vitest'
import type { ImportedChain, RpcContext } from '../../../../../host/api/rpc/call/context.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import { formatData } from '../../../../../host/base/hex.ts'
import type { Run } from '../../../../../host/evm/engine/need.ts'
import { runUntil } from '../../../../../host/evm/execute/run-until.ts'
import type { BlockSimulation } from '../../../../../host/evm/execute/simulate/block-simulator.ts'
import type { SimulatedBlock } from '../../../../../host/evm/execute/simulate/simulated-block-run.ts'
import type { CallSimulation } from '../../../../../host/evm/execute/simulate/simulator.ts'
import { type Account, NO_ACCOUNT } from '../../../../../host/evm/state/account.ts'
import { RECIPIENT, repeat, SENDER, transaction } from '../../../../support/chain/fake-chain.ts'
import { failedCallAnswer, invalidParamsAnswer, RpcFixture, TOPIC } from '../rpc-fixture.ts'

const rpc = new RpcFixture()

describe('eth_call and its relatives', () => {
  const revertData =
    '0x08c379a000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000004' +
    `6e6f7065${'00'.repeat(28)}`
  const seen: CallSimulation[] = []

  function simulate(simulator: Partial<RpcContext['simulator']>): void {
    seen.length = 0
    rpc.replaceNode({}, { simulator: { ...rpc.node.context.simulator, ...simulator } })
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

  test('reserve memory for an output before it is formatted, since its digits are in memory twice', async () => {
    simulate({ call: () => executed(`0x${'5b'.repeat(50_000)}`) })
    const asked = (bytes: number) => {
      const account = new WorkScheduler(bytes).account('192.0.2.1')
      return rpc.node.call('eth_call', [{ to: `0x${'11'.repeat(20)}` }, 'latest'], { account })
    }
    expect(await asked(190_000)).toMatchObject({ error: { code: -32005 } })
    expect(await asked(210_000)).toHaveLength(100_002)
    const reverted = { success: false, reverted: true, error: 'execution reverted' }
    simulate({ call: () => executed(`0x${'5b'.repeat(50_000)}`, reverted) })
    expect(await asked(190_000)).toMatchObject({ error: { code: -32005 } })
    expect(await asked(210_000)).toMatchObject({ error: { code: 3 } })
  })

  test('receive a decoded call object', async () => {
    simulate({
      call: async (simulation) => {
        seen.push(simulation)
        return executed('0xc0de')
      },
    })
    const to = formatData(RECIPIENT)
    expect(
      await rpc.node.call('eth_call', [
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
      chainId: 1329n,
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

  test('treat an empty call object as a creation by the zero address', async () => {
    simulate({
      call: async (simulation) => {
        seen.push(simulation)
        return executed('0x')
      },
    })
    expect(await rpc.node.call('eth_call', [{}])).toBe('0x')
    expect(seen[0]?.request).toMatchObject({
      from: new Uint8Array(20),
      to: undefined,
      gas: undefined,
      value: 0n,
    })
    expect(seen[0]?.blockOverrides).toBeUndefined()
  })

  test('report a revert as error 3 with reason and data', async () => {
    const fields = { success: false, error: 'execution reverted', reverted: true }
    const expected = {
      error: { code: 3, message: 'execution reverted: nope', data: revertData },
    }
    simulate({
      call: async () => executed(revertData, fields),
      estimateGas: async () => ({ kind: 'failed', outcome: outcome(revertData, fields) }),
    })
    expect(await rpc.node.call('eth_call', [{}])).toEqual(expected)
    expect(await rpc.node.call('eth_estimateGas', [{}])).toEqual(expected)
    simulate({ call: async () => executed('0xcafe0001', fields) })
    expect(await rpc.node.call('eth_call', [{}])).toEqual({
      error: { code: 3, message: 'execution reverted', data: '0xcafe0001' },
    })
  })

  test('report any other failure as -32000 with its message', async () => {
    const fields = { success: false, error: 'out of gas' }
    simulate({ call: async () => executed('0x', fields) })
    expect(await rpc.node.call('eth_call', [{}])).toEqual(failedCallAnswer('out of gas'))
  })

  test.each([
    [true, "out of gas (gas limit was capped by the RPC server's global gas cap)"],
    [false, 'out of gas'],
  ])('report a simulated call that fails with capped gas (%j)', async (isCapped, message) => {
    const header = rpc.node.context.chain.header(rpc.node.context.chain.latest)
    if (header === undefined) throw new Error('no block')
    const spent = { success: false, error: 'out of gas', gasUsed: 30_000n }
    const simulated: SimulatedBlock = {
      block: { header, transactions: [] },
      transactions: [transaction()],
      outcomes: [{ outcome: executed('0x', spent), logs: [], maxUsedGas: 30_000n, isCapped }],
    }
    rpc.replaceNode({}, { blockSimulator: { simulate: async () => [simulated] } })
    const asked = { blockStateCalls: [{ calls: [{}] }] }
    expect(await rpc.node.call('eth_simulateV1', [asked, 'latest'])).toMatchObject([
      { calls: [{ status: '0x0', returnData: '0x', error: { code: -32015, message } }] },
    ])
  })

  test.each([
    [{ blockOverrides: { gas: '0x1' } }, 'unknown field "gas" in block override'],
    [
      { blockOverrides: { Time: '0x1', time: '0x2' } },
      'keys "Time" and "time" in block override name the same field',
    ],
    [
      { stateOverrides: { [`0x${'77'.repeat(20)}`]: { storage: {} } } },
      `unknown field "storage" in state override for 0x${'77'.repeat(20)}`,
    ],
  ])('refuse overrides of a simulation that have no meaning, as geth (%#)', async (block, text) => {
    const answer = await rpc.node.call('eth_simulateV1', [{ blockStateCalls: [block] }, 'latest'])
    expect(answer).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(`invalid argument 0: ${text}`) },
    })
  })

  test('find overrides of a simulation whatever the case of their names, as geth', async () => {
    const asked: BlockSimulation[] = []
    const simulate = async (one: BlockSimulation) => {
      asked.push(one)
      return []
    }
    rpc.replaceNode({}, { blockSimulator: { simulate } })
    const block = { blockOverrides: { Time: '0xffffffffffffffff', GASLIMIT: '0x5' } }
    await rpc.node.call('eth_simulateV1', [{ blockStateCalls: [block] }, 'latest'])
    expect(asked[0]?.blocks[0]?.overrides).toMatchObject({
      timestamp: 2n ** 64n - 1n,
      gasLimit: 5n,
    })
  })

  test('return zero hashes in the proof of a missing account', async () => {
    const storageRoot = repeat(0x56, 32)
    const proofOf = async (account: Account) => {
      const prove = () => ({ account, storageRoot, proof: [], slots: [] })
      rpc.replaceNode({}, { imported: { prove } as unknown as ImportedChain })
      return rpc.node.call('eth_getProof', [formatData(RECIPIENT), [], 'latest'])
    }
    const zeros = `0x${'00'.repeat(32)}`
    expect(await proofOf(NO_ACCOUNT)).toMatchObject({ codeHash: zeros, storageHash: zeros })
    // An account whose fields are all empty has the hashes of empty code and storage.
    expect(await proofOf({ ...NO_ACCOUNT })).toMatchObject({
      codeHash: formatData(NO_ACCOUNT.codeHash),
      storageHash: formatData(storageRoot),
    })
  })

  test('include estimates and access lists', async () => {
    simulate({
      estimateGas: async () => ({ kind: 'enough', gas: 21_000n }),
      createAccessList: async () => ({
        accessList: [{ address: RECIPIENT, storageKeys: [TOPIC] }],
        gasUsed: 30_000n,
        error: undefined,
      }),
    })
    expect(await rpc.node.call('eth_estimateGas', [{}])).toBe('0x5208')
    expect(await rpc.node.call('eth_createAccessList', [{}, 'latest'])).toEqual({
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
  ])('refuse the call object %j', async (object, message) => {
    expect(await rpc.node.call('eth_call', [object])).toEqual(invalidParamsAnswer(message))
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
  ])('refuse the contradictory call object %j with -32000, as geth', async (object, message) => {
    expect(await rpc.node.call('eth_call', [object])).toEqual(failedCallAnswer(message))
  })

  const authorizationList = [
    {
      chainId: '0x0',
      address: formatData(RECIPIENT),
      nonce: '0x0',
      yParity: '0x0',
      r: '0x1',
      s: '0x1',
    },
  ]

  test.each([
    [{ gasPrice: '0x1', authorizationList }, 'both gasPrice and authorizationList specified'],
    [
      { gasPrice: '0x1', maxFeePerGas: '0x1', authorizationList },
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    ],
    [{ gasPrice: '0x0' }, 'gasPrice must be non-zero after london fork'],
    [{ maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }, 'maxFeePerGas must be non-zero'],
    [
      { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
      'maxFeePerGas (0x1) < maxPriorityFeePerGas (0x2)',
    ],
    [
      { gasPrice: '0x1', authorizationList, maxFeePerBlobGas: '0x1' },
      'maxFeePerBlobGas specified without blobVersionedHashes',
    ],
  ])('refuse an access list for the fees %j, as a transaction with them', async (fees, message) => {
    const call = { to: formatData(RECIPIENT), ...fees }
    expect(await rpc.node.call('eth_createAccessList', [call])).toEqual(failedCallAnswer(message))
  })

  test('accept a gas price together with delegations, which no transaction may have', async () => {
    simulate({ call: async () => executed('0x01') })
    const call = { to: formatData(RECIPIENT), gasPrice: '0x1', authorizationList }
    expect(await rpc.node.call('eth_call', [call])).toBe('0x01')
  })

  /** Makes runs yield for ever without doing anything. */
  function runEndlessly(simulationTimeoutMs: number): void {
    function* endless(): Run<never> {
      for (;;) yield { kind: 'yield' }
    }
    const { state, simulator } = rpc.node.context
    const call = ({ signal, turn }: CallSimulation) =>
      runUntil(endless(), state.view(0), signal, undefined, turn)
    rpc.replaceNode({ simulationTimeoutMs }, { simulator: { ...simulator, call } })
  }

  test('stop a call that takes too long', async () => {
    runEndlessly(5)
    expect(await rpc.node.call('eth_call', [{}])).toEqual({
      error: {
        code: -32002,
        message: 'execution aborted (timeout = 5 ms)',
        data: { key: 'evm.simulation_evm_timeout', milliseconds: 5 },
      },
    })
  })

  test('stop a call when its caller disconnects', async () => {
    runEndlessly(60_000)
    const signal = AbortSignal.abort()
    expect(await rpc.node.call('eth_call', [{}], { signal })).toEqual({
      error: { code: -32002, message: 'request aborted' },
    })
  })

  test('limit the overrides', async () => {
    rpc.replaceNode({ overrideAccounts: 1, overrideSlots: 2 })
    const account = (byte: string) => `0x${byte.repeat(20)}`
    expect(
      await rpc.node.call('eth_call', [{}, 'latest', { [account('01')]: {}, [account('02')]: {} }]),
    ).toEqual(failedCallAnswer('state override has too many accounts (2 > 1)'))
    const stateDiff = { '0x1': '0x1', '0x2': '0x1', '0x3': '0x1' }
    expect(
      await rpc.node.call('eth_call', [{}, 'latest', { [account('01')]: { stateDiff } }]),
    ).toEqual(failedCallAnswer(`state override for ${account('01')} has too many slots (3 > 2)`))
  })
})
