import { sha256 } from '@noble/hashes/sha2.js'
import {
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { formatData, type Hex, hexDigits, parseData } from '../../../host/base/hex.ts'
import { STAKING_ABI } from '../../../host/evm/modules/staking-abi.ts'
import { decodeSigningInfo } from '../../../host/evm/modules/staking-downtime.ts'
import {
  fieldKey,
  JAIL,
  missedBlocksKey,
  readValidator,
  VALIDATOR_FIELD,
} from '../../../host/evm/modules/staking-rows.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { StakingChain } from './staking-chain.ts'
import { STAKING, WEI } from './staking-model.ts'

const ALICE: Hex = `0x${'a1'.repeat(20)}`
const BOB: Hex = `0x${'b0'.repeat(20)}`
const ERROR_ABI = parseAbi(['error Error(string)'])
const RICH = 10n ** 12n * WEI
const keyOf = (operator: Hex) => operator.slice(2).padStart(64, '0')
const addressOf = (operator: Hex) => sha256(parseData(`0x${keyOf(operator)}`)).subarray(0, 20)
const vote = (operator: Hex, isAbsent = false) => ({
  validatorAddress: addressOf(operator),
  isAbsent,
})
const SIGNING_INFO: Hex = '0x636147e8'
const HALF = 5n * 10n ** 17n
/** At most two of five blocks may be missed. */
const RULES = { window: 5, minSigned: HALF, jailSeconds: 60 }

type Call = Parameters<typeof encodeFunctionData<typeof STAKING_ABI>>[0]

function send(chain: StakingChain, from: Hex, call: Omit<Call, 'abi'>, amount = 0n) {
  const data = encodeFunctionData({ abi: STAKING_ABI, ...call } as Call)
  return chain.transact(from, STAKING, amount * WEI, data)
}

/** Returns the outcome of a call: true, or the reason of its revert. */
function outcomeOf(chain: StakingChain, from: Hex, call: Omit<Call, 'abi'>, amount = 0n): unknown {
  const { error, output } = send(chain, from, call, amount)
  if (error === undefined) return true
  return decodeErrorResult({ abi: ERROR_ABI, data: formatData(output) }).args?.[0]
}

const unjail = { functionName: 'unjail' as const, args: [] as const }
const create = (operator: Hex) => ({
  functionName: 'createValidator' as const,
  args: [keyOf(operator), 'm', '0.1', '1', '0.1', 5n] as const,
})

async function open(downtime?: typeof RULES): Promise<StakingChain> {
  const chain = await StakingChain.open([], 10, downtime)
  chain.fund(ALICE, RICH)
  chain.fund(BOB, RICH)
  chain.beginBlock(1)
  expect(outcomeOf(chain, ALICE, create(ALICE), 10n)).toBe(true)
  return chain
}

/** Makes a block whose last commit has or lacks a vote of Alice. */
function nextBlock(chain: StakingChain, isAbsent: boolean): void {
  chain.beginBlock(1)
  chain.countVotes([vote(ALICE, isAbsent)])
}

const jailOf = async (chain: StakingChain) => (await readValidator(chain.readRow, 1)).jail

const infoOf = (chain: StakingChain) =>
  decodeSigningInfo(chain.row(fieldKey(1, VALIDATOR_FIELD.signing)))

/** Returns the answer of the precompile to anybody, in the state after the last block. */
function askedInfoOf(chain: StakingChain) {
  const call = { functionName: 'signingInfo' as const, args: [ALICE] as const }
  const { output } = send(chain, BOB, call)
  return decodeFunctionResult({
    abi: STAKING_ABI,
    functionName: 'signingInfo',
    data: formatData(output),
  })
}

/** Makes blocks until Alice is jailed, after a window of votes. Returns the time of that block. */
function jail(chain: StakingChain): number {
  for (let i = 0; i < 6; i++) nextBlock(chain, false)
  for (let i = 0; i < 3; i++) nextBlock(chain, true)
  return chain.time
}

describe('a chain that jails for downtime', () => {
  test('jails a validator with the block that makes its missed blocks too many', async () => {
    const chain = await open(RULES)
    const states: unknown[] = []
    for (const isAbsent of [false, false, false, false, false, false, true, true, true]) {
      nextBlock(chain, isAbsent)
      states.push([infoOf(chain).missedBlocks, await jailOf(chain)])
    }
    expect(states).toEqual([
      ...Array(6).fill([0, JAIL.free]),
      [1, JAIL.free],
      [2, JAIL.free],
      [0, JAIL.forDowntime],
    ])
    const jailedUntil = chain.time + 60
    expect(infoOf(chain)).toEqual({ startHeight: 0, missedBlocks: 0, jailedUntil })
    expect(chain.row(missedBlocksKey(1, 0))).toBeUndefined()
    chain.beginBlock(1)
    expect(askedInfoOf(chain)).toEqual([0n, 0n, BigInt(jailedUntil), false])
  })

  test('jails none before a whole window has passed since its first commit', async () => {
    const chain = await open(RULES)
    const first = chain.height + 1
    for (let i = 0; i < 6; i++) {
      nextBlock(chain, true)
      expect([infoOf(chain).startHeight, await jailOf(chain)]).toEqual([first, JAIL.free])
    }
    expect(infoOf(chain).missedBlocks).toBe(5)
    nextBlock(chain, true)
    expect(await jailOf(chain)).toBe(JAIL.forDowntime)
  })

  test('counts no votes of a jailed validator, and none of unknown ones', async () => {
    const chain = await open(RULES)
    jail(chain)
    const info = infoOf(chain)
    for (let i = 0; i < 20; i++) {
      chain.beginBlock(1)
      chain.countVotes([vote(ALICE, true), vote(BOB, true)])
    }
    expect(infoOf(chain)).toEqual(info)
  })

  test('frees it by unjail of its operator when the time in jail is over, and counts anew', async () => {
    const chain = await open(RULES)
    expect(outcomeOf(chain, ALICE, unjail)).toBe(
      'staking: the validator is not jailed for downtime',
    )
    const jailed = jail(chain)
    chain.beginBlock(59)
    expect(chain.time).toBe(jailed + 59)
    expect(outcomeOf(chain, ALICE, unjail)).toBe(
      "staking: the validator's time in jail has not ended",
    )
    chain.beginBlock(1)
    expect(outcomeOf(chain, BOB, unjail)).toBe('staking: the caller has no validator')
    const { error, logs } = send(chain, ALICE, unjail)
    expect(error).toBeUndefined()
    const [log] = logs
    const topics = log?.topics.map(formatData) as [Hex, ...Hex[]]
    const event = decodeEventLog({
      abi: STAKING_ABI,
      topics,
      data: formatData(log?.data as Uint8Array),
    })
    expect([event.eventName, event.args]).toMatchObject([
      'ValidatorUnjailed',
      { validatorAddress: ALICE },
    ])
    expect(await jailOf(chain)).toBe(JAIL.free)
    expect(outcomeOf(chain, ALICE, unjail)).toBe(
      'staking: the validator is not jailed for downtime',
    )
    const returned = chain.height + 1
    for (let i = 0; i < 6; i++) nextBlock(chain, true)
    expect([infoOf(chain).startHeight, await jailOf(chain)]).toEqual([returned, JAIL.free])
    nextBlock(chain, true)
    expect(await jailOf(chain)).toBe(JAIL.forDowntime)
  })

  test('keeps it in jail while its operator has too little at stake, and stake alone frees none', async () => {
    const chain = await open(RULES)
    jail(chain)
    chain.beginBlock(100)
    const leave = { functionName: 'undelegate' as const, args: [ALICE, 6n] as const }
    expect(outcomeOf(chain, ALICE, leave)).toBe(true)
    expect(await jailOf(chain)).toBe(JAIL.forDowntime + JAIL.forStake)
    expect(outcomeOf(chain, ALICE, unjail)).toBe(
      'staking: the operator has delegated less than the minimum self-delegation',
    )
    const back = { functionName: 'delegate' as const, args: [ALICE] as const }
    expect(outcomeOf(chain, ALICE, back, 6n)).toBe(true)
    expect(await jailOf(chain)).toBe(JAIL.forDowntime)
    expect(outcomeOf(chain, ALICE, unjail)).toBe(true)
    expect(await jailOf(chain)).toBe(JAIL.free)
  })

  test('never frees a validator that signed two blocks of one height', async () => {
    const chain = await open(RULES)
    jail(chain)
    chain.endBlock([
      { validatorAddress: addressOf(ALICE), power: 1, height: chain.height - 1, time: chain.time },
    ])
    chain.beginBlock(100)
    expect(await jailOf(chain)).toBe(JAIL.forGood)
    expect(outcomeOf(chain, ALICE, unjail)).toBe('staking: the validator is jailed for good')
    expect(askedInfoOf(chain)[3]).toBe(true)
  })

  const seed = runSeed()
  test(`counts the absent votes of the last blocks of the window, LOCKSTEP_SEED=${seed}`, async () => {
    const random = makeRandom(seed)
    const window = 200 + Math.floor(random() * 400)
    const chain = await open({ window, minSigned: 0n, jailSeconds: 0 })
    const absent: boolean[] = []
    for (let i = 0; i < 3 * window; i++) {
      absent.push(random() < 0.3)
      chain.height++
      chain.countVotes([vote(ALICE, absent.at(-1))])
      if (i % 50 !== 0) continue
      const wanted = absent.slice(-window).filter(Boolean).length
      expect(infoOf(chain).missedBlocks).toBe(wanted)
    }
    const rows = Array.from({ length: 3 }, (_, i) => chain.row(missedBlocksKey(1, i)))
    const bits = rows.map((row) =>
      row === undefined ? '' : BigInt(`0x${hexDigits(row)}`).toString(2),
    )
    expect(bits.join('').replaceAll('0', '').length).toBe(
      absent.slice(-window).filter(Boolean).length,
    )
  })
})

describe('a chain that does not jail for downtime', () => {
  const reasonOf = (output: Uint8Array) =>
    decodeErrorResult({ abi: ERROR_ABI, data: formatData(output) }).args?.[0]

  test.each([
    ['unjail', '0xf679d305', '0xf679d304'],
    ['signingInfo', SIGNING_INFO, `${SIGNING_INFO.slice(0, -2)}11`],
  ] as [string, Hex, Hex][])(
    'answers %s as an unknown function, for the same gas',
    async (_, selector, other) => {
      const chain = await open()
      const [known, unknown] = [selector, other].map((data) =>
        chain.transact(ALICE, STAKING, 0n, data as Hex),
      )
      expect(reasonOf(known?.output as Uint8Array)).toBe(`staking has no function ${selector}`)
      expect(reasonOf(unknown?.output as Uint8Array)).toBe(`staking has no function ${other}`)
      expect(known?.gasUsed).toBe(unknown?.gasUsed)
      // The rule about value comes after
      const paid = chain.transact(ALICE, STAKING, WEI, selector)
      expect(reasonOf(paid.output)).toBe(`staking has no function ${selector}`)
    },
  )

  test('writes no row for votes', async () => {
    const chain = await open()
    for (let i = 0; i < 20; i++) nextBlock(chain, true)
    expect(chain.row(fieldKey(1, VALIDATOR_FIELD.signing))).toBeUndefined()
    expect(await jailOf(chain)).toBe(JAIL.free)
  })
})
