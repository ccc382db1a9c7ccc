import { DUP1, LOG0, SWAP1 } from '../../../evm/engine/generated/opcode.ts'
import { OPCODES } from '../../../evm/engine/opcode.ts'

/**
 * The places of the stack that an opcode writes, where its stack has `height` words before it: those of its
 * results. DUP writes the new word alone, SWAP the two that change places.
 */
export function writtenPlaces(opcode: number, height: number): number[] {
  if (opcode >= DUP1 && opcode < SWAP1) return [height]
  if (opcode >= SWAP1 && opcode < LOG0) return [height - 2 - (opcode - SWAP1), height - 1]
  const { taken = 0, left = 0 } = OPCODES[opcode] ?? {}
  return Array.from({ length: left }, (_, i) => height - taken + i)
}
