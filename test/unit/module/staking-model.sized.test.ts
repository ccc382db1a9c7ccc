import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import { STAKING_ABI } from '../../../host/modules/staking-abi.ts'
import {
  FIELD,
  fieldKey,
  lastValue,
  readQueue,
  readShares,
  readTotal,
  readUnbonding,
  readValidator,
  STAKING_ADDRESS,
  TOTAL,
  totalKey,
} from '../../../host/modules/staking-rows.ts'
import { decodeAccount } from '../../../host/state/account.ts'
import { type Contract, compile } from '../../support/contracts/solidity.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { bySet } from '../../support/run/by-set.ts'
import { StakingChain } from '../../support/staking/staking-chain.ts'
import { type ModelCall, STAKING, StakingModel, WEI } from '../../support/staking/staking-model.ts'

const CHAINS = bySet(4, 60)
const BLOCKS = 25
const PEOPLE = [1, 2, 3].map((n): Hex => `0x${`${n}e`.repeat(20)}`)
const RICH = 10_000n * WEI
const brancher = compile('Staking.sol').get('Brancher') as Contract
const seed = runSeed()

/** A call in the name of whoever performs it, or several in the name of another contract. */
type Action =
  | { readonly kind: 'call'; readonly value: bigint; readonly call: ModelCall }
  | { readonly kind: 'branch'; readonly to: Hex; readonly steps: readonly Step[] }
interface Step {
  readonly action: Action
  readonly isUndone: boolean
}

const encodeCall = ({ name, args }: ModelCall): Hex =>
  encodeFunctionData({ abi: STAKING_ABI, functionName: name, args } as never)

function encodeAction(action: Action): { target: Hex; value: bigint; data: Hex } {
  if (action.kind === 'call') {
    return { target: STAKING, value: action.value, data: encodeCall(action.call) }
  }
  const steps = action.steps.map((step) => ({
    ...encodeAction(step.action),
    isUndone: step.isUndone,
  }))
  const data = encodeFunctionData({ abi: brancher.abi, functionName: 'run', args: [steps] })
  return { target: action.to, value: 0n, data }
}

function perform(model: StakingModel, performer: string, action: Action): void {
  if (action.kind === 'call') {
    model.attempt(() => model.call(performer, action.value, action.call))
    return
  }
  for (const step of action.steps) {
    if (!step.isUndone) perform(model, action.to, step.action)
  }
}

class Dice {
  readonly #random: () => number
  constructor(random: () => number) {
    this.#random = random
  }
  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }
  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value
  }
}

function drawCall(dice: Dice, actors: readonly Hex[]): Action {
  const amount = BigInt(dice.of([0, 1, 2, 3, 7, 50, 999, 100_000]))
  const one = dice.of(actors)
  const other = dice.of(actors)
  const paid = amount * WEI + BigInt(dice.below(12) === 0 ? 1 : 0)
  const least = BigInt(dice.of([0, 1, 1, 2, 60]))
  const rate = dice.of(['0.05', '0.06', '0.2', '1', '0.3', ''])
  const moniker = dice.of(['a', 'b'.repeat(31), 'c'.repeat(32), 'd'.repeat(70), 'e'.repeat(71), ''])
  const key = `${dice.below(9)}`.padStart(64, '0')
  const draws: readonly (() => [bigint, string, readonly unknown[]])[] = [
    () => [paid, 'delegate', [one]],
    () => [paid, 'delegate', [one]],
    () => [0n, 'undelegate', [one, amount]],
    () => [0n, 'undelegate', [one, amount]],
    () => [0n, 'redelegate', [one, other, amount]],
    () => [paid, 'createValidator', [key, moniker, rate, '0.3', '0.02', least]],
    () => [0n, 'editValidator', [moniker, rate, least]],
  ]
  const [value, name, args] = dice.of(draws)()
  return { kind: 'call', value, call: { name, args } }
}

function drawAction(
  dice: Dice,
  actors: readonly Hex[],
  contracts: readonly Hex[],
  depth: number,
): Action {
  if (depth === 0 || dice.below(3) === 0) return drawCall(dice, actors)
  const steps = Array.from({ length: 1 + dice.below(3) }, () => ({
    action: drawAction(dice, actors, contracts, depth - 1),
    isUndone: dice.below(4) === 0,
  }))
  return { kind: 'branch', to: dice.of(contracts), steps }
}

