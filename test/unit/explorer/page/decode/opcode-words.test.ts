import { describe, expect, test } from 'vitest'
import { atLeast, REVISIONS, type Revision } from '../../../../../host/evm/chain-types/revision.ts'
import {
  OPCODE_WORDS,
  opcodeWords,
} from '../../../../../host/explorer/page/decode/opcode/opcode-words.ts'
import { PRICES } from '../../../../../tools/tables/gas.ts'
import { OPCODES } from '../../../../../tools/tables/opcode.ts'

describe('the descriptions of the opcodes', () => {
  test('exist for each opcode of the engine, in its order, and no other', () => {
    expect(OPCODE_WORDS.map(({ code, name }) => [code, name])).toEqual(
      OPCODES.map(({ code, name }) => [code, name]),
    )
  })

  test.each(OPCODES)(
    'have the stack words and the first revision of the engine for $name',
    (opcode) => {
      const words = opcodeWords(opcode.code, 'Osaka')
      expect(words?.taken).toHaveLength(opcode.taken)
      expect(words?.left).toHaveLength(opcode.left)
      expect(words?.since).toBe(opcode.since)
      expect(opcodeWords(opcode.code, 'Frontier')?.isMissing).toBe(opcode.since !== 'Frontier')
    },
  )

  test.each(OPCODES.filter(({ gas }) => gas > 0))(
    'have a price of at least that of the engine for $name',
    (opcode) => {
      for (const [, words] of OPCODE_WORDS.find(({ code }) => code === opcode.code)?.gas ?? []) {
        const price = Number(words.split(/[, ](?!\d)/)[0]?.replace(',', ''))
        // Since Amsterdam a creation costs less
        if (opcode.name.startsWith('CREATE')) expect(price).toBeGreaterThanOrEqual(opcode.gas)
        else expect(price).toBe(opcode.gas)
      }
    },
  )

  test('state the changes of a revision', () => {
    expect(opcodeWords(0x54, 'Homestead')?.gas).toBe('50')
    expect(opcodeWords(0x54, 'Istanbul')?.gas).toBe('800')
    expect(opcodeWords(0x54, 'Prague')?.gas).toBe(
      '2,100 for the first access to the slot in the transaction, then 100',
    )
    expect(opcodeWords(0x21, 'Osaka')).toBeUndefined()
  })

  test.each([
    ['balance', ['BALANCE']],
    ['externalCode', ['EXTCODESIZE', 'EXTCODECOPY']],
    ['externalHash', ['EXTCODEHASH']],
    ['sload', ['SLOAD']],
    ['call', ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']],
    ['selfdestruct', ['SELFDESTRUCT']],
    ['exponentByte', ['EXP']],
    ['sstoreRead', ['SSTORE']],
    ['sstoreClearRefund', ['SSTORE']],
    ['memoryWord', []],
    ['copyWord', ['CALLDATACOPY', 'CODECOPY', 'RETURNDATACOPY', 'EXTCODECOPY', 'MCOPY']],
    ['keccakWord', ['KECCAK256']],
    ['logByte', ['LOG0', 'LOG4']],
    ['logTopic', ['LOG1', 'LOG4']],
    ['codeDepositByte', ['CREATE', 'CREATE2']],
    ['create', ['CREATE', 'CREATE2']],
    ['stateAccount', ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']],
    ['stateSlot', ['SSTORE']],
    ['stateByte', ['CREATE', 'CREATE2']],
    ['newBeneficiary', ['SELFDESTRUCT']],
    ['callValue', ['CALL', 'CALLCODE']],
    ['callStipend', ['CALL', 'CALLCODE']],
    ['newAccount', ['CALL', 'SELFDESTRUCT']],
    [
      'coldAccount',
      ['BALANCE', 'EXTCODESIZE', 'EXTCODEHASH', 'CALL', 'STATICCALL', 'SELFDESTRUCT'],
    ],
    ['coldSload', ['SLOAD', 'SSTORE']],
    ['warmRead', ['SLOAD', 'BALANCE', 'CALL', 'SSTORE']],
    ['sstoreSet', ['SSTORE']],
  ] as const)('have the engine’s price %s in %j, in each revision that has it', (name, opcodes) => {
    const price = PRICES.find((each) => each.name === name)
    const amountIn = (revision: Revision) => {
      const amount = price?.amount
      if (typeof amount === 'number') return amount
      return amount?.findLast(([since]) => atLeast(revision, since))?.[1] ?? 0
    }
    for (const revision of REVISIONS) {
      // Prices of cold and warm accounts exist from Berlin on.
      const untilBerlin = ['balance', 'externalCode', 'externalHash', 'sload', 'call'].includes(
        name,
      )
      const sinceBerlin = ['coldAccount', 'coldSload', 'warmRead'].includes(name)
      if (atLeast(revision, 'Berlin') ? untilBerlin : sinceBerlin) continue
      // Before EIP-2200 only EIP-1283 had such a price, and before EIP-150 a new account at SELFDESTRUCT cost
      // nothing.
      const isMetered = revision === 'Constantinople' || atLeast(revision, 'Istanbul')
      if (name === 'sstoreRead' && !isMetered) continue
      if (name === 'newAccount' && !atLeast(revision, 'TangerineWhistle')) continue
      if (name === 'newBeneficiary' && !atLeast(revision, 'TangerineWhistle')) continue
      // Amsterdam takes state gas in the place of these
      const isUntilAmsterdam = ['newAccount', 'codeDepositByte'].includes(name)
      if (atLeast(revision, 'Amsterdam') ? isUntilAmsterdam : name.startsWith('state')) continue
      for (const opcode of opcodes) {
        const { code } = OPCODES.find((each) => each.name === opcode) as { code: number }
        const words = opcodeWords(code, revision)
        if (words === undefined || words.isMissing) continue
        const numbers = words.gas
          .match(/\d[\d,]*\d|\d/g)
          ?.map((text) => Number(text.replaceAll(',', '')))
        expect(numbers, `${opcode} in ${revision}`).toContain(amountIn(revision))
      }
    }
  })
})
