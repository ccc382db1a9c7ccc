import { describe, expect, test } from 'vitest'
import { OPCODE_WORDS, opcodeWords } from '../../../../host/explorer/decode/opcode/opcode-words.ts'
import { OPCODES } from '../../../../tools/tables/opcode.ts'

describe('the words of the opcodes', () => {
  test('are there for each opcode of the engine, in its order, and for no other', () => {
    expect(OPCODE_WORDS.map(({ code, name }) => [code, name])).toEqual(
      OPCODES.map(({ code, name }) => [code, name]),
    )
  })

  test.each(OPCODES)(
    '$name takes and leaves as many words as in the engine, since then',
    (opcode) => {
      const words = opcodeWords(opcode.code, 'Osaka')
      expect(words?.taken).toHaveLength(opcode.taken)
      expect(words?.left).toHaveLength(opcode.left)
      expect(words?.since).toBe(opcode.since)
      expect(opcodeWords(opcode.code, 'Frontier')?.isMissing).toBe(opcode.since !== 'Frontier')
    },
  )

  test.each(OPCODES.filter(({ gas }) => gas > 0))(
    '$name costs at least what the engine takes',
    (opcode) => {
      for (const [, words] of OPCODE_WORDS.find(({ code }) => code === opcode.code)?.gas ?? []) {
        expect(Number(words.split(/[, ](?!\d)/)[0]?.replace(',', ''))).toBe(opcode.gas)
      }
    },
  )

  test('say what a revision takes', () => {
    expect(opcodeWords(0x54, 'Homestead')?.gas).toBe('50')
    expect(opcodeWords(0x54, 'Istanbul')?.gas).toBe('800')
    expect(opcodeWords(0x54, 'Prague')?.gas).toBe(
      '2,100 for the first touch of the slot in the transaction, then 100',
    )
    expect(opcodeWords(0x21, 'Osaka')).toBeUndefined()
  })
})
