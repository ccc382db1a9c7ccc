import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { parseData } from '../../../../../host/base/hex.ts'
import { nobleRecovery } from '../../../../../host/evm/chain-types/noble-recovery.ts'
import type { BlockEngine } from '../../../../../host/evm/execute/block-engine.ts'
import { EnginePool } from '../../../../../host/evm/execute/engine-pool.ts'
import { lockstepRules } from '../../../../../host/evm/execute/lockstep/lockstep-rules.ts'
import type { CallArguments } from '../../../../../host/evm/execute/simulate/call-message.ts'
import {
  type CallSimulation,
  Simulator,
} from '../../../../../host/evm/execute/simulate/simulator.ts'
import { encodeAccount } from '../../../../../host/evm/state/account.ts'
import { OverlayState } from '../../../../../host/evm/state/overlay-state.ts'
import type { StateView } from '../../../../../host/evm/state/view.ts'
import { MemoryChain } from '../../../../support/chain/memory-chain.ts'
import { OPEN_CALL } from '../../../../support/chain/open-call.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'

const FROM = new Uint8Array(20).fill(0x11)
const CONTRACT = new Uint8Array(20).fill(0x22)
const ENDLESS = new Uint8Array(20).fill(0x33)

/** Returns slot 0 and the base fee. With input it first writes 99 to the slot. */
const CODE = parseData('0x361560095760635f555b5f545f524860205260405ff3')
/** Loops forever. */
const LOOP = parseData('0x5b5f56')

let stored: bigint
let edition: number
/** State reads so far. */
let read: string[]
let simulator: Simulator

/** A state whose contracts have slots with the current value of `stored`. */
const view: StateView = {
  account: (address) => {
    read.push(`account ${address[0]?.toString(16)}`)
    if (address[0] === 0x11) return undefined
    const codeHash = new Uint8Array(32).fill(address[0] as number)
    return encodeAccount({ nonce: 1n, balance: 10n ** 30n, codeHash })
  },
  storage: () => {
    read.push('slot')
    return bigintToBytes(stored, 32)
  },
  code: ([first]) => (first === 0x22 ? CODE : LOOP),
  blockHash: () => undefined,
}

beforeEach(() => {
  stored = 7n
  edition++
})

beforeAll(async () => {
  edition = 0
  const module = await compileEngine()
  const engine = await openEngine(module)
  const chain = await MemoryChain.open(engine)
  await chain.initialise()
  await chain.produce()
  await chain.produce()
  simulator = new Simulator({
    history: {
      ...chain.history,
      view: () => view,
      before: () => view,
      fork: () => new OverlayState(view),
      stateVersion: () => edition,
    },
    rules: lockstepRules(chain.genesis.params, chain.storage.state),
    keccak256: nobleRecovery.keccak256,
    engines: new EnginePool<BlockEngine>(() => openEngine(module), 1, 0),
    gasCap: 10_000_000n,
  })
}, 120_000)

const REQUEST: CallArguments = { ...OPEN_CALL, from: FROM, to: CONTRACT }

function simulation(rest: Partial<CallSimulation> = {}, request: Partial<CallArguments> = {}) {
  return {
    request: { ...REQUEST, ...request },
    height: 1,
    stateOverrides: [],
    blockOverrides: undefined,
    signal: new AbortController().signal,
    turn: () => undefined,
    ...rest,
  }
}

/** Returns slot 0 as a call sees it, whether it saw a base fee, the gas it used, and the state reads it caused. */
async function call(rest: Partial<CallSimulation> = {}, request: Partial<CallArguments> = {}) {
  read = []
  const { output, gasUsed } = await simulator.call(simulation(rest, request))
  const word = (at: number) =>
    BigInt(`0x${Buffer.from(output.subarray(at, at + 32)).toString('hex')}`)
  return { slot: word(0), priced: word(32) > 0n, gasUsed, read }
}

const ALL = ['account 11', 'account 22', 'slot']
/** The simulator reads the sender before each call. */
const SENDER = ['account 11']

describe('consecutive calls on the same finished state', () => {
  test('read it once, and each is charged for its reads', async () => {
    const first = await call()
    expect(first).toMatchObject({ slot: 7n, priced: false })
    expect(first.read).toEqual(expect.arrayContaining(ALL))
    expect(await call()).toEqual({ ...first, read: SENDER })
  })

  test('do not see the writes of the previous call', async () => {
    const first = await call()
    expect(await call({}, { data: new Uint8Array(1) })).toMatchObject({ slot: 99n, read: SENDER })
    expect(await call()).toEqual({ ...first, read: SENDER })
  })

  test('read again after the state changes, and at another height', async () => {
    await call()
    stored = 8n
    edition++
    expect(await call()).toMatchObject({ slot: 8n })
    stored = 9n
    expect(await call({ height: 2 })).toMatchObject({ slot: 9n })
    expect(await call({ height: 2 })).toMatchObject({ slot: 9n, read: SENDER })
  })

  test('see the base fee if they offer a price, and zero otherwise', async () => {
    const price = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 0n, from: CONTRACT }
    await call()
    expect(await call({}, price)).toMatchObject({ slot: 7n, priced: true })
    expect(await call()).toMatchObject({ slot: 7n, priced: false })
  })

  test.each<[string, () => Promise<unknown>]>([
    [
      'on another state',
      () =>
        call({
          stateOverrides: [
            {
              address: CONTRACT,
              balance: undefined,
              nonce: undefined,
              code: undefined,
              state: undefined,
              stateDiff: [{ slot: new Uint8Array(32), value: bigintToBytes(5n, 32) }],
              movePrecompileTo: undefined,
            },
          ],
        }),
    ],
    ['of an estimate', async () => simulator.estimateGas(simulation())],
    ['of an access list', async () => simulator.createAccessList(simulation())],
    [
      'that breaks off',
      async () => {
        const reason = new Error('over')
        const signal = { aborted: false, reason }
        const turn = async () => {
          signal.aborted = true
        }
        const run = call({ signal, turn }, { to: ENDLESS })
        await expect(run).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
      },
    ],
  ])('share nothing with one %s', async (_, other) => {
    const first = await call()
    await other()
    stored = 8n
    // It would still be 7 if the engine's block from before were reused.
    expect(await call()).toMatchObject({ slot: 8n, gasUsed: first.gasUsed })
  })

  test('start a new block after some gas, so that cached reads do not accumulate', async () => {
    const { gasUsed } = await call()
    const calls = Number(2_000_000n / gasUsed)
    for (let i = 0; i < calls; i++) expect((await call()).read).toEqual(SENDER)
    expect((await call()).read).toEqual(expect.arrayContaining(ALL))
  })
})
