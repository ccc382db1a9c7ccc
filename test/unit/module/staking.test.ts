import {
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
} from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import { STAKING_ABI } from '../../../host/evm/modules/staking-abi.ts'
import {
  JAIL,
  operatorKey,
  readId,
  readQueue,
  readShares,
  readTotal,
  readUnbonding,
  readValidator,
  TOTAL,
} from '../../../host/evm/modules/staking-rows.ts'
import { type Contract, compile } from '../../support/contracts/solidity.ts'
import { StakingChain } from './staking-chain.ts'
import { STAKING, WEI } from './staking-model.ts'

const ALICE: Hex = `0x${'a1'.repeat(20)}`
const BOB: Hex = `0x${'b0'.repeat(20)}`
const CAROL: Hex = `0x${'ca'.repeat(20)}`
const KEY = 'ab'.repeat(32)
const RICH = 1_000_000n * WEI
const ERROR_ABI = parseAbi(['error Error(string)'])

const contracts = compile('Staking.sol')
const contract = (name: string) => contracts.get(name) as Contract

let chain: StakingChain
beforeEach(async () => {
  chain = await StakingChain.open()
  for (const account of [ALICE, BOB, CAROL]) chain.fund(account, RICH)
})

type Call = Parameters<typeof encodeFunctionData<typeof STAKING_ABI>>[0]

function send(from: Hex, call: Omit<Call, 'abi'>, value = 0n) {
  const data = encodeFunctionData({ abi: STAKING_ABI, ...call } as Call)
  return chain.transact(from, STAKING, value, data)
}

/** Returns the outcome of the call: true, the reason of its revert, or another error. */
function outcomeOf(from: Hex, call: Omit<Call, 'abi'>, value = 0n): unknown {
  const { error, output } = send(from, call, value)
  if (error === undefined) return formatData(output) === `0x${'00'.repeat(31)}01`
  if (error !== 'execution reverted' || output.length === 0) return error
  return decodeErrorResult({ abi: ERROR_ABI, data: formatData(output) }).args?.[0]
}

const create = (
  fields: { least?: bigint; moniker?: string; key?: string; rates?: string[] } = {},
) => {
  const [rate = '0.05', highest = '0.2', change = '0.01'] = fields.rates ?? []
  const { key = KEY, moniker = 'one', least = 1n } = fields
  return {
    functionName: 'createValidator' as const,
    args: [key, moniker, rate, highest, change, least] as const,
  }
}
const delegate = (operator: string) => ({
  functionName: 'delegate' as const,
  args: [operator] as const,
})
const undelegate = (operator: string, amount: bigint) => ({
  functionName: 'undelegate' as const,
  args: [operator, amount] as const,
})
const redelegate = (from: string, to: string, amount: bigint) => ({
  functionName: 'redelegate' as const,
  args: [from, to, amount] as const,
})
const edit = (moniker: string, rate: string, least: bigint) => ({
  functionName: 'editValidator' as const,
  args: [moniker, rate, least] as const,
})

async function validatorOf(operator: Hex) {
  const id = await readId(chain.readRow, operatorKey(parseData(operator)))
  return await readValidator(chain.readRow, id)
}

