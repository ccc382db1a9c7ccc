import { OPCODES, type Opcode } from './opcode.ts'

/** A sequence of opcodes that the plain loop executes as one, under a byte that no revision assigns. */
export interface Superinstruction {
  readonly code: number
  /** The opcodes' names joined by `_`. */
  readonly name: string
  /** In the sequence PUSHn stands for PUSH1 and PUSH2; the longer one is listed. */
  readonly opcodes: readonly Opcode[]
  /** Constant gas of all. */
  readonly gas: number
  /** Words that must be on the stack before, and its maximum growth in words. */
  readonly taken: number
  readonly growth: number
}

/** In the executable form of code, the byte of a JUMPDEST at which a compiled region begins. No revision assigns it. */
export const REGION_BYTE = 0x2e

/** Code and sequence; bench/README.md lists the gains. */
// biome-ignore format: one row for each superinstruction
const ROWS: readonly (readonly [code: number, sequence: string])[] = [
  [0xc1, 'ADD SWAP1 POP'],
  [0xc0, 'ADD MLOAD'],
  [0x4e, 'LT ISZERO PUSHn JUMPI'],
  [0x4d, 'LT PUSHn JUMPI'],
  [0xa5, 'GT ISZERO PUSHn JUMPI'],
  [0x4f, 'GT PUSHn JUMPI'],
  [0xa7, 'SLT ISZERO PUSHn JUMPI'],
  [0xa6, 'EQ PUSHn JUMPI'],
  [0xaa, 'ISZERO ISZERO PUSHn JUMPI'],
  [0xa9, 'ISZERO PUSHn JUMPI'],
  [0xc2, 'AND OR'],
  [0xbe, 'POP POP'],
  [0x2b, 'PUSH1 DUP2 LT ISZERO PUSHn JUMPI'],
  [0x2a, 'PUSH1 DUP2 LT PUSHn JUMPI'],
  [0x2c, 'PUSH1 DUP2 EQ PUSHn JUMPI'],
  [0x25, 'PUSH1 PUSH1 PUSH1 SHL SUB'],
  [0x2d, 'PUSH1 DUP1 MLOAD'],
  [0xc3, 'PUSH1 SHR AND'],
  [0x24, 'PUSH1 JUMPI'],
  [0x23, 'PUSH1 JUMP'],
  [0x0c, 'PUSH1 ADD'],
  [0x0f, 'PUSH1 MUL'],
  [0x1f, 'PUSH1 AND'],
  [0x0d, 'PUSH1 SHL'],
  [0x0e, 'PUSH1 SHR'],
  [0x21, 'PUSH1 MLOAD'],
  [0x22, 'PUSH1 MSTORE'],
  [0x27, 'PUSH1 PUSH1'],
  [0x28, 'PUSH1 DUP1'],
  [0x29, 'PUSH1 DUP2'],
  [0x26, 'PUSH2 JUMPI'],
  [0x2f, 'PUSH2 JUMP'],
  [0xc5, 'DUP1 PUSH4 EQ PUSHn JUMPI'],
  [0xab, 'DUP1 ISZERO PUSHn JUMPI'],
  [0xaf, 'DUP1 MLOAD'],
  [0xad, 'DUP2 ISZERO ISZERO PUSHn JUMPI'],
  [0xac, 'DUP2 LT ISZERO PUSHn JUMPI'],
  [0xae, 'DUP2 MSTORE'],
  [0xb0, 'DUP2 ADD'],
  [0xb4, 'DUP2 DUP2'],
  [0xb1, 'DUP3 AND'],
  [0xb2, 'DUP4 AND'],
  [0xb8, 'SWAP1 POP'],
  [0xbf, 'SWAP1 MSTORE'],
  [0xb9, 'SWAP2 POP'],
  [0xba, 'SWAP3 POP'],
  [0xbb, 'SWAP4 POP'],
  [0xbc, 'SWAP5 POP'],
]

function findOpcode(name: string): Opcode {
  const wanted = name === 'PUSHn' ? 'PUSH2' : name
  const opcode = OPCODES.find((row) => row.name === wanted)
  if (opcode === undefined) throw new RangeError(`superinstruction of the unknown opcode ${name}`)
  return opcode
}

function combine(code: number, sequence: string): Superinstruction {
  const opcodes = sequence.split(' ').map(findOpcode)
  let height = 0
  let taken = 0
  let growth = 0
  for (const opcode of opcodes) {
    taken = Math.max(taken, opcode.taken - height)
    height += opcode.left - opcode.taken
    growth = Math.max(growth, height)
  }
  const gas = opcodes.reduce((sum, opcode) => sum + opcode.gas, 0)
  return { code, name: sequence.toUpperCase().replaceAll(' ', '_'), opcodes, gas, taken, growth }
}

const firstCode = ({ opcodes }: Superinstruction): number => opcodes[0]?.code ?? 0

/** By first opcode, the longest sequence first, so that the engine finds the longest match. */
export const SUPERINSTRUCTIONS: readonly Superinstruction[] = ROWS.map((row) =>
  combine(...row),
).sort((a, b) => firstCode(a) - firstCode(b) || b.opcodes.length - a.opcodes.length)

const CODES = [...OPCODES, ...SUPERINSTRUCTIONS].map(({ code }) => code)
if (new Set(CODES).size < CODES.length) throw new RangeError('two opcodes share a byte')