/** What slashing is to do: tokens are burnt, shares stay. */
async function slash(chain: StakingChain, model: StakingModel, id: number): Promise<void> {
  const { tokens, shares } = await readValidator(chain.readRow, id)
  const burnt = tokens / 3n
  const left = tokens - burnt
  const pool = Buffer.concat([bigintToBytes(left, 16), bigintToBytes(shares, 16)])
  chain.state.setStorage(STAKING_ADDRESS, fieldKey(id, FIELD.pool), new Uint8Array(pool))
  const bonded = (await readTotal(chain.readRow, TOTAL.bonded)) - burnt
  const total = lastValue(bigintToBytes(bonded, 16))
  chain.state.setStorage(STAKING_ADDRESS, totalKey(TOTAL.bonded), total)
  chain.burn(STAKING, burnt * WEI)
  const modelled = model.state.validators[id - 1]
  if (modelled !== undefined) modelled.tokens = left
  model.move(STAKING, '0xburnt', burnt * WEI)
}

async function compare(
  chain: StakingChain,
  model: StakingModel,
  actors: readonly Hex[],
): Promise<void> {
  const { validators, queue, paid, balances } = model.state
  for (const [index, wanted] of validators.entries()) {
    const id = index + 1
    const found = await readValidator(chain.readRow, id)
    expect(found).toMatchObject({
      operator: parseData(wanted.operator),
      consensusKey: parseData(`0x${wanted.key}`),
      moniker: wanted.moniker,
      tokens: wanted.tokens,
      shares: wanted.shares,
      minSelfDelegation: wanted.least,
      isJailed: wanted.jailed,
    })
    expect(found.commission).toMatchObject({ rate: wanted.rate, updated: wanted.updated })
    let sum = 0n
    for (const actor of actors) {
      const shares = await readShares(chain.readRow, parseData(actor), id)
      expect(shares).toBe(model.shares(actor, id))
      sum += shares
    }
    // All shares are somebody's.
    expect(found.shares).toBe(sum)
  }
  const { first, next } = await readQueue(chain.readRow)
  expect([first, next]).toEqual([BigInt(paid), BigInt(queue.length)])
  let waiting = 0n
  for (let place = first; place < next; place++) {
    const { delegator, validatorId, amount, time } = await readUnbonding(chain.readRow, place)
    const entry = { delegator: formatData(delegator), id: validatorId, amount, time }
    expect(entry).toEqual(queue[Number(place)])
    waiting += amount
  }
  const bonded = validators.reduce((all, { tokens }) => all + tokens, 0n)
  expect(await readTotal(chain.readRow, TOTAL.bonded)).toBe(bonded)
  expect(await readTotal(chain.readRow, TOTAL.unbonding)).toBe(waiting)
  // The account holds what is bonded or unbonding, and nothing else.
  expect(chain.balance(STAKING)).toBe((bonded + waiting) * WEI)
  for (const actor of [...actors, STAKING]) {
    expect(chain.balance(actor as Hex), actor).toBe(balances.get(actor) ?? 0n)
  }
}

describe(`staking is its model, whoever calls it how and reverts what (LOCKSTEP_SEED=${seed})`, () => {
  test.each(Array.from({ length: CHAINS }, (_, i) => i))('chain %i', async (n) => {
    const dice = new Dice(makeRandom(seed + n))
    const chain = await StakingChain.open()
    for (const account of PEOPLE) chain.fund(account, RICH)
    const contracts = [0, 1].map(() => chain.deploy(PEOPLE[0] as Hex, brancher))
    for (const account of contracts) {
      chain.transact(PEOPLE[1] as Hex, account, RICH / 10n, '0x')
    }
    const actors = [...PEOPLE, ...contracts]
    const model = new StakingModel(new Map(actors.map((actor) => [actor, chain.balance(actor)])))
    model.time = BigInt(chain.time)
    const supply = actors.reduce((all, actor) => all + chain.balance(actor), 0n)
    for (let block = 0; block < BLOCKS; block++) {
      for (let i = dice.below(5); i >= 0; i--) {
        const from = dice.of(PEOPLE)
        const action = drawAction(dice, actors, contracts, 3)
        const { target, value, data } = encodeAction(action)
        // Who has less cannot send it.
        if (chain.balance(from) < value) continue
        chain.transact(from, target, value, data)
        perform(model, from, action)
      }
      await compare(chain, model, actors)
      const { length } = model.state.validators
      if (length > 0 && dice.below(6) === 0) await slash(chain, model, 1 + dice.below(length))
      chain.beginBlock(dice.of([0, 1, 40, 100, 90_000]))
      model.beginBlock(BigInt(chain.time))
      await compare(chain, model, actors)
    }
    const burnt = model.state.balances.get('0xburnt') ?? 0n
    const left = [...actors, STAKING as Hex].reduce((all, actor) => all + chain.balance(actor), 0n)
    expect(left + burnt).toBe(supply)
    expect(decodeAccount(chain.state.account(STAKING_ADDRESS)).nonce).toBe(0n)
  })
})
