import { OPCODE_ROWS, PREVRANDAO } from './generated/opcode.ts'

/** One opcode of the EVM: what a decoder or a tracer needs to know of it. */
export interface Opcode {
  readonly name: string
  /** Bytes that follow the opcode in the code. */
  readonly immediates: number
  /** Words taken from the stack, and left in their place. */
  readonly taken: number
  readonly left: number
}

function buildTable(): readonly (Opcode | undefined)[] {
  const table = new Array<Opcode | undefined>(256).fill(undefined)
  for (const [code, name, immediates, taken, left] of OPCODE_ROWS) {
    table[code] = { name, immediates, taken, left }
  }
  return table
}

/** The opcodes by their byte; undefined where none is assigned in any revision. */
export const OPCODES: readonly (Opcode | undefined)[] = buildTable()

/**
 * Name as geth writes it (core/vm/opcodes.go): `opcode 0x21 not defined` for an unassigned byte, and for
 * PREVRANDAO the name from before EIP-4399.
 */
export function opcodeName(code: number): string {
  if (code === PREVRANDAO) return 'DIFFICULTY'
  return OPCODES[code]?.name ?? `opcode 0x${code.toString(16)} not defined`
}
