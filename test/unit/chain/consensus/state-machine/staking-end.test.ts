import { sha256 } from '@noble/hashes/sha2.js'
import { encodeFunctionData } from 'viem'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formatData, type Hex, parseData } from '../../../../../host/base/hex.ts'
import type { Misbehavior } from '../../../../../host/chain/consensus/application.ts'
import type { Genesis, GenesisValidator } from '../../../../../host/evm/chain-types/genesis.ts'
import { presetGenesis } from '../../../../../host/evm/chain-types/genesis-presets.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { STAKING_ABI } from '../../../../../host/evm/modules/staking-abi.ts'
import {
  fieldKey,
  STAKING_ADDRESS,
  VALIDATOR_FIELD,
} from '../../../../../host/evm/modules/staking-rows.ts'
import { decodeAccount } from '../../../../../host/evm/state/account.ts'
import {
  type Disks,
  emptyDisks,
  GENESIS_TIME,
  MemoryChain,
} from '../../../../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { devAccount, signDynamicFee } from '../../../../support/node/dev-wallet.ts'

/** Wei per unit of voting power. */
const POWER = 10n ** 18n
const STAKING = formatData(STAKING_ADDRESS)
const keyOf = (n: number) => new Uint8Array(32).fill(n)

/** Returns a genesis with validators of these powers, operated by the accounts of a development chain. */
function genesisOf(...powers: readonly number[]): Genesis {
  const validators = powers.map((power, i) => ({
    publicKey: keyOf(i + 1),
    power,
    name: `v${i + 1}`,
    operator: parseData(devAccount(i % 10).address),
  }))
  return presetGenesis('dev', { time: GENESIS_TIME, validators })
}

let engine: BlockEngine
beforeAll(async () => {
  engine = await openEngine(await compileEngine())
}, 120_000)

let disks: Disks
beforeEach(() => {
  disks = emptyDisks()
})

async function open(genesis: Genesis): Promise<MemoryChain> {
  const chain = await MemoryChain.open(engine, { genesis, disks })
  if (chain.height < 0) await chain.initialise()
  return chain
}

type Call = Parameters<typeof encodeFunctionData<typeof STAKING_ABI>>[0]

/** Calls the staking contract from an account, with a value of `power`. */
async function stake(chain: MemoryChain, from: number, call: Omit<Call, 'abi'>, power = 0) {
  const account = devAccount(from)
  const stored = chain.storage.state.view(chain.height).account(parseData(account.address))
  const raw = await signDynamicFee(account, {
    nonce: Number(decodeAccount(stored).nonce),
    gas: 2_000_000n,
    to: STAKING as Hex,
    value: BigInt(power) * POWER,
    data: encodeFunctionData({ abi: STAKING_ABI, ...call } as Call),
  })
  return parseData(raw)
}

const create = (n: number) => ({
  functionName: 'createValidator' as const,
  args: [formatData(keyOf(n)), `v${n}`, '0.1', '1', '0.1', 1n] as const,
})
const undelegate = (operator: number, power: number) => ({
  functionName: 'undelegate' as const,
  args: [devAccount(operator).address, BigInt(power) * 1_000_000n] as const,
})

function offence(chain: MemoryChain, n: number, power: number, age = 0n): Misbehavior {
  return {
    kind: 'duplicate-vote',
    validatorAddress: sha256(keyOf(n)).subarray(0, 20),
    power,
    height: Math.max(chain.height, 1),
    time: GENESIS_TIME + BigInt(chain.height) * 400_000_000n - age,
  }
}

/** Returns the powers that the latest block reported, by validator number. */
const told = (chain: MemoryChain) =>
  chain.validatorUpdates.map(({ publicKey, power }) => [publicKey[0], power])

const row = (chain: MemoryChain, key: Uint8Array) =>
  chain.storage.state.view(chain.height).storage(STAKING_ADDRESS, key)