describe('createValidator', () => {
  test('makes the caller an operator that has delegated the value', async () => {
    const moniker = 'a moniker of more than thirty-one bytes, as many are'
    expect(outcomeOf(ALICE, create({ moniker, least: 3n }), 7n * WEI)).toBe(true)
    expect(await validatorOf(ALICE)).toEqual({
      id: 1,
      operator: parseData(ALICE),
      consensusKey: parseData(`0x${KEY}`),
      jail: JAIL.free,
      votingPower: 0,
      moniker,
      tokens: 7n,
      shares: 7n,
      commission: {
        rate: 5n * 10n ** 16n,
        maxRate: 2n * 10n ** 17n,
        maxChangeRate: 10n ** 16n,
        updated: BigInt(chain.time),
      },
      minSelfDelegation: 3n,
    })
    expect(chain.balance(STAKING)).toBe(7n * WEI)
    expect(await readShares(chain.readRow, parseData(ALICE), 1)).toBe(7n)
  })

  test('emits ValidatorCreated', () => {
    const { logs } = send(ALICE, create(), WEI)
    expect(logs).toHaveLength(1)
    const [log] = logs
    const topics = log?.topics.map(formatData) as [Hex, ...Hex[]]
    expect(
      decodeEventLog({ abi: STAKING_ABI, topics, data: formatData(log?.data as Uint8Array) }),
    ).toEqual({
      eventName: 'ValidatorCreated',
      args: {
        creator: expect.stringMatching(/^0x(a1){20}$/i),
        validatorAddress: ALICE,
        moniker: 'one',
      },
    })
  })

  test.each([
    [create({ key: 'ab' }), WEI, 'staking: a consensus key is 64 hex digits'],
    [create({ moniker: '' }), WEI, 'staking: the moniker is empty'],
    [create({ moniker: 'm'.repeat(71) }), WEI, 'staking: the moniker has more than 70 bytes'],
    [create({ least: 0n }), WEI, 'staking: the minimum self-delegation is zero'],
    [create({ least: 2n }), WEI, 'staking: the value is below the minimum self-delegation'],
    [create(), 0n, 'staking: the call has no value'],
    [create(), WEI + 1n, 'staking: the value has a fraction of the denomination'],
    [create({ rates: ['0.3'] }), WEI, 'staking: the commission is above its maximum rate'],
    [
      create({ rates: ['0.1', '0.2', '0.3'] }),
      WEI,
      'staking: the maximum change is above the maximum rate',
    ],
    ...[
      '',
      '.5',
      '5.',
      '1.1',
      '-1',
      '0.0000000000000000001',
      '1e3',
      '18446744073709551616.0',
      '0..1',
    ].map(
      (rate) =>
        [
          create({ rates: [rate] }),
          WEI,
          'staking: a rate is a decimal fraction from 0 to 1 with at most 18 digits',
        ] as const,
    ),
  ] as const)('refuses invalid arguments (%#)', (call, value, reason) => {
    expect(outcomeOf(ALICE, call, value)).toBe(reason)
    expect(chain.balance(ALICE)).toBe(RICH)
  })

  test.each(['0', '1', '0.000000000000000001', '1.000000000000000000', '0.20'])(
    'accepts the rate %s',
    (rate) => {
      expect(outcomeOf(ALICE, create({ rates: [rate, '1', '1'] }), WEI)).toBe(true)
    },
  )

  test('refuses a second validator of the caller or of the consensus key', () => {
    send(ALICE, create(), WEI)
    expect(outcomeOf(ALICE, create({ key: 'cd'.repeat(32) }), WEI)).toBe(
      'staking: the caller already has a validator',
    )
    expect(outcomeOf(BOB, create({ key: KEY.toUpperCase() }), WEI)).toBe(
      'staking: the consensus key already has a validator',
    )
  })
})

describe('editValidator', () => {
  test('changes the given fields and no others', async () => {
    send(ALICE, create({ moniker: 'm'.repeat(60) }), 9n * WEI)
    chain.beginBlock(86_400)
    expect(outcomeOf(ALICE, edit('', '0.06', 0n))).toBe(true)
    expect(outcomeOf(ALICE, edit('two', '', 4n))).toBe(true)
    const { moniker, commission, minSelfDelegation } = await validatorOf(ALICE)
    expect({ moniker, minSelfDelegation }).toEqual({ moniker: 'two', minSelfDelegation: 4n })
    expect(commission).toMatchObject({ rate: 6n * 10n ** 16n, updated: BigInt(chain.time) })
  })

  test('refuses changes that break a rule', () => {
    expect(outcomeOf(BOB, edit('x', '', 0n))).toBe('staking: the caller has no validator')
    send(ALICE, create({ least: 2n }), 3n * WEI)
    expect(outcomeOf(ALICE, edit('', '0.06', 0n))).toBe(
      'staking: the commission was changed less than a day ago',
    )
    chain.beginBlock(86_400)
    expect(outcomeOf(ALICE, edit('', '0.061', 0n))).toBe(
      'staking: the commission rises by more than its maximum change',
    )
    expect(outcomeOf(ALICE, edit('', '0.21', 0n))).toBe(
      'staking: the commission is above its maximum rate',
    )
    expect(outcomeOf(ALICE, edit('', '', 2n))).toBe(
      'staking: the minimum self-delegation can only rise',
    )
    expect(outcomeOf(ALICE, edit('', '', 4n))).toBe(
      'staking: the operator has delegated less than the minimum self-delegation',
    )
    expect(outcomeOf(ALICE, edit('m'.repeat(71), '', 0n))).toBe(
      'staking: the moniker has more than 70 bytes',
    )
  })
})

