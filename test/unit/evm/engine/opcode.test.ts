import { describe, expect, test } from 'vitest'
import {
  REVISIONS,
  type Revision,
  revisionNumber,
} from '../../../../host/evm/chain-types/revision.ts'
import { PUSH1, STOP } from '../../../../host/evm/engine/generated/opcode.ts'
import { opcodeName } from '../../../../host/evm/engine/opcode.ts'
import type { TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { OPCODES, type Opcode } from '../../../../tools/tables/opcode.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

/** A call without value in LAST (EIP-2780); earlier revisions only run with plenty of gas. */
const INTRINSIC = 15_000
const PLENTY = 1_000_000
const FULL_STACK = 1024
const LAST = REVISIONS.at(-1) as Revision

/** Opcodes that end the frame if their operands are zero. */
const ENDS = ['STOP', 'JUMP', 'RETURN', 'REVERT', 'INVALID', 'SELFDESTRUCT']
/** Opcodes whose operand says how many words they need; amsterdam.test.ts has them. */
const TAKE_OPERAND = ['DUPN', 'SWAPN', 'EXCHANGE']
/** Opcodes that the loop charges for memory beyond their constant gas. */
const EXPAND_MEMORY = ['MLOAD', 'MSTORE', 'MSTORE8']

/** Returns code that pushes `height` zeros with PUSH1, which every revision has. Each push costs 3 gas. */
function zeros(height: number): number[] {
  return Array.from({ length: height }, () => [PUSH1, 0]).flat()
}

function isAssigned({ name, since }: Opcode, revision: Revision): boolean {
  return name !== 'INVALID' && revisionNumber(since) <= revisionNumber(revision)
}

describe('the opcode table matches', async () => {
  const engine = await engineInBlock()

  /** Runs code with `gas`. @returns how it ended, and the stack heights before each step of its own frame */
  function run(code: readonly number[], gas: number, isTraced: boolean, revision = LAST) {
    engine.beginBlock({ ...BLOCK, revision, baseFee: 0n })
    const heights: number[] = []
    const traced: TraceSink = {
      steps: { stack: false, memory: false },
      onStep: ({ depth, stackHeight }) => void (depth === 1 && heights.push(stackHeight)),
      onEvent: () => {},
    }
    const input = transaction({ type: 0, gas: BigInt(INTRINSIC + gas), maxFeePerGas: 0n })
    const options = { discard: true, ...(isTraced ? { trace: traced } : {}) }
    const state = stateWith(Uint8Array.from(code))
    const { error } = executed(answerFrom(engine.transact(input, options), state))
    return { error, heights }
  }

  describe.each([
    ['plain', false],
    ['traced', true],
  ] as const)('the %s loop, which', (_name, isTraced) => {
    test.each(REVISIONS)('refuses in %s each byte that the table does not assign', (revision) => {
      const wrong: string[] = []
      for (let code = 0; code < 256; code++) {
        const row = OPCODES.find((opcode) => opcode.code === code)
        const { error } = run([...zeros(17), code], PLENTY, isTraced, revision)
        const isRefused = error === `invalid opcode: ${opcodeName(code)}`
        const isExpected = row === undefined || !isAssigned(row, revision)
        if (isRefused !== isExpected) wrong.push(`${opcodeName(code)}: ${error}`)
      }
      expect(wrong).toEqual([])
    })

    const rows = OPCODES.filter((row) => isAssigned(row, LAST))

    const fixed = rows.filter(({ name }) => !TAKE_OPERAND.includes(name))

    test.each(fixed)('pops $taken words for $name', ({ code, taken }) => {
      for (let height = 0; height < taken; height++) {
        const { error } = run([...zeros(height), code], PLENTY, isTraced)
        expect(error).toBe(`stack underflow (${height} <=> ${taken})`)
      }
      const { error } = run([...zeros(taken), code], PLENTY, isTraced)
      expect(error ?? '').not.toContain('stack')
    })

    test.each(rows)('has room for $left words in the place of $taken for $name', (row) => {
      const { error } = run([...zeros(FULL_STACK), row.code], PLENTY, isTraced)
      if (row.left > row.taken) expect(error).toBe('stack limit reached 1024 (1023)')
      else expect(error ?? '').not.toContain('stack')
    })

    test.each(rows.filter(({ gas }) => gas > 0))('charges at least $gas gas for $name', (row) => {
      const code = [...zeros(row.taken), row.code]
      expect(run(code, 3 * row.taken + row.gas - 1, isTraced).error).toMatch(/^out of gas/)
      if (row.place === 'outOfLine' || EXPAND_MEMORY.includes(row.name)) return
      expect(run(code, 3 * row.taken + row.gas, isTraced).error ?? '').not.toContain('out of gas')
    })
  })

  test.each(OPCODES.filter(({ name }) => !TAKE_OPERAND.includes(name)))(
    'the result of $name: it leaves $left words and skips $immediates immediate bytes',
    (row) => {
      const immediates = Array<number>(row.immediates).fill(STOP)
      const { heights } = run([...zeros(row.taken), row.code, ...immediates, STOP], PLENTY, true)
      const after = ENDS.includes(row.name) ? [] : [row.left]
      expect(heights.slice(row.taken + 1)).toEqual(after)
    },
  )
})

describe('the names of opcodes', () => {
  test('are those of geth', () => {
    expect(opcodeName(0x01)).toBe('ADD')
    expect(opcodeName(0x7f)).toBe('PUSH32')
    expect(opcodeName(0x44)).toBe('DIFFICULTY')
    expect(opcodeName(0x21)).toBe('opcode 0x21 not defined')
  })
})