describe('the validator updates for consensus', () => {
  test('are empty while the validators are those of genesis', async () => {
    const chain = await open(genesisOf(10, 20))
    await chain.decide([])
    expect(told(chain)).toEqual([])
    expect(row(chain, fieldKey(2, VALIDATOR_FIELD.sentToConsensus))?.[31]).toBe(20)
  })

  test('list each validator that joins, changes or leaves once, also on a restarted node', async () => {
    const genesis = genesisOf(10, 20)
    let chain = await open(genesis)
    await chain.decide([await stake(chain, 5, create(7), 30)])
    expect(told(chain)).toEqual([[7, 30]])
    await chain.decide([])
    expect(told(chain)).toEqual([])
    await chain.decide([
      await stake(chain, 5, undelegate(5, 5)),
      await stake(chain, 0, undelegate(0, 1)),
    ])
    expect(told(chain)).toEqual([
      [1, 9],
      [7, 25],
    ])
    chain = await open(genesis)
    await chain.decide([])
    expect(told(chain)).toEqual([])
    await chain.decide([await stake(chain, 5, undelegate(5, 25))])
    expect(told(chain)).toEqual([[7, 0]])
  })

  test('do not include a block that was finalized and not committed', async () => {
    const chain = await open(genesisOf(10, 20))
    const request = await chain.request([await stake(chain, 5, create(7), 30)])
    const first = await chain.application.finalizeBlock(request)
    const second = await chain.application.finalizeBlock(request)
    expect(second.validatorUpdates).toEqual(first.validatorUpdates)
    expect(await second.appHash).toEqual(await first.appHash)
    await chain.application.commit()
    await chain.decide([])
    expect(told(chain)).toEqual([])
  })

  test('never empty the set: the last validator stays until another has power', async () => {
    const chain = await open(genesisOf(10))
    await chain.decide([await stake(chain, 0, undelegate(0, 10))])
    expect(told(chain)).toEqual([])
    await chain.decide([await stake(chain, 5, create(7), 3)])
    expect(told(chain)).toEqual([
      [1, 0],
      [7, 3],
    ])
  })

  test('contain the hundred with the most power, and among equals the earliest created', async () => {
    const genesis = genesisOf(
      ...Array.from({ length: 104 }, (_, i) => (i === 1 ? 4 : i === 99 ? 9 : 5)),
    )
    const operators = genesis.validators.map((validator, i) => {
      const operator = new Uint8Array(20).fill(i + 1)
      return { ...validator, operator: i === 99 ? parseData(devAccount(3).address) : operator }
    })
    const chain = await open({ ...genesis, validators: operators })
    await chain.decide([])
    expect(told(chain)).toEqual([2, 102, 103, 104].map((n) => [n, 0]))
    await chain.decide([await stake(chain, 3, undelegate(3, 9))])
    expect(told(chain)).toEqual([
      [100, 0],
      [102, 5],
    ])
  })

  test('scale the powers so that a hundred add up to less than the limit of CometBFT', async () => {
    const genesis = genesisOf(10, Number.MAX_SAFE_INTEGER)
    const funds = [{ address: parseData(devAccount(1).address), balance: 2n ** 120n }]
    const [own] = funds as [(typeof funds)[number]]
    const others = genesis.accounts.filter(
      ({ address }) => formatData(address) !== formatData(own.address),
    )
    const rich = { ...own, nonce: 0n, code: new Uint8Array(), storage: [] }
    const chain = await open({ ...genesis, accounts: [...others, rich] })
    const more = { functionName: 'delegate' as const, args: [devAccount(1).address] as const }
    await chain.decide([await stake(chain, 1, more, 1_000_000)])
    expect(told(chain)).toEqual([])
    expect(100n * BigInt(Number.MAX_SAFE_INTEGER) < 2n ** 63n / 8n).toBe(true)
  })
})

describe('misbehavior', () => {
  test('burns a part of the stake in the next block and removes the validator from the set', async () => {
    const genesis = genesisOf(10, 20)
    const chain = await open(genesis)
    await chain.decide([])
    await chain.decide([], [offence(chain, 2, 20)])
    expect(told(chain)).toEqual([])
    await chain.decide([])
    expect(told(chain)).toEqual([[2, 0]])
    // 19 of 20 million
    expect(row(chain, fieldKey(2, VALIDATOR_FIELD.pool))?.slice(0, 16)).toEqual(
      parseData(`0x${(19_000_000).toString(16).padStart(32, '0')}`),
    )
    const staked = chain.storage.state.view(chain.height).account(STAKING_ADDRESS)
    expect(decodeAccount(staked).balance).toBe(29n * POWER)
    await chain.decide([], [offence(chain, 2, 20)])
    await chain.decide([])
    expect(told(chain)).toEqual([])
  })

  test('of the only validator burns its stake and leaves it in the set', async () => {
    const chain = await open(genesisOf(10))
    await chain.decide([], [offence(chain, 1, 10)])
    await chain.decide([])
    expect(told(chain)).toEqual([])
    expect(row(chain, fieldKey(1, VALIDATOR_FIELD.operator))?.[31]).toBe(2)
    await chain.decide([await stake(chain, 5, create(7), 3)])
    expect(told(chain)).toEqual([
      [1, 0],
      [7, 3],
    ])
  })

  test('that is older than the unbonding time changes nothing', async () => {
    const chain = await open(genesisOf(10, 20))
    await chain.decide([], [offence(chain, 2, 20, 1_814_401n * 10n ** 9n)])
    await chain.decide([])
    expect(told(chain)).toEqual([])
    expect(row(chain, fieldKey(2, VALIDATOR_FIELD.operator))?.[31]).toBe(0)
  })
})

