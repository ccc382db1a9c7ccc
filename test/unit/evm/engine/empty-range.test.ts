import { describe, expect, test } from 'vitest'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

/** Offsets beyond any memory: beyond the engine's memory, beyond 32 bits and beyond 64 bits. */
const FAR = [
  2n ** 28n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 33n + 2n ** 31n,
  2n ** 64n,
  2n ** 256n - 1n,
]
const IDENTITY = 4

/** Every opcode that takes a memory range, with an empty range at `far`. */
const RANGES: Readonly<Record<string, (far: bigint) => readonly (string | number | bigint)[]>> = {
  KECCAK256: (far) => [0, far, 'KECCAK256'],
  CALLDATACOPY: (far) => [0, far, far, 'CALLDATACOPY'],
  CODECOPY: (far) => [0, far, far, 'CODECOPY'],
  EXTCODECOPY: (far) => [0, far, far, 'ADDRESS', 'EXTCODECOPY'],
  RETURNDATACOPY: (far) => [0, 0, far, 'RETURNDATACOPY'],
  MCOPY: (far) => [0, far, far, 'MCOPY'],
  LOG0: (far) => [0, far, 'LOG0'],
  LOG4: (far) => [1, 2, 3, 4, 0, far, 'LOG4'],
  CREATE: (far) => [0, far, 0, 'CREATE'],
  CREATE2: (far) => [0, 0, far, 0, 'CREATE2'],
  CALL: (far) => [0, far, 0, far, 0, 0x9999, 'GAS', 'CALL'],
  'CALL of a precompile': (far) => [0, far, 0, far, 0, IDENTITY, 'GAS', 'CALL'],
  'CALL without the balance': (far) => [0, far, 0, far, 2n ** 200n, 0x9999, 'GAS', 'CALL'],
  CALLCODE: (far) => [0, far, 0, far, 0, IDENTITY, 'GAS', 'CALLCODE'],
  DELEGATECALL: (far) => [0, far, 0, far, IDENTITY, 'GAS', 'DELEGATECALL'],
  STATICCALL: (far) => [0, far, 0, far, IDENTITY, 'GAS', 'STATICCALL'],
  RETURN: (far) => [0, far, 'RETURN'],
}

describe('an empty byte range may have any offset (yellow paper H.1, M)', () => {
  const none = { onEvent: () => {} }
  const loops = [
    ['plain', {}],
    ['with calls traced', { trace: none }],
    ['with steps traced', { trace: { ...none, steps: { stack: true, memory: true } } }],
  ] as const

  describe.each(loops)('in a run that is %s', (_name, options) => {
    test.each(Object.entries(RANGES))('for %s', async (_opcode, write) => {
      const engine = await engineInBlock()
      for (const far of FAR) {
        const state = stateWith(assemble(...write(far), 'MSIZE'))
        const run = engine.transact(transaction(), { ...options, discard: true })
        expect(executed(answerFrom(run, state)).success, `offset ${far}`).toBe(true)
        engine.beginBlock({ ...BLOCK, number: BLOCK.number + 1 })
      }
    })
  })
})
