import { DUP1, LOG0, SWAP1 } from '../../../evm/engine/generated/opcode.ts'
import { OPCODES } from '../../../evm/engine/opcode.ts'

/**
 * Returns the stack positions that an opcode writes, given a stack of `height` words before it: those of its results.
 * DUP writes only the new word, SWAP the two that it exchanges.
 */
export function writtenPositions(opcode: number, height: number): number[] {
  if (opcode >= DUP1 && opcode < SWAP1) return [height]
  if (opcode >= SWAP1 && opcode < LOG0) return [height - 2 - (opcode - SWAP1), height - 1]
  const { taken = 0, left = 0 } = OPCODES[opcode] ?? {}
  return Array.from({ length: left }, (_, i) => height - taken + i)
}