describe('delegate, undelegate and redelegate', () => {
  beforeEach(() => {
    send(ALICE, create({ least: 5n }), 10n * WEI)
    send(BOB, create({ key: 'cd'.repeat(32) }), 10n * WEI)
  })

  test('bond the value, and emit Delegate with the operator in hex', async () => {
    const { logs, error } = send(CAROL, delegate(ALICE.toUpperCase().replace('0X', '0x')), 4n * WEI)
    expect(error).toBeUndefined()
    const topics = logs[0]?.topics.map(formatData) as [Hex, ...Hex[]]
    const data = formatData(logs[0]?.data as Uint8Array)
    expect(decodeEventLog({ abi: STAKING_ABI, topics, data })).toMatchObject({
      eventName: 'Delegate',
      args: { validator: ALICE, amount: 4n },
    })
    expect(await validatorOf(ALICE)).toMatchObject({ tokens: 14n, shares: 14n })
    expect(await readTotal(chain.readRow, TOTAL.bonded)).toBe(24n)
    expect(chain.balance(CAROL)).toBe(RICH - 4n * WEI)
  })

  test('pay out at the start of the first block after the unbonding time, and not before', async () => {
    send(CAROL, delegate(ALICE), 4n * WEI)
    expect(outcomeOf(CAROL, undelegate(ALICE, 3n))).toBe(true)
    expect(await readTotal(chain.readRow, TOTAL.unbonding)).toBe(3n)
    const { first, next } = await readQueue(chain.readRow)
    expect({ first, next }).toEqual({ first: 0n, next: 1n })
    expect(await readUnbonding(chain.readRow, 0n)).toEqual({
      delegator: parseData(CAROL),
      validatorId: 1,
      amount: 3n,
      time: BigInt(chain.time + 100),
      height: 2n,
    })
    chain.beginBlock(99)
    expect(chain.balance(CAROL)).toBe(RICH - 4n * WEI)
    chain.beginBlock(1)
    expect(chain.balance(CAROL)).toBe(RICH - WEI)
    expect(chain.balance(STAKING)).toBe(21n * WEI)
    expect(await readTotal(chain.readRow, TOTAL.unbonding)).toBe(0n)
    expect(await readQueue(chain.readRow)).toEqual({ first: 1n, next: 1n })
  })

  test('pay out at most 64 unbondings per block, in order', () => {
    const people = Array.from({ length: 26 }, (_, i): Hex => `0x${`${10 + i}`.repeat(20)}`)
    for (const person of people) {
      chain.fund(person, RICH)
      send(person, delegate(ALICE), 9n * WEI)
      for (let i = 0; i < 5; i++) send(person, undelegate(ALICE, 1n))
    }
    for (const paid of [64, 128, 130, 130]) {
      chain.beginBlock(100)
      for (const [i, person] of people.entries()) {
        const own = BigInt(Math.min(Math.max(paid - 5 * i, 0), 5))
        expect(chain.balance(person)).toBe(RICH - (9n - own) * WEI)
      }
    }
  })

  test('allow seven pending unbondings from one validator', () => {
    send(CAROL, delegate(ALICE), 20n * WEI)
    for (let i = 0; i < 7; i++) expect(outcomeOf(CAROL, undelegate(ALICE, 1n))).toBe(true)
    expect(outcomeOf(CAROL, undelegate(ALICE, 1n))).toBe(
      'staking: the delegator has seven pending unbondings from the validator',
    )
    expect(outcomeOf(ALICE, undelegate(ALICE, 1n))).toBe(true)
    chain.beginBlock(100)
    expect(outcomeOf(CAROL, undelegate(ALICE, 1n))).toBe(true)
  })

  test('redelegate at once, but not from the destination of a pending redelegation', async () => {
    send(CAROL, delegate(ALICE), 6n * WEI)
    expect(outcomeOf(CAROL, redelegate(ALICE, BOB, 5n))).toBe(true)
    expect(await validatorOf(BOB)).toMatchObject({ tokens: 15n })
    expect(outcomeOf(CAROL, redelegate(BOB, ALICE, 1n))).toBe(
      'staking: a redelegation to the first validator has not ended',
    )
    expect(outcomeOf(CAROL, redelegate(ALICE, BOB, 1n))).toBe(true)
    chain.beginBlock(100)
    expect(outcomeOf(CAROL, redelegate(BOB, ALICE, 1n))).toBe(true)
  })

  test('jail a validator whose operator has too little at stake, until it has enough again', async () => {
    send(ALICE, undelegate(ALICE, 6n))
    expect(await validatorOf(ALICE)).toMatchObject({ tokens: 4n, jail: JAIL.forStake })
    send(CAROL, delegate(ALICE), 9n * WEI)
    expect(await validatorOf(ALICE)).toMatchObject({ jail: JAIL.forStake })
    send(ALICE, delegate(ALICE), WEI)
    expect(await validatorOf(ALICE)).toMatchObject({ jail: JAIL.free })
  })

  test.each([
    [delegate(CAROL), WEI, 'staking: the validator does not exist'],
    [
      delegate('alice'),
      WEI,
      "staking: write a validator as its operator's address, 0x... or seivaloper1...",
    ],
    [delegate(ALICE), 0n, 'staking: the call has no value'],
    [delegate(ALICE), 1n, 'staking: the value has a fraction of the denomination'],
    [undelegate(ALICE, 0n), 0n, 'staking: the amount is zero'],
    [undelegate(ALICE, 1n), 0n, 'staking: the amount exceeds the worth of the delegation'],
    [
      undelegate(ALICE, 2n ** 256n - 1n),
      0n,
      'staking: the amount exceeds the worth of the delegation',
    ],
    [undelegate(ALICE, 1n), 1n, 'staking: the function takes no value'],
    [redelegate(ALICE, ALICE, 1n), 0n, 'staking: the two validators are the same'],
    [redelegate(ALICE, CAROL, 1n), 0n, 'staking: the validator does not exist'],
    [redelegate(ALICE, BOB, 1n), 0n, 'staking: the amount exceeds the worth of the delegation'],
  ] as const)('refuse invalid arguments (%#)', (call, value, reason) => {
    expect(outcomeOf(CAROL, call, value)).toBe(reason)
    expect(chain.balance(CAROL)).toBe(RICH)
  })

  test('accept a validator address in bech32 too', () => {
    // The 20 bytes a1 with the prefix seivaloper.
    const named = 'seivaloper15xs6rgdp5xs6rgdp5xs6rgdp5xs6rgdps3gc57'
    expect(outcomeOf(CAROL, delegate(named), WEI)).toBe(true)
  })
})

