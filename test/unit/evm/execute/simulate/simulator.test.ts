import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
} from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import { yieldToEventLoop } from '../../../../../host/base/yield-to-event-loop.ts'
import type { BlockHeader } from '../../../../../host/evm/chain-types/block.ts'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import type { Engine } from '../../../../../host/evm/engine/engine.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { EnginePool } from '../../../../../host/evm/execute/engine-pool.ts'
import { lockstepRules } from '../../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import type {
  BlockOverride,
  CallArguments,
} from '../../../../../host/evm/execute/simulate/call-message.ts'
import type { AccountOverride } from '../../../../../host/evm/execute/simulate/overlay-view.ts'
import {
  type CallSimulation,
  Simulator,
  type SimulatorOptions,
} from '../../../../../host/evm/execute/simulate/simulator.ts'
import { MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { OPEN_CALL } from '../../../../support/chain/open-call.ts'
import { compile } from '../../../../support/contracts/solidity.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'
import { makeSigner, signAuthorization } from '../../../../support/peer/signer.ts'

const GWEI = 10n ** 9n
const GAS_CAP = 10_000_000n
const alice = parseData(devAccount(0).address)
const bob = parseData(devAccount(1).address)
const nobody = new Uint8Array(20).fill(0x99)
const contractAt = (byte: number) => new Uint8Array(20).fill(byte)
const TOKEN = parseData(getContractAddress({ from: devAccount(0).address, nonce: 0n }))

const compiled = compile('Token.sol').get('Token')
if (compiled === undefined) throw new Error('Token.sol has no Token')
const { abi, bytecode } = compiled

let chain: MemoryChain
let options: SimulatorOptions
let blockGas: bigint
let simulator: Simulator
/** The same chain in Osaka, with a higher gas cap for calls than Osaka allows for a transaction. */
let osaka: Simulator
let engine: Engine
beforeAll(async () => {
  const module = await compileEngine()
  engine = await openEngine(module)
  chain = await MemoryChain.open(engine)
  await chain.initialise()
  const raw = await signDynamicFee(0, {
    nonce: 0,
    gas: 2_000_000n,
    data: encodeDeployData({ abi, bytecode, args: [1_000_000n] }),
  })
  await chain.produce(parseData(raw))
  const rules = lockstepRules(chain.genesis.params, chain.storage.state)
  options = {
    history: chain.history,
    rules,
    keccak256: nobleRecovery.keccak256,
    engines: new EnginePool<BlockEngine>(() => openEngine(module), 1, 0),
    gasCap: GAS_CAP,
  }
  blockGas = chain.genesis.params.maxGas
  simulator = new Simulator(options)
  const envOf = (header: BlockHeader) =>
    ({ ...rules.envOf(header), revision: 'Osaka', gasLimit: 60_000_000n }) as const
  osaka = new Simulator({ ...options, rules: { ...rules, envOf }, gasCap: 50_000_000n })
}, 120_000)

const OPEN: CallArguments = { ...OPEN_CALL, from: alice }
const AS_IS: Omit<AccountOverride, 'address'> = {
  balance: undefined,
  nonce: undefined,
  code: undefined,
  state: undefined,
  stateDiff: undefined,
  movePrecompileTo: undefined,
}
const SAME_BLOCK: BlockOverride = {
  number: undefined,
  timestamp: undefined,
  gasLimit: undefined,
  coinbase: undefined,
  prevRandao: undefined,
  baseFee: undefined,
  blobBaseFee: undefined,
}

function simulate(
  request: Partial<CallArguments>,
  rest: Partial<CallSimulation> = {},
): CallSimulation {
  return {
    request: { ...OPEN, ...request },
    height: 1,
    stateOverrides: [],
    blockOverrides: undefined,
    signal: new AbortController().signal,
    turn: () => undefined,
    ...rest,
  }
}

const onToken = (name: string, ...args: unknown[]) => ({
  to: TOKEN,
  data: parseData(encodeFunctionData({ abi, functionName: name, args })),
})

/** Overrides the code at an address that exists only in this simulation. */
const withCode = (address: Uint8Array, code: Hex): readonly AccountOverride[] => [
  { ...AS_IS, address, code: parseData(code) },
]
/** Returns the word on top of the stack. */
const RETURN_TOP = '5f5260205ff3'

describe('a simulated call', () => {
  test('reads a contract and leaves no effect', async () => {
    const outcome = await simulator.call(simulate(onToken('balanceOf', devAccount(0).address)))
    expect(outcome).toMatchObject({ success: true, error: undefined })
    expect(
      decodeFunctionResult({ abi, functionName: 'balanceOf', data: formatData(outcome.output) }),
    ).toBe(1_000_000n)
    await simulator.call(simulate(onToken('transfer', devAccount(1).address, 5n)))
    const after = await simulator.call(simulate(onToken('balanceOf', devAccount(1).address)))
    expect(formatData(after.output)).toBe(`0x${'00'.repeat(32)}`)
  })

  test('that reverts returns its data', async () => {
    const outcome = await simulator.call(
      simulate({ ...onToken('transfer', devAccount(0).address, 5n), from: bob }),
    )
    expect(outcome).toMatchObject({ success: false, reverted: true, error: 'execution reverted' })
    expect(decodeErrorResult({ abi, data: formatData(outcome.output) })).toMatchObject({
      errorName: 'InsufficientBalance',
      args: [devAccount(1).address, 0n, 5n],
    })
  })

  test('sees a gas price and base fee of zero if it offers no price', async () => {
    // GASPRICE + BASEFEE
    const stateOverrides = withCode(contractAt(0xc0), `0x3a4801${RETURN_TOP}`)
    const free = await simulator.call(simulate({ to: contractAt(0xc0) }, { stateOverrides }))
    expect(formatData(free.output)).toBe(`0x${'00'.repeat(32)}`)
    const priced = await simulator.call(
      simulate(
        { to: contractAt(0xc0), maxFeePerGas: 5n * GWEI, maxPriorityFeePerGas: GWEI },
        { stateOverrides },
      ),
    )
    // 2 gwei (base fee and tip) and 1 gwei.
    expect(BigInt(formatData(priced.output))).toBe(3n * GWEI)
  })

  test('that offers a price must be able to pay for it', async () => {
    await expect(async () =>
      simulator.call(
        simulate({
          from: nobody,
          to: bob,
          gas: 21_000n,
          maxFeePerGas: GWEI,
          maxPriorityFeePerGas: GWEI,
        }),
      ),
    ).rejects.toMatchObject({
      code: 'TRANSACTION_REJECTED',
      message:
        'err: insufficient funds for gas * price + value: address ' +
        `${formatData(nobody)} have 0 want 21000000000000 (supplied gas 21000)`,
    })
    await expect(async () =>
      simulator.call(simulate({ to: bob, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })),
    ).rejects.toThrow('max fee per gas less than block base fee')
  })

  test('without enough gas is refused with the figures', async () => {
    await expect(async () => simulator.call(simulate({ to: bob, gas: 20_999n }))).rejects.toThrow(
      'err: intrinsic gas too low: have 20999, want 21000 (supplied gas 20999)',
    )
  })

  test('has the gas of the cap, and a call with more gas is refused with the key of the cap', async () => {
    // GAS
    const to = contractAt(0xc1)
    const stateOverrides = withCode(to, `0x5a${RETURN_TOP}`)
    const { output } = await simulator.call(simulate({ to }, { stateOverrides }))
    expect(BigInt(formatData(output))).toBe(GAS_CAP - 21_000n - 2n)
    const tooMuch = simulate({ to, gas: GAS_CAP + 1n }, { stateOverrides })
    for (const method of ['call', 'estimateGas', 'createAccessList'] as const) {
      await expect(async () => simulator[method](tooMuch)).rejects.toThrow(
        `gas ${GAS_CAP + 1n} is above the cap of ${GAS_CAP} for simulations (evm.simulation_gas_limit)`,
      )
    }
  })

  test('has the gas of its block if the cap is 0, and more than the block if the cap is higher', async () => {
    // GAS
    const to = contractAt(0xc1)
    const stateOverrides = withCode(to, `0x5a${RETURN_TOP}`)
    const gasSeen = async (gasCap: bigint, request: Partial<CallArguments>) => {
      const capped = new Simulator({ ...options, gasCap })
      const { output } = await capped.call(simulate({ to, ...request }, { stateOverrides }))
      return BigInt(formatData(output)) + 21_000n + 2n
    }
    expect(await gasSeen(0n, {})).toBe(blockGas)
    await expect(gasSeen(0n, { gas: blockGas + 1n })).rejects.toThrow(`the cap of ${blockGas} `)
    expect(await gasSeen(2n * blockGas, {})).toBe(2n * blockGas)
    const gasPrice = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }
    expect(await gasSeen(2n * blockGas, gasPrice)).toBe(2n * blockGas)
  })

  test('runs on the state overrides', async () => {
    const slot = bigintToBytes(0n, 32)
    const supply = bigintToBytes(77n, 32)
    const read = async (override: Partial<AccountOverride>) => {
      const { output } = await simulator.call(
        simulate(onToken('totalSupply'), {
          stateOverrides: [{ ...AS_IS, address: TOKEN, ...override }],
        }),
      )
      return BigInt(formatData(output))
    }
    expect(await read({ stateDiff: [{ slot, value: supply }] })).toBe(77n)
    expect(await read({ stateDiff: [{ slot: supply, value: supply }] })).toBe(1_000_000n)
    expect(await read({ state: [] })).toBe(0n)
    expect(await read({ code: parseData(`0x6007${RETURN_TOP}`) })).toBe(7n)
    await expect(read({ state: [], stateDiff: [] })).rejects.toThrow(
      `account ${getAddress(formatData(TOKEN))} has both 'state' and 'stateDiff'`,
    )
    // BALANCE of an account without balance.
    const { output } = await simulator.call(
      simulate(
        { to: contractAt(0xc2) },
        {
          stateOverrides: [
            ...withCode(contractAt(0xc2), `0x73${formatData(nobody).slice(2)}31${RETURN_TOP}`),
            { ...AS_IS, address: nobody, balance: 12n },
          ],
        },
      ),
    )
    expect(BigInt(formatData(output))).toBe(12n)
  })

  test.each([
    ['NUMBER', '43', { number: 99n }, 99n],
    ['TIMESTAMP', '42', { timestamp: 98n }, 98n],
    ['GASLIMIT', '45', { gasLimit: 97_000n }, 97_000n],
    ['COINBASE', '41', { coinbase: bigintToBytes(96n, 20) }, 96n],
    ['PREVRANDAO', '44', { prevRandao: bigintToBytes(95n, 32) }, 95n],
    ['BLOBBASEFEE', '4a', { blobBaseFee: 94n }, 94n],
  ])('runs with the overridden value of %s', async (_, opcode, override, expected) => {
    const { output } = await simulator.call(
      simulate(
        { to: contractAt(0xc3) },
        {
          stateOverrides: withCode(contractAt(0xc3), `0x${opcode}${RETURN_TOP}`),
          blockOverrides: { ...SAME_BLOCK, ...override },
        },
      ),
    )
    expect(BigInt(formatData(output))).toBe(expected)
  })

  test('returns synchronously if it misses no state, and asynchronously if it takes many slices', async () => {
    const short = simulate(onToken('totalSupply'))
    // The first call opens the engine.
    await simulator.call(short)
    expect(simulator.call(short)).toMatchObject({ kind: 'executed', success: true })
    expect(simulator.estimateGas(short)).toMatchObject({ kind: 'enough' })
    const stateOverrides = withCode(contractAt(0xc4), '0x5b5f56')
    const long = simulate({ to: contractAt(0xc4) }, { stateOverrides, turn: yieldToEventLoop })
    const later = simulator.call(long)
    expect(later).toBeInstanceOf(Promise)
    // The only engine is busy.
    await expect(async () => simulator.call(short)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    expect(await later).toMatchObject({ success: false, error: 'out of gas' })
  })

  test('ends at its time limit, and the engine continues with the next', async () => {
    // JUMPDEST PUSH0 JUMP: an endless loop, limited by gas.
    const stateOverrides = withCode(contractAt(0xc4), '0x5b5f56')
    const controller = new AbortController()
    const endless = simulator.call(
      simulate(
        { to: contractAt(0xc4) },
        { stateOverrides, signal: controller.signal, turn: yieldToEventLoop },
      ),
    )
    controller.abort()
    await expect(endless).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
    const next = await simulator.call(simulate(onToken('totalSupply')))
    expect(BigInt(formatData(next.output))).toBe(1_000_000n)
  })

  test('on a block that does not exist fails', async () => {
    await expect(async () =>
      simulator.call(simulate({ to: bob }, { height: 9 })),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('a gas estimate', () => {
  test('of a transfer is 21000', async () => {
    expect(await simulator.estimateGas(simulate({ to: bob, value: 1n }))).toEqual({
      kind: 'enough',
      gas: 21_000n,
    })
  })

  test('suffices, and is at most 1.5 % too high', async () => {
    const call = onToken('transfer', devAccount(1).address, 5n)
    const estimate = await simulator.estimateGas(simulate(call))
    if (estimate.kind === 'failed') throw new Error(estimate.outcome.error)
    const { gas } = estimate
    expect((await simulator.call(simulate({ ...call, gas }))).success).toBe(true)
    let least = 21_000n
    for (let high = gas; least < high; ) {
      const middle = (least + high) / 2n
      const tried = async () => simulator.call(simulate({ ...call, gas: middle }))
      const fits = await tried().then(
        ({ success }) => success,
        () => false,
      )
      if (fits) high = middle
      else least = middle + 1n
    }
    expect(Number(gas - least) / Number(gas)).toBeLessThan(0.015)
  })

  test('of a creation suffices', async () => {
    const data = parseData(encodeDeployData({ abi, bytecode, args: [1n] }))
    const estimate = await simulator.estimateGas(simulate({ data }))
    if (estimate.kind === 'failed') throw new Error(estimate.outcome.error)
    expect((await simulator.call(simulate({ data, gas: estimate.gas }))).success).toBe(true)
  })

  test('of a call that reverts fails with its revert data', async () => {
    const estimate = await simulator.estimateGas(
      simulate({ ...onToken('transfer', devAccount(0).address, 5n), from: bob }),
    )
    expect(estimate).toMatchObject({ kind: 'failed', outcome: { reverted: true } })
  })

  test('of a call that needs more gas than its sender can pay reports the allowance', async () => {
    const call = { ...onToken('transfer', devAccount(1).address, 5n), gas: 30_000n }
    expect(await simulator.estimateGas(simulate(call))).toMatchObject({
      kind: 'failed',
      outcome: { error: 'gas required exceeds allowance (30000)', reverted: false },
    })
  })

  test('considers the balance of its sender', async () => {
    const stateOverrides = [{ ...AS_IS, address: nobody, balance: 30_000n * GWEI }]
    const fees = { maxFeePerGas: GWEI, maxPriorityFeePerGas: 0n }
    const call = { ...onToken('approve', devAccount(1).address, 5n), from: nobody, ...fees }
    expect(await simulator.estimateGas(simulate(call, { stateOverrides }))).toMatchObject({
      outcome: { error: 'gas required exceeds allowance (30000)' },
    })
    await expect(async () =>
      simulator.estimateGas(simulate({ ...call, value: 10n ** 18n }, { stateOverrides })),
    ).rejects.toThrow('insufficient funds for transfer')
  })
})

describe('a simulated creation', () => {
  test('with delegations or blobs is refused before it runs', async () => {
    const delegating = simulate({ data: Uint8Array.of(0), authorizations: [] })
    const withBlobs = simulate({ data: Uint8Array.of(0), blobHashes: [] })
    for (const method of ['call', 'estimateGas', 'createAccessList'] as const) {
      await expect(async () => simulator[method](delegating)).rejects.toEqual(
        expect.objectContaining({
          code: 'CALL_CONTRADICTS',
          message: 'EIP-7702 transaction cannot be used to create contract',
        }),
      )
      await expect(async () => simulator[method](withBlobs)).rejects.toThrow(
        'blob transaction of type create',
      )
    }
  })
})

describe('a simulated call with blobs', () => {
  const blobHashes = [new Uint8Array(32).fill(1)]

  test('must be able to pay for them even without a gas price, as in geth', async () => {
    const maxFeePerBlobGas = 10n ** 20n
    const blobFee = 131_072n * maxFeePerBlobGas
    const call = simulate({ to: TOKEN, blobHashes, maxFeePerBlobGas })
    for (const method of ['call', 'estimateGas', 'createAccessList'] as const) {
      await expect(async () => simulator[method](call)).rejects.toThrow(
        new RegExp(`insufficient funds for gas \\* price \\+ value: .* want ${blobFee}`),
      )
    }
    const free = simulate({ to: contractAt(0xc5), blobHashes })
    expect(await simulator.call(free)).toMatchObject({ success: true })
    const affordable = simulate({ to: contractAt(0xc5), blobHashes, maxFeePerBlobGas: 1n })
    expect(await simulator.call(affordable)).toMatchObject({ success: true })
  })
})

describe('an access list', () => {
  test('contains the slots that the call touches, and lowers their cost', async () => {
    const call = onToken('transfer', devAccount(1).address, 5n)
    const made = await simulator.createAccessList(simulate(call))
    expect(made.error).toBeUndefined()
    expect(made.accessList).toHaveLength(1)
    expect(made.accessList[0]?.address).toEqual(TOKEN)
    // The balances of sender and recipient.
    expect(made.accessList[0]?.storageKeys).toHaveLength(2)
    const again = await simulator.createAccessList(
      simulate({ ...call, accessList: made.accessList }),
    )
    expect(again).toEqual(made)
  })

  test('includes other contracts, and excludes sender, target and precompiles', async () => {
    // BALANCE of the sender, of the token, and of the SHA-256 precompile.
    const code = `0x3331${'50'}73${formatData(TOKEN).slice(2)}3150600231${RETURN_TOP}` as Hex
    const made = await simulator.createAccessList(
      simulate({ to: contractAt(0xc5) }, { stateOverrides: withCode(contractAt(0xc5), code) }),
    )
    expect(made.accessList).toEqual([{ address: TOKEN, storageKeys: [] }])
  })

  test('excludes the authorities of delegations that may be valid', async () => {
    const chainId = options.rules.chainId
    const address = TOKEN
    const [good, foreign, last, forged] = [1n, 2n, 3n, 4n].map((key) => makeSigner(key))
    if (!good || !foreign || !last || !forged) throw new Error('no signer')
    const signed = [
      signAuthorization(good, { chainId, address, nonce: 7n }),
      signAuthorization(foreign, { chainId: chainId + 1n, address, nonce: 0n }),
      signAuthorization(last, { chainId, address, nonce: (1n << 64n) - 1n }),
      { ...signAuthorization(forged, { chainId, address, nonce: 0n }), s: 0n },
    ]
    const addresses = [good, foreign, last, forged].map((signer) =>
      bigintToBytes(signer.address, 20),
    )
    const code = addresses.map((one) => `73${formatData(one).slice(2)}3150`).join('')
    const made = await simulator.createAccessList(
      simulate(
        { to: contractAt(0xc6), authorizations: signed },
        { stateOverrides: withCode(contractAt(0xc6), `0x${code}00`) },
      ),
    )
    const named = made.accessList.map((entry) => formatData(entry.address))
    expect(named).toEqual(addresses.slice(1).map(formatData).sort())
  })

  test('reports the gas of its own entries if the call has too little', async () => {
    const accessList = [{ address: TOKEN, storageKeys: [] }]
    const call = { to: contractAt(0xc8), gas: 21_001n, accessList }
    await expect(async () => simulator.createAccessList(simulate(call))).rejects.toThrow(
      'intrinsic gas too low: have 21001, want 23400',
    )
  })

  test('of a failed call is returned with its error', async () => {
    const made = await simulator.createAccessList(simulate(onToken('burnTooMuch')))
    expect(made.error).toBe('execution reverted')
    expect(made.accessList[0]?.address).toEqual(TOKEN)
  })
})

describe('in Osaka, which limits a transaction to 2^24 gas (EIP-7825)', () => {
  test('a call may exceed the limit, since it never enters a block', async () => {
    const stateOverrides = withCode(contractAt(0xc7), `0x5a${RETURN_TOP}`)
    const outcome = await osaka.call(simulate({ to: contractAt(0xc7) }, { stateOverrides }))
    expect(BigInt(formatData(outcome.output))).toBe(50_000_000n - 21_000n - 2n)
    const asked = { to: contractAt(0xc7), gas: 20_000_000n }
    const less = await osaka.call(simulate(asked, { stateOverrides }))
    expect(BigInt(formatData(less.output))).toBe(20_000_000n - 21_000n - 2n)
  })

  test('an estimate may not exceed the limit, since its transaction would be refused', async () => {
    // Returns code that reverts if less than `gas` is left.
    const wanting = (gas: number): Hex =>
      `0x63${gas.toString(16).padStart(8, '0')}5a10600b57005b5f5ffd`
    const to = contractAt(0xc8)
    const much = { stateOverrides: withCode(to, wanting(17_000_000)) }
    expect(await osaka.call(simulate({ to }, much))).toMatchObject({ success: true })
    for (const gas of [undefined, 40_000_000n]) {
      expect(await osaka.estimateGas(simulate({ to, gas }, much))).toMatchObject({
        kind: 'failed',
        outcome: { reverted: true },
      })
    }
    const less = { stateOverrides: withCode(to, wanting(16_700_000)) }
    const estimate = await osaka.estimateGas(simulate({ to }, less))
    if (estimate.kind === 'failed') throw new Error(estimate.outcome.error)
    expect(estimate.gas).toBeGreaterThan(16_721_000n)
    expect(estimate.gas).toBeLessThanOrEqual(16_777_216n)
  })
})
