import { sha256 } from '@noble/hashes/sha2.js'
import { encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import { STAKING_ABI } from '../../../host/evm/modules/staking-abi.ts'
import {
  evidenceKey,
  JAIL,
  readShares,
  readTotal,
  readUnbonding,
  readValidator,
  TOTAL,
  totalKey,
  worthOf,
} from '../../../host/evm/modules/staking-rows.ts'
import { callData, precompile, resultOf } from '../../support/module/module-bench.ts'
import { StakingChain } from './staking-chain.ts'
import { STAKING, WEI } from './staking-model.ts'

const ALICE: Hex = `0x${'a1'.repeat(20)}`
const BOB: Hex = `0x${'b0'.repeat(20)}`
const CAROL: Hex = `0x${'ca'.repeat(20)}`
const MILLION = 1_000_000n
const RICH = 1_000_000n * MILLION
const SUPPLY = 3n * RICH
/** Row of bank with the supply of the native denomination. */
const SUPPLY_KEY = Uint8Array.of(3, ...new Uint8Array(31))

const keyOf = (operator: Hex) => operator.slice(2).padStart(64, '0')
const consensusAddress = (operator: Hex) =>
  sha256(parseData(`0x${keyOf(operator)}`)).subarray(0, 20)

let chain: StakingChain
beforeEach(async () => {
  chain = await StakingChain.open()
  for (const account of [ALICE, BOB, CAROL]) chain.fund(account, RICH * WEI)
  chain.state.setStorage(precompile('bank'), SUPPLY_KEY, bigintToBytes(SUPPLY, 32))
  chain.beginBlock(0)
  create(ALICE, 100n * MILLION)
  create(BOB, 40n * MILLION)
})

type Call = Parameters<typeof encodeFunctionData<typeof STAKING_ABI>>[0]

function send(from: Hex, call: Omit<Call, 'abi'>, amount = 0n): void {
  const data = encodeFunctionData({ abi: STAKING_ABI, ...call } as Call)
  const { error, output } = chain.transact(from, STAKING, amount * WEI, data)
  expect(error, formatData(output)).toBeUndefined()
}

const create = (from: Hex, amount: bigint) =>
  send(
    from,
    { functionName: 'createValidator', args: [keyOf(from), 'm', '0.1', '1', '0.1', 1n] },
    amount,
  )
const delegate = (from: Hex, to: Hex, amount: bigint) =>
  send(from, { functionName: 'delegate', args: [to] }, amount)
const undelegate = (from: Hex, of: Hex, amount: bigint) =>
  send(from, { functionName: 'undelegate', args: [of, amount] })
const redelegate = (from: Hex, source: Hex, to: Hex, amount: bigint) =>
  send(from, { functionName: 'redelegate', args: [source, to, amount] })

/** Returns evidence that a validator signed twice at a height, `age` seconds ago. */
function offence(operator: Hex, power: bigint, height = chain.height, age = 0) {
  const validatorAddress = consensusAddress(operator)
  return { validatorAddress, power: Number(power), height, time: chain.time - age }
}

function supply(): bigint {
  const data = formatData(callData('bank', 'supply', ['usei']))
  const { output } = chain.transact(CAROL, formatData(precompile('bank')), 0n, data)
  return resultOf('bank', 'supply', output) as bigint
}

async function stakeOf(delegator: Hex, id: number): Promise<bigint> {
  const shares = await readShares(chain.readRow, parseData(delegator), id)
  return worthOf(shares, await readValidator(chain.readRow, id))
}

const validator = (id: number) => readValidator(chain.readRow, id)
const total = (which: number) => readTotal(chain.readRow, which)
const isQueueEmpty = () => {
  const places = chain.row(totalKey(TOTAL.evidence)) as Uint8Array
  return bytesToBigint(places.subarray(8, 16)) === bytesToBigint(places.subarray(24))
}

describe('evidence of a double signature', () => {
  test('burns a twentieth of the stake in the next block, and jails the validator for good', async () => {
    chain.endBlock([offence(ALICE, 100n)])
    expect(await validator(1)).toMatchObject({ tokens: 100n * MILLION, jail: JAIL.free })
    chain.beginBlock(1)
    expect(await validator(1)).toMatchObject({
      tokens: 95n * MILLION,
      shares: 100n * MILLION,
      jail: JAIL.forGood,
    })
    expect(await total(TOTAL.bonded)).toBe(135n * MILLION)
    expect(chain.balance(STAKING)).toBe(135n * MILLION * WEI)
    expect(supply()).toBe(SUPPLY - 5n * MILLION)
    expect(isQueueEmpty()).toBe(true)
    expect(chain.row(evidenceKey(0n))).toBeUndefined()
  })

  test('burns nothing the second time, in the same block or later, and releases no validator', async () => {
    chain.endBlock([offence(ALICE, 100n), offence(ALICE, 100n, chain.height - 1)])
    chain.beginBlock(1)
    chain.endBlock([offence(ALICE, 100n)])
    chain.beginBlock(1)
    delegate(ALICE, ALICE, 50n * MILLION)
    expect(await validator(1)).toMatchObject({ tokens: 145n * MILLION, jail: JAIL.forGood })
    expect(supply()).toBe(SUPPLY - 5n * MILLION)
  })

  test('burns a part of the power at the offence only, and nothing of later delegations', async () => {
    const begun = chain.height
    chain.beginBlock(1)
    delegate(CAROL, ALICE, 300n * MILLION)
    chain.endBlock([offence(ALICE, 100n, begun)])
    chain.beginBlock(1)
    expect(await validator(1)).toMatchObject({ tokens: 395n * MILLION })
  })

  test('has no effect if the key is unknown or the evidence is older than the unbonding time', async () => {
    chain.endBlock([offence(CAROL, 100n), offence(ALICE, 100n, 1, 101)])
    chain.beginBlock(1)
    expect(await validator(1)).toMatchObject({ tokens: 100n * MILLION, jail: JAIL.free })
    chain.endBlock([offence(ALICE, 100n, 1, 101), offence(ALICE, 100n, 1, 100)])
    chain.beginBlock(1)
    expect(await validator(1)).toMatchObject({ tokens: 95n * MILLION, jail: JAIL.forGood })
  })

  test('is deferred to later blocks if there is evidence against many validators', async () => {
    const people = Array.from({ length: 20 }, (_, i): Hex => `0x${`${10 + i}`.repeat(20)}`)
    for (const person of people) {
      chain.fund(person, RICH * WEI)
      create(person, 10n * MILLION)
    }
    chain.endBlock(people.map((person) => offence(person, 10n)))
    const jailed = async () => {
      const jails = await Promise.all(people.map(async (_, i) => (await validator(3 + i)).jail))
      return jails.filter((jail) => jail === JAIL.forGood).length
    }
    chain.beginBlock(1)
    expect([await jailed(), isQueueEmpty()]).toEqual([16, false])
    // Later evidence is queued behind it.
    chain.endBlock([offence(ALICE, 100n), offence(people[19] as Hex, 10n)])
    chain.beginBlock(1)
    expect([await jailed(), isQueueEmpty()]).toEqual([20, true])
    expect(await validator(22)).toMatchObject({ tokens: 9_500_000n })
    expect(await validator(1)).toMatchObject({ tokens: 95n * MILLION })
  })
})

describe('an unbonding', () => {
  test('since the offence is paid out less a twentieth, which is burnt, and any other is whole', async () => {
    delegate(CAROL, ALICE, 80n * MILLION)
    chain.beginBlock(1)
    undelegate(CAROL, ALICE, 20n * MILLION)
    chain.beginBlock(1)
    // The validators of this height were determined two blocks before.
    undelegate(CAROL, ALICE, 20n * MILLION)
    const begun = chain.height + 1
    chain.beginBlock(1)
    undelegate(CAROL, ALICE, 20n * MILLION)
    undelegate(BOB, BOB, 20n * MILLION)
    chain.endBlock([offence(ALICE, 160n, begun)])
    chain.beginBlock(1)
    // A twentieth of the pool: 120 of the 160 million were left in it.
    expect(await validator(1)).toMatchObject({ tokens: 114n * MILLION })
    undelegate(CAROL, ALICE, 9n * MILLION)
    const amounts = await Promise.all(
      [0n, 1n, 2n, 3n, 4n].map((place) => readUnbonding(chain.readRow, place)),
    )
    expect(amounts.map(({ amount }) => amount / MILLION)).toEqual([20n, 19n, 19n, 20n, 9n])
    const held = chain.balance(CAROL)
    const burnt = SUPPLY - supply()
    chain.beginBlock(200)
    expect(chain.balance(CAROL) - held).toBe((20n + 19n + 19n + 9n) * MILLION * WEI)
    expect(chain.balance(BOB)).toBe((RICH - 20n * MILLION) * WEI)
    expect(SUPPLY - supply() - burnt).toBe(2n * MILLION)
    expect(await total(TOTAL.unbonding)).toBe(0n)
    expect(chain.balance(STAKING)).toBe((await total(TOTAL.bonded)) * WEI)
  })
})

describe('a redelegation', () => {
  test('since the offence loses a twentieth at its destination, and an earlier one nothing', async () => {
    delegate(CAROL, ALICE, 80n * MILLION)
    redelegate(CAROL, ALICE, BOB, 10n * MILLION)
    chain.beginBlock(1)
    const begun = chain.height + 1
    redelegate(CAROL, ALICE, BOB, 20n * MILLION)
    chain.endBlock([offence(ALICE, 170n, begun)])
    chain.beginBlock(1)
    expect(await stakeOf(CAROL, 2)).toBe(29n * MILLION)
    expect(await stakeOf(BOB, 2)).toBe(40n * MILLION)
    expect(await validator(2)).toMatchObject({ tokens: 69n * MILLION, jail: JAIL.free })
    expect(supply()).toBe(SUPPLY - 1n * MILLION - (150n * MILLION) / 20n)
  })

  test('that was unbonded from there loses it as well', async () => {
    delegate(CAROL, BOB, 30n * MILLION)
    undelegate(CAROL, BOB, 25n * MILLION)
    delegate(CAROL, ALICE, 80n * MILLION)
    chain.beginBlock(1)
    const begun = chain.height
    redelegate(CAROL, ALICE, BOB, 80n * MILLION)
    undelegate(CAROL, BOB, 1n * MILLION)
    undelegate(CAROL, BOB, 83n * MILLION)
    chain.endBlock([offence(ALICE, 180n, begun)])
    chain.beginBlock(1)
    // Of four million due, only one was left in the delegation.
    expect(await stakeOf(CAROL, 2)).toBe(0n)
    const waiting = await Promise.all(
      [0n, 1n, 2n].map((place) => readUnbonding(chain.readRow, place)),
    )
    expect(waiting.map(({ amount }) => amount / MILLION)).toEqual([25n, 1n, 80n])
    expect(chain.balance(STAKING)).toBe(
      ((await total(TOTAL.bonded)) + (await total(TOTAL.unbonding))) * WEI,
    )
  })

  test('beyond the limit of a block is slashed in the next blocks and not forgotten before', async () => {
    delegate(ALICE, ALICE, 400n * MILLION)
    const begun = chain.height
    for (let i = 0; i < 130; i++) redelegate(ALICE, ALICE, BOB, 2n * MILLION)
    chain.beginBlock(99)
    chain.endBlock([offence(ALICE, 500n, begun, 99)])
    const left: bigint[] = []
    for (let block = 0; block < 4; block++) {
      chain.beginBlock(1)
      left.push((await stakeOf(ALICE, 2)) / 100_000n)
    }
    // A twentieth of two million each.
    expect(left).toEqual([2600n - 64n, 2600n - 128n, 2600n - 130n, 2600n - 130n])
    // All redelegations have matured: another one is allowed, and none is left.
    redelegate(ALICE, BOB, ALICE, 1n)
    chain.beginBlock(100)
    chain.beginBlock(1)
    const moved = [...Array(131).keys()].map((i) => chain.row(movedKey(10, BigInt(i))))
    expect(moved.filter((row) => row !== undefined)).toEqual([])
  })

  test("that is an operator's own stake jails the operator if too little is left", async () => {
    redelegate(ALICE, ALICE, BOB, 1n * MILLION)
    undelegate(BOB, BOB, 40n * MILLION - 1n)
    chain.endBlock([offence(ALICE, 100n)])
    chain.beginBlock(1)
    expect(await validator(2)).toMatchObject({ jail: JAIL.free, tokens: 950_001n })
  })
})

function movedKey(prefix: number, place: bigint): Uint8Array {
  const key = new Uint8Array(32)
  key[0] = prefix
  key.set(bigintToBytes(place, 8), 1)
  return key
}
