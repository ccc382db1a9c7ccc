import { OPCODE_ROWS, PREVRANDAO } from './generated/opcode.ts'

/** An EVM opcode, as decoders and tracers need it. */
export interface Opcode {
  readonly name: string
  /** Bytes of immediate data after the opcode. */
  readonly immediates: number
  /** Stack words popped, and pushed. */
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

/** Opcodes by byte; undefined if no revision assigns the byte. */
export const OPCODES: readonly (Opcode | undefined)[] = buildTable()

/**
 * Returns geth's name (core/vm/opcodes.go): `opcode 0x21 not defined` for an unassigned byte, and the name from
 * before EIP-4399 for PREVRANDAO.
 */
export function opcodeName(code: number): string {
  if (code === PREVRANDAO) return 'DIFFICULTY'
  return OPCODES[code]?.name ?? `opcode 0x${code.toString(16)} not defined`
}