describe('the delegation query', () => {
  test('returns the value of a delegation and its shares', () => {
    send(ALICE, create(), 10n * WEI)
    const call = { functionName: 'delegation' as const, args: [ALICE, ALICE] as const }
    const { output } = send(BOB, call)
    const data = formatData(output)
    expect(decodeFunctionResult({ abi: STAKING_ABI, functionName: 'delegation', data })).toEqual({
      balance: { amount: 10n, denom: 'usei' },
      delegation: {
        delegator_address: ALICE,
        shares: 10n * 10n ** 18n,
        decimals: 18n,
        validator_address: ALICE,
      },
    })
    expect(outcomeOf(BOB, { functionName: 'delegation', args: [BOB, ALICE] })).toBe(
      'staking: the delegation does not exist',
    )
  })
})

test('only the protocol may call the hook at the start of a block', () => {
  const data = encodeFunctionData({ abi: parseAbi(['function beginBlock()']) })
  const { error, output } = chain.transact(ALICE, STAKING, 0n, data)
  expect(error).toBe('execution reverted')
  expect(decodeErrorResult({ abi: ERROR_ABI, data: formatData(output) }).args).toEqual([
    'staking: only the protocol may begin blocks',
  ])
})

test('a Solidity contract calls each function of the ABI', () => {
  const { abi } = contract('Staker')
  const staker = chain.deploy(ALICE, contract('Staker'))
  chain.transact(ALICE, staker, 50n * WEI, '0x')
  send(ALICE, create({ key: 'cd'.repeat(32) }), 10n * WEI)
  const act = (functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi, functionName, args })
    const { error, output } = chain.transact(BOB, staker, 0n, data)
    expect(error, `${functionName} ${formatData(output)}`).toBeUndefined()
    return formatData(output)
  }
  act('create', [KEY, 'contract', 20n * WEI, 3n])
  act('delegate', [ALICE, 5n * WEI])
  act('redelegate', [ALICE, staker, 2n])
  act('undelegate', [ALICE, 1n])
  chain.beginBlock(100_000)
  act('edit', ['again', '0.06', 4n])
  const bonded = (validator: string) => {
    const data = act('bonded', [validator])
    return decodeFunctionResult({ abi, functionName: 'bonded', data })
  }
  expect(bonded(ALICE)).toEqual([2n, 2n, 'usei'])
  expect(bonded(staker)).toEqual([22n, 22n, 'usei'])
  expect(chain.balance(staker)).toBe(26n * WEI)
})
