import { sha256 } from '@noble/hashes/sha2.js'
import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { formatData, type Hex, hexDigits, parseData } from '../../../host/base/hex.ts'
import { STAKING_ABI } from '../../../host/evm/modules/staking-abi.ts'
import {
  fieldKey,
  readQueue,
  readShares,
  readTotal,
  readUnbonding,
  readValidator,
  STAKING_ADDRESS,
  TOTAL,
  VALIDATOR_FIELD,
} from '../../../host/evm/modules/staking-rows.ts'
import { ValidatorSet } from '../../../host/evm/modules/validator-set.ts'
import { decodeAccount } from '../../../host/evm/state/account.ts'
import { type Contract, compile } from '../../support/contracts/solidity.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { bySet } from '../../support/run/by-set.ts'
import { StakingChain, type StakingOffence } from './staking-chain.ts'
import {
  BURNT,
  MODEL_UNBONDING,
  type ModelCall,
  type ModelOffence,
  STAKING,
  StakingModel,
  WEI,
} from './staking-model.ts'

const CHAINS = bySet(4, 30)
const BLOCKS = 25
const PEOPLE = [1, 2, 3].map((n): Hex => `0x${`${n}e`.repeat(20)}`)
const RICH = 10n ** 9n * WEI
const brancher = compile('Staking.sol').get('Brancher') as Contract
const seed = runSeed()

/** A call by the sender, or several calls by another contract. */
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
    model.tryRun(() => model.call(performer, action.value, action.call))
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
  const amount = BigInt(dice.of([0, 1, 2, 3, 7, 50, 999, 7_000_001, 90_000_000, 2_000_000_000]))
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

/**
 * Returns the offences that end a block, and those that count. Some are too old, by unknown keys, or repeated for a
 * height.
 */
function drawOffences(
  dice: Dice,
  chain: StakingChain,
  model: StakingModel,
  times: readonly number[],
) {
  const { validators } = model.state
  const proven: StakingOffence[] = []
  const counted = new Map<number, ModelOffence>()
  while (dice.below(3) === 0) {
    const id = 1 + dice.below(validators.length + 1)
    const validator = validators[id - 1]
    const key = parseData(`0x${validator?.key ?? 'ff'.repeat(32)}`)
    const height = chain.height - dice.below(Math.min(8, chain.height))
    const time = times[height] as number
    const voting = Number((validator?.tokens ?? 0n) / 1_000_000n)
    const power = dice.of([0, 1, voting, voting, Number.MAX_SAFE_INTEGER])
    proven.push({ validatorAddress: sha256(key).subarray(0, 20), power, height, time })
    if (validator === undefined || BigInt(chain.time - time) > MODEL_UNBONDING) continue
    if (!counted.has(id)) counted.set(id, { id, power, height })
  }
  return { proven, counted: [...counted.values()] }
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
      jail: wanted.jail,
    })
    expect(found.commission).toMatchObject({ rate: wanted.rate, updated: wanted.updated })
    let sum = 0n
    for (const actor of actors) {
      const shares = await readShares(chain.readRow, parseData(actor), id)
      expect(shares).toBe(model.shares(actor, id))
      sum += shares
    }
    // All shares belong to a delegator.
    expect(found.shares).toBe(sum)
  }
  const { first, next } = await readQueue(chain.readRow)
  expect([first, next]).toEqual([BigInt(paid), BigInt(queue.length)])
  let waiting = 0n
  for (let place = first; place < next; place++) {
    const { delegator, validatorId, amount, time, height } = await readUnbonding(
      chain.readRow,
      place,
    )
    const wanted = queue[Number(place)] as (typeof queue)[number]
    const { amount: held, isSlashed, ...rest } = wanted
    const paid = isSlashed ? held - held / 20n : held
    const entry = {
      delegator: formatData(delegator),
      id: validatorId,
      amount,
      time,
      height: Number(height),
    }
    expect(entry).toEqual({ ...rest, amount: paid })
    waiting += wanted.amount
  }
  const bonded = validators.reduce((all, { tokens }) => all + tokens, 0n)
  expect(await readTotal(chain.readRow, TOTAL.bonded)).toBe(bonded)
  expect(await readTotal(chain.readRow, TOTAL.unbonding)).toBe(waiting)
  // The account holds exactly the bonded and the unbonding amounts.
  expect(chain.balance(STAKING)).toBe((bonded + waiting) * WEI)
  for (const actor of [...actors, STAKING]) {
    expect(chain.balance(actor as Hex), actor).toBe(balances.get(actor) ?? 0n)
  }
}

/** Reports the changes to consensus, as at the end of a block, and compares its validators with the model. */
function tell(
  chain: StakingChain,
  model: StakingModel,
  set: ValidatorSet,
  told: Map<string, number>,
) {
  const { validators } = model.state
  const written = validators.flatMap((_, i) =>
    [VALIDATOR_FIELD.operator, VALIDATOR_FIELD.pool].map((f) => fieldKey(i + 1, f)),
  )
  const change = set.change(written, chain.row)
  for (const { publicKey, power } of change.updates) {
    const key = hexDigits(publicKey)
    expect(told.get(key) ?? 0).not.toBe(power)
    if (power === 0) told.delete(key)
    else told.set(key, power)
  }
  for (const { key, value } of change.rows) chain.state.setStorage(STAKING_ADDRESS, key, value)
  set.accept(change)
  const able = validators.map(
    ({ key, tokens, jail }) => [key, jail === 0 ? Number(tokens / 1_000_000n) : 0] as const,
  )
  const wanted = able.filter(([, power]) => power > 0)
  if (wanted.length > 0) expect(told).toEqual(new Map(wanted))
}

describe(`staking agrees with its model under any calls and reverts (LOCKSTEP_SEED=${seed})`, () => {
  test.each(Array.from({ length: CHAINS }, (_, i) => i))('on chain %i', async (n) => {
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
    model.height = chain.height
    let set = new ValidatorSet(chain.row)
    const told = new Map<string, number>()
    const times = [0, chain.time, chain.time]
    const supply = actors.reduce((all, actor) => all + chain.balance(actor), 0n)
    for (let block = 0; block < BLOCKS; block++) {
      for (let i = dice.below(5); i >= 0; i--) {
        const from = dice.of(PEOPLE)
        const action = drawAction(dice, actors, contracts, 3)
        const { target, value, data } = encodeAction(action)
        // An account with less cannot send it.
        if (chain.balance(from) < value) continue
        chain.transact(from, target, value, data)
        perform(model, from, action)
      }
      await compare(chain, model, actors)
      tell(chain, model, set, told)
      // A restarted set finds the same in the rows.
      if (dice.below(3) === 0) set = new ValidatorSet(chain.row)
      const { proven, counted } = drawOffences(dice, chain, model, times)
      chain.endBlock(proven)
      chain.beginBlock(dice.of([0, 1, 40, 100, 90_000]))
      times[chain.height] = chain.time
      model.beginBlock(BigInt(chain.time), counted)
      await compare(chain, model, actors)
    }
    const burnt = model.state.balances.get(BURNT) ?? 0n
    const left = [...actors, STAKING as Hex].reduce((all, actor) => all + chain.balance(actor), 0n)
    expect(left + burnt).toBe(supply)
    expect(decodeAccount(chain.state.account(STAKING_ADDRESS)).nonce).toBe(0n)
  })
})