describe('downtime', () => {
  const genesis = {
    ...genesisOf(10, 20, 30),
    downtime: { window: 4, minSigned: 5n * 10n ** 17n, jailSeconds: 2 },
  }
  const votes = (...absent: readonly number[]) =>
    [1, 2, 3].map((n) => ({
      validatorAddress: sha256(keyOf(n)).subarray(0, 20),
      isAbsent: absent.includes(n),
    }))

  test('removes the validator with the block that jails it, unjail adds it, and restarts change nothing', async () => {
    const chains = [
      await open(genesis),
      await MemoryChain.open(engine, { genesis, disks: emptyDisks() }),
    ]
    await chains[1]?.initialise()
    const updates: unknown[] = []
    for (let height = 1; height <= 9; height++) {
      // The second chain opens its stores again before each block
      chains[0] = await open(genesis)
      for (const chain of chains) {
        await chain.decide([], [], height === 1 ? [] : height > 6 ? votes(2) : votes())
      }
      const [one, two] = chains as [MemoryChain, MemoryChain]
      expect(await one.application.info().lastBlockAppHash).toEqual(
        await two.application.info().lastBlockAppHash,
      )
      expect(told(one)).toEqual(told(two))
      updates.push(told(one))
    }
    expect(updates).toEqual([...Array(8).fill([]), [[2, 0]]])
    const chain = chains[0] as MemoryChain
    expect(row(chain, fieldKey(2, VALIDATOR_FIELD.operator))?.[31]).toBe(4)
    const free = { functionName: 'unjail' as const, args: [] as const }
    while (told(chain).length === 0 || told(chain)[0]?.[1] === 0) {
      if (chain.height > 20) throw new Error('the validator does not return')
      await chain.decide([await stake(chain, 1, free)], [], votes(2))
    }
    expect(told(chain)).toEqual([[2, 20]])
    // Block 9 is of second 3, and block 13 of second 5
    expect(chain.height).toBe(13)
  })

  test('changes no app hash of a chain whose genesis does not have it', async () => {
    const chain = await open(genesisOf(10, 20, 30))
    const other = await MemoryChain.open(engine, {
      genesis: genesisOf(10, 20, 30),
      disks: emptyDisks(),
    })
    await other.initialise()
    for (let height = 1; height <= 12; height++) {
      await chain.decide([], [], votes(2))
      await other.decide([])
    }
    expect(await chain.application.info().lastBlockAppHash).toEqual(
      await other.application.info().lastBlockAppHash,
    )
  })
})

test('a chain does not start if its first validators differ from genesis.json', async () => {
  const genesis = genesisOf(10, 20)
  const chain = await MemoryChain.open(engine, { genesis, disks })
  const request = { chainId: genesis.consensusChainId, time: genesis.time, initialHeight: 1 }
  const begin = (validators: Genesis['validators']) =>
    chain.application.initChain({ ...request, validators })
  await expect(begin(genesisOf(10, 21).validators)).rejects.toMatchObject({
    code: 'GENESIS_INVALID',
    message: `genesis.json has the validator ${'02'.repeat(32)} with power 20, but consensus does not`,
  })
  await expect(begin(genesisOf(10, 20, 30).validators)).rejects.toThrow(
    `consensus has the validator ${'03'.repeat(32)} with power 30, but genesis.json does not`,
  )
  await begin([...genesis.validators].reverse())
})

test('a chain continues with its current validators and refuses others', async () => {
  const genesis = genesisOf(10, 20)
  const chain = await open(genesis)
  await chain.decide([await stake(chain, 5, create(7), 3)])
  const [one, two] = genesis.validators as [GenesisValidator, GenesisValidator]
  const seven = { publicKey: keyOf(7), power: 3, name: 'v7' }
  const goOn = async (...validators: GenesisValidator[]) => {
    const next = await open({ ...genesis, initialHeight: 2, validators })
    await next.decide([])
    return told(next)
  }
  await expect(goOn(one, two)).rejects.toMatchObject({
    code: 'GENESIS_INVALID',
    message: `staking has the validator ${'07'.repeat(32)} with power 3, but genesis.json does not`,
  })
  await expect(goOn(one, two, { ...seven, power: 4 })).rejects.toThrow(
    `genesis.json has the validator ${'07'.repeat(32)} with power 4, but staking does not`,
  )
  expect(await goOn(seven, two, one)).toEqual([])
})
