import { beforeAll, describe, expect, test } from 'vitest'
import { bytesToBigint } from '../../../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../../../host/base/hex.ts'
import { encodeRlpHeader } from '../../../../../host/evm/chain-types/ethereum-header.ts'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { EnginePool } from '../../../../../host/evm/execute/engine-pool.ts'
import type { History } from '../../../../../host/evm/execute/history.ts'
import { lockstepHeader } from '../../../../../host/evm/execute/lockstep/lockstep-header.ts'
import { lockstepRules } from '../../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import {
  type BlockSimulation,
  BlockSimulator,
} from '../../../../../host/evm/execute/simulate/block-simulator.ts'
import {
  type AccountOverride,
  overrideDiff,
} from '../../../../../host/evm/execute/simulate/overlay-view.ts'
import type {
  BlockCalls,
  SimulatedCall,
  SimulatedOverride,
} from '../../../../../host/evm/execute/simulate/simulated-blocks.ts'
import { OverlayState } from '../../../../../host/evm/state/overlay-state.ts'
import { openHasher } from '../../../../../host/node/commit-hasher.ts'
import type { CommitHasher } from '../../../../../host/storage/commit/hash/commit-hasher.ts'
import { MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { OPEN_CALL } from '../../../../support/chain/open-call.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { devAccount } from '../../../../support/node/dev-wallet.ts'

const GWEI = 10n ** 9n
const GAS_CAP = 10_000_000n
const { keccak256 } = nobleRecovery
const alice = parseData(devAccount(0).address)
const bob = parseData(devAccount(1).address)
const nobody = new Uint8Array(20).fill(0x99)
const contract = new Uint8Array(20).fill(0xc0)

let chain: MemoryChain
let simulator: BlockSimulator
let hasher: CommitHasher
beforeAll(async () => {
  const module = await compileEngine()
  const engine = await openEngine(module)
  hasher = await openHasher()
  chain = await MemoryChain.open(engine)
  await chain.initialise()
  await chain.produce()
  const { chain: blocks, state } = chain.storage
  const history: History = {
    header: (height) => blocks.header(height),
    block: (height) => blocks.block(height),
    receipts: (height) => blocks.receipts(height),
    view: (height) => state.view(height),
    before: (height) => state.view(height - 1),
    fork: (height) => new OverlayState(state.view(height)),
  }
  simulator = new BlockSimulator({
    history,
    rules: lockstepRules(chain.genesis.params, state),
    hasher,
    engines: new EnginePool<BlockEngine>(() => openEngine(module), 1, 0),
    gasCap: GAS_CAP,
  })
}, 120_000)

const OPEN: SimulatedCall = { ...OPEN_CALL, from: alice, isLegacy: false }
const AS_IS: SimulatedOverride = {
  number: undefined,
  timestamp: undefined,
  gasLimit: undefined,
  coinbase: undefined,
  prevRandao: undefined,
  baseFee: undefined,
  blobBaseFee: undefined,
  difficulty: undefined,
  withdrawals: undefined,
  parentBeaconBlockRoot: undefined,
}
const UNTOUCHED: Omit<AccountOverride, 'address'> = {
  balance: undefined,
  nonce: undefined,
  code: undefined,
  state: undefined,
  stateDiff: undefined,
  movePrecompileTo: undefined,
}

interface BlockFields {
  readonly overrides?: Partial<SimulatedOverride>
  readonly state?: readonly (Partial<AccountOverride> & Pick<AccountOverride, 'address'>)[]
  readonly calls?: readonly Partial<SimulatedCall>[]
}

const blockOf = ({ overrides, state = [], calls = [] }: BlockFields): BlockCalls => ({
  overrides: { ...AS_IS, ...overrides },
  stateOverrides: state.map((one) => ({ ...UNTOUCHED, ...one })),
  calls: calls.map((one) => ({ ...OPEN, ...one })),
})

const simulate = (blocks: readonly BlockFields[], options: Partial<BlockSimulation> = {}) =>
  simulator.simulate({
    height: chain.storage.chain.latest,
    blocks: blocks.map(blockOf),
    turn: () => undefined,
    reserve: () => undefined,
    traceTransfers: false,
    validation: false,
    signal: new AbortController().signal,
    ...options,
  })

const refusal = (code: string, message: string) => expect.objectContaining({ code, message })

/** Returns code that returns the word pushed by `op`. */
const returning = (op: string) => parseData(`0x${op}60005260206000f3`)
/** Returns code that calls an address without input and returns the size of the return data. */
const callingSize = (address: string) =>
  parseData(`0x60006000600060006000${`73${address}`}5af1503d60005260206000f3`)

describe('simulated blocks on our own chain', () => {
  test('count the output of each call and end at the first that does not fit', async () => {
    const held: number[] = []
    const hold = (bytes: number) => {
      held.push(bytes)
      if (held.length === 2) throw new Error('no room')
    }
    const to = parseData(`0x${'c0'.repeat(20)}`)
    const calls = [{ to }, { to }, { to }]
    const state = [{ address: to, code: returning('6001') }]
    await expect(simulate([{ state, calls }], { reserve: hold })).rejects.toThrow('no room')
    expect(held).toEqual([32, 32])
    held.length = 0
    const [block] = await simulate([{ state, calls }], { reserve: (bytes) => held.push(bytes) })
    expect(block?.outcomes).toHaveLength(3)
    expect(held).toEqual([32, 32, 32])
  })

  test("build on each other's balances, numbers, times and hashes", async () => {
    const base = chain.storage.chain.header(chain.storage.chain.latest)
    if (base === undefined) throw new Error('no block')
    // BLOCKHASH(NUMBER - 1)
    const reading = returning('6001430340')
    const [first, second] = await simulate([
      {
        state: [
          { address: nobody, balance: 1_000n },
          { address: contract, code: reading },
        ],
        calls: [{ from: nobody, to: bob, value: 600n }, { to: contract }],
      },
      { calls: [{ from: nobody, to: bob, value: 400n }, { to: contract }] },
    ])
    if (first === undefined || second === undefined) throw new Error('no blocks')
    expect(first.block.header).toMatchObject({
      number: base.number + 1,
      timestamp: base.timestamp + 12,
      parentHash: base.hash,
      baseFeePerGas: 0n,
      gasLimit: base.gasLimit,
      miner: base.miner,
      stateRoot: new Uint8Array(32),
    })
    expect(second.block.header.parentHash).toEqual(first.block.header.hash)
    expect(first.outcomes[1]?.outcome.output).toEqual(base.hash)
    expect(second.outcomes[1]?.outcome.output).toEqual(first.block.header.hash)
    expect(first.outcomes[0]?.outcome).toMatchObject({ success: true, gasUsed: 21_000n })
    // The hash covers the fields that are returned
    expect(formatData(first.block.header.hash)).toBe(
      formatData(keccak256(encodeRlpHeader(lockstepHeader(first.block.header, 'Prague')))),
    )
    await expect(simulate([{ calls: [{ from: nobody, to: bob, value: 1n }] }])).rejects.toEqual(
      refusal(
        'CALL_FUNDS_TOO_LOW',
        `err: insufficient funds for gas * price + value: address ${formatData(nobody)} ` +
          'have 0 want 1 (supplied gas 10000000)',
      ),
    )
  })

  test('fill gaps in the numbers, which must ascend', async () => {
    const { latest } = chain.storage.chain
    const time = BigInt(chain.storage.chain.header(latest)?.timestamp ?? 0)
    const at = (number: number): BlockFields => ({ overrides: { number: BigInt(number) } })
    const blocks = await simulate([at(latest + 3), {}])
    expect(blocks.map(({ block }) => block.header.number - latest)).toEqual([1, 2, 3, 4])
    await expect(simulate([at(latest + 2), at(latest + 1)])).rejects.toEqual(
      refusal(
        'BLOCK_NUMBER_ORDER',
        `block numbers must be in order: ${latest + 1} <= ${latest + 2}`,
      ),
    )
    await expect(simulate([{ overrides: { timestamp: time } }])).rejects.toEqual(
      refusal('BLOCK_TIME_ORDER', `block timestamps must be in order: ${time} <= ${time}`),
    )
    await expect(simulate([at(latest + 257)])).rejects.toEqual(
      refusal('TOO_MANY_BLOCKS', 'too many blocks'),
    )
    expect(await simulate([at(latest + 256)])).toHaveLength(256)
  })

  test('charge the market fee only under validation, and adjust it', async () => {
    const call = { to: bob, maxFeePerGas: 1000n * GWEI }
    const [free] = await simulate([{ calls: [{ to: bob }] }])
    expect(free?.block.header.baseFeePerGas).toBe(0n)
    const [first, second] = await simulate([{ calls: [call] }, {}], { validation: true })
    const { minBaseFee } = chain.genesis.params.feeMarket
    expect(first?.block.header.baseFeePerGas).toBe(minBaseFee)
    expect(second?.block.header.baseFeePerGas).toBe(minBaseFee)
    await expect(simulate([{ calls: [{ to: bob }] }], { validation: true })).rejects.toEqual(
      expect.objectContaining({ code: 'CALL_FEE_CAP_TOO_LOW' }),
    )
  })

  test('check nonces only under validation', async () => {
    const call = { to: bob, maxFeePerGas: 1000n * GWEI }
    for (const [nonce, code] of [
      [5n, 'CALL_NONCE_TOO_HIGH'],
      [0n, undefined],
    ] as const) {
      const run = simulate([{ calls: [{ ...call, nonce }] }], { validation: true })
      if (code === undefined) await run
      else await expect(run).rejects.toEqual(expect.objectContaining({ code }))
      expect(await simulate([{ calls: [{ ...call, nonce }] }])).toHaveLength(1)
    }
    const again = [{ calls: [call, { ...call, nonce: 0n }] }]
    await expect(simulate(again, { validation: true })).rejects.toEqual(
      expect.objectContaining({ code: 'CALL_NONCE_TOO_LOW' }),
    )
  })

  test('limit their calls to the gas of the block and of the node', async () => {
    const calls = [{ to: bob }, { to: bob }]
    const [block] = await simulate([{ calls }])
    expect(block?.transactions.map(({ gas }) => gas)).toEqual([GAS_CAP, GAS_CAP - 21_000n])
    await expect(simulate([{ calls: [{ to: bob }, { to: bob, gas: GAS_CAP }] }])).rejects.toEqual(
      refusal(
        'LIMIT_EXCEEDED',
        `gas ${GAS_CAP} is above the cap of ${GAS_CAP - 21_000n} for simulations (evm.simulation_gas_limit)`,
      ),
    )
    const small: BlockFields = {
      overrides: { gasLimit: 30_000n },
      calls: [{ to: bob, gas: 30_001n }],
    }
    await expect(simulate([small])).rejects.toEqual(
      refusal('CALL_BEYOND_BLOCK', 'block gas limit reached: remaining: 30000, required: 30001'),
    )
  })

  test('log transfers of ether in order, and omit those of failed frames', async () => {
    const ether = parseData('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
    // LOG0, then a call with value to bob, then LOG0; reverts if it has input
    const code = parseData(
      `0x60006000a0${'6000600060006000600773'}${formatData(bob).slice(2)}5af15060006000a0` +
        '361560365760006000fd5b00',
    )
    const state = [{ address: contract, code, balance: 0n }]
    const call = { to: contract, value: 10n }
    const run = async (traceTransfers: boolean) => {
      const [block] = await simulate(
        [{ state, calls: [call, { ...call, data: Uint8Array.of(1) }, call] }],
        { traceTransfers },
      )
      return block
    }
    const traced = await run(true)
    const names = traced?.outcomes.map(({ logs }) =>
      logs.map(({ log, index }) => {
        const isTransfer = formatData(log.address) === formatData(ether)
        return [isTransfer ? bytesToBigint(log.data) : 'log', index]
      }),
    )
    expect(names).toEqual([
      [
        [10n, 0],
        ['log', 1],
        [7n, 2],
        ['log', 3],
      ],
      [],
      [
        [10n, 4],
        ['log', 5],
        [7n, 6],
        ['log', 7],
      ],
    ])
    const plain = await run(false)
    expect(plain?.outcomes.map(({ logs }) => logs.map(({ index }) => index))).toEqual([
      [0, 1],
      [],
      [2, 3],
    ])
    // Transfers are returned, but are not part of the receipts
    expect(traced?.block.header.receiptsRoot).toEqual(plain?.block.header.receiptsRoot)
    expect(traced?.block.header.hash).toEqual(plain?.block.header.hash)
  })

  test('log no transfer for a CALLCODE, whose value stays with the caller', async () => {
    const calling = (opcode: string) =>
      parseData(`0x6000600060006000600773${formatData(bob).slice(2)}5a${opcode}00`)
    const transfersOf = async (code: Uint8Array) => {
      const state = [{ address: contract, code, balance: 9n }]
      const [block] = await simulate([{ state, calls: [{ to: contract }] }], {
        traceTransfers: true,
      })
      return block?.outcomes[0]?.logs.length
    }
    expect(await transfersOf(calling('f2'))).toBe(0)
    expect(await transfersOf(calling('f1'))).toBe(1)
  })

  test('give calls type 1 if they have a gas price and an access list, and type 0 if they have only a gas price', async () => {
    const call = { to: bob, isLegacy: true }
    const calls = [call, { ...call, accessList: [] }, { to: bob, accessList: [] }]
    const [block] = await simulate([{ calls }])
    expect(block?.transactions.map(({ type }) => type)).toEqual([0, 1, 2])
  })

  test('have no difficulty after the merge', async () => {
    const { latest } = chain.storage.chain
    await expect(simulate([{}, { overrides: { difficulty: 0n } }])).rejects.toEqual(
      refusal(
        'REFUSED_ARGUMENT',
        `block ${latest + 2}: difficulty override is not allowed after the merge`,
      ),
    )
  })

  test('create every overridden account, even if it is empty', () => {
    const slot = { slot: new Uint8Array(32), value: new Uint8Array(32).fill(1) }
    const absent: AccountOverride = { ...UNTOUCHED, address: nobody }
    const view = new OverlayState(chain.storage.state.view(chain.storage.chain.latest))
    const countOf = (override: Partial<AccountOverride>) =>
      overrideDiff(view, [{ ...absent, ...override }], keccak256).accounts.length / (20 + 72)
    expect(countOf({})).toBe(0)
    expect(countOf({ stateDiff: [] })).toBe(0)
    expect(countOf({ balance: 0n })).toBe(1)
    expect(countOf({ state: [] })).toBe(1)
    expect(countOf({ stateDiff: [slot] })).toBe(1)
  })

  test('move and replace precompiles, and keep the original addresses warm', async () => {
    const identity = parseData(`0x${'00'.repeat(19)}04`)
    const target = new Uint8Array(20).fill(0x44)
    const data = Uint8Array.of(1, 2, 3)
    const moved = [{ address: identity, movePrecompileTo: target }]
    const [first, second] = await simulate([
      {
        state: moved,
        calls: [
          { to: target, data },
          { to: identity, data },
        ],
      },
      {
        calls: [
          { to: target, data },
          { to: identity, data },
        ],
      },
    ])
    const outputs = [first, second].map((one) => one?.outcomes.map(({ outcome }) => outcome.output))
    const none = new Uint8Array()
    expect(outputs).toEqual([
      [data, none],
      [none, data],
    ])
    const [replaced] = await simulate([
      { state: [{ address: identity, code: returning('602a') }], calls: [{ to: identity, data }] },
    ])
    expect(bytesToBigint(replaced?.outcomes[0]?.outcome.output ?? none)).toBe(42n)
    // The target is cold for code (2,600); the precompile's own address stays warm (100)
    const gasOf = async (address: Uint8Array) => {
      const code = callingSize(formatData(address).slice(2))
      const [block] = await simulate([
        { state: [...moved, { address: contract, code }], calls: [{ to: contract }] },
      ])
      return block?.outcomes[0]?.outcome.gasUsed ?? 0n
    }
    // IDENTITY itself costs 15 gas
    expect((await gasOf(target)) - (await gasOf(identity))).toBe(2_500n + 15n)
  })

  test.each([
    [
      { address: contract, movePrecompileTo: nobody },
      'account 0xC0C0c0c0C0C0c0c0c0C0c0C0C0C0C0C0C0C0c0c0 is not a precompile',
    ],
    [
      { address: parseData(`0x${'00'.repeat(19)}01`), movePrecompileTo: contract },
      'account 0xC0C0c0c0C0C0c0c0c0C0c0C0C0C0C0C0C0C0c0c0 is already overridden',
    ],
  ])('refuse to move an address that cannot be moved (%#)', async (override, message) => {
    const state = [override, { address: contract, balance: 1n }].slice(
      0,
      override.address === contract ? 1 : 2,
    )
    await expect(simulate([{ state }])).rejects.toEqual(refusal('OVERRIDE_INVALID', message))
  })

  test('stop when the caller disconnects', async () => {
    const controller = new AbortController()
    controller.abort()
    await expect(
      simulate([{ calls: [{ to: bob }] }], { signal: controller.signal }),
    ).rejects.toEqual(expect.objectContaining({ code: 'REQUEST_TIMEOUT' }))
    expect(await simulate([{ calls: [{ to: bob }] }])).toHaveLength(1)
  })
})
