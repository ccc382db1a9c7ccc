import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import type { LiveState } from '../../../../host/evm/engine/live-state.ts'
import type { EnterEvent, TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { decodeAccount } from '../../../../host/evm/state/account.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { type Dice, makeDice } from '../../../fuzz/dice.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { keepStep, type Step } from '../../../support/trace/kept-step.ts'

const CALLEE = address(0x3333)
const CALLEE_WORD = bytesToBigint(CALLEE)
const SELFBALANCE = 0x47
const SLOAD = 0x54
const FIRST_SEED = 52_000
const PROGRAMS = 200

type Items = readonly (string | number | bigint)[]

/**
 * Returns a program of reads and writes of four slots and reads of the balance. With `calls` it also makes calls that
 * may transfer value.
 */
function makeProgram(dice: Dice, calls: boolean): Items {
  const piece = (): Items => {
    const slot = dice.below(4)
    switch (dice.below(calls ? 5 : 3)) {
      case 0:
        return [slot, 'SLOAD', 'POP']
      case 1:
        return [dice.below(3), slot, 'SSTORE']
      case 2:
        return ['SELFBALANCE', 'POP']
      case 3:
        return [0, 0, 0, 0, dice.below(2), CALLEE_WORD, 100_000, 'CALL', 'POP']
      default:
        return [0, 0, 0, 0, CALLEE_WORD, 100_000, 'DELEGATECALL', 'POP']
    }
  }
  const end = dice.pick<Items>([['STOP'], ['STOP'], [0, 0, 'REVERT'], ['INVALID']])
  return [...Array.from({ length: 3 + dice.below(12) }, piece).flat(), ...end]
}

function selfOf({ type, from, to }: EnterEvent): Uint8Array {
  return type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to
}

describe('the live state of an engine that pauses at each step', async () => {
  const engine = await engineInBlock()

  /** Compares what the opcodes read with the live state just before. @returns the number of reads */
  function run(seed: number): number {
    const dice = makeDice(seed)
    const state = stateWith(assemble(...makeProgram(dice, true)))
    state.setAccount(CALLEE, 1n, 7n, assemble(...makeProgram(dice, false)))
    const contracts: Uint8Array[] = []
    let live: LiveState | undefined
    /** The contract's balance, if the previous step read it. */
    let balance: bigint | undefined
    let reads = 0

    function look(step: Step): void {
      const self = contracts.at(-1) as Uint8Array
      const { account, storage } = live as LiveState
      if (balance !== undefined) expect(step.stack.at(-1), `seed ${seed}`).toBe(balance)
      balance = undefined
      if (step.opcode === SELFBALANCE) {
        balance = decodeAccount(account(self)).balance
        reads++
      }
      if (step.opcode !== SLOAD || step.slot === undefined) return
      const [key, value] = step.slot
      const seen = storage(self, bigintToBytes(key, 32)) as Uint8Array
      expect(bytesToBigint(seen), `seed ${seed}`).toBe(value)
      reads++
    }
    const trace: TraceSink = {
      steps: { stack: true, memory: false, each: true },
      onBegin(opened) {
        live = opened
      },
      onStep: (step) => look(keepStep(step)),
      onEvent(event) {
        if (event.kind === 'enter') contracts.push(selfOf(event))
        if (event.kind === 'exit') contracts.pop()
      },
    }
    engine.beginBlock({ ...BLOCK, baseFee: 0n, number: BLOCK.number + (seed % 100) })
    executed(answerFrom(engine.transact(transaction({ type: 0 }), { trace }), state))
    return reads
  }

  test(`equals the value of the next read in ${PROGRAMS} programs from seed ${FIRST_SEED}`, () => {
    let reads = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + PROGRAMS; seed++) reads += run(seed)
    expect(reads).toBeGreaterThan(5 * PROGRAMS)
  })
})
