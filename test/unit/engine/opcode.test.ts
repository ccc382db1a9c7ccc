import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { OPCODES, opcodeName } from '../../../host/engine/opcode.ts'

/** Rows of the engine's table: words taken, words left, gas, revision. */
function readEngineRows(): number[][] {
  const path = new URL('../../../assembly/evm/opcode.ts', import.meta.url)
  const text = readFileSync(path, 'utf8')
  const table = text.slice(text.indexOf('>([') + 3, text.indexOf('])'))
  const numbers = table
    .split('\n')
    .flatMap((line) => (line.split('//')[0] as string).split(','))
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .map(Number)
  return Array.from({ length: numbers.length / 4 }, (_, row) => numbers.slice(4 * row, 4 * row + 4))
}

describe('the opcode tables of engine and host', () => {
  const rows = readEngineRows()

  test('agree on which opcodes there are and on their stacks', () => {
    expect(rows).toHaveLength(256)
    for (const [code, row] of rows.entries()) {
      const opcode = OPCODES[code]
      const [taken, left, , since] = row
      expect(since !== 0, `0x${code.toString(16)}`).toBe(opcode !== undefined)
      if (opcode !== undefined)
        expect([taken, left], opcode.name).toEqual([opcode.taken, opcode.left])
    }
  })

  test('name opcodes as geth does', () => {
    expect(opcodeName(0x01)).toBe('ADD')
    expect(opcodeName(0x7f)).toBe('PUSH32')
    expect(opcodeName(0x44)).toBe('DIFFICULTY')
    expect(opcodeName(0x21)).toBe('opcode 0x21 not defined')
  })
})
