import type { Revision } from './revision.ts'

/** Whether an opcode is implemented as a case of the interpreter's loop, or as a function it calls. */
export type Place = 'loop' | 'outOfLine'

export interface Opcode {
  readonly code: number
  readonly name: string
  /** Words taken from the stack, and words left. */
  readonly taken: number
  readonly left: number
  /** Minimum gas in every revision. Its implementation charges the rest. */
  readonly gas: number
  /** The first revision that has it. */
  readonly since: Revision
  readonly place: Place
  /** Bytes that follow it in the code. */
  readonly immediates: number
}

type Row = readonly [
  code: number,
  name: string,
  taken: number,
  left: number,
  gas: number,
  since: Revision,
  place?: Place,
]

/** Returns opcodes of one name with a number, from `first` to `last`. */
function family(
  name: string,
  first: number,
  last: number,
  rowOf: (n: number) => readonly [code: number, taken: number, left: number, gas: number],
  place: Place = 'loop',
): Row[] {
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const [code, taken, left, gas] = rowOf(first + i)
    return [code, `${name}${first + i}`, taken, left, gas, 'Frontier', place]
  })
}

/** Opcodes with an immediate byte that the analysis of jump destinations takes for an opcode (EIP-8024). */
const HAVE_OPERAND: readonly string[] = ['DUPN', 'SWAPN', 'EXCHANGE']

/** Code, name, words taken, words left, gas, first revision, place. */
// biome-ignore format: one row for each opcode
const ROWS: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0, 'Frontier'],
  [0x01, 'ADD', 2, 1, 3, 'Frontier'],
  [0x02, 'MUL', 2, 1, 5, 'Frontier'],
  [0x03, 'SUB', 2, 1, 3, 'Frontier'],
  [0x04, 'DIV', 2, 1, 5, 'Frontier'],
  [0x05, 'SDIV', 2, 1, 5, 'Frontier'],
  [0x06, 'MOD', 2, 1, 5, 'Frontier'],
  [0x07, 'SMOD', 2, 1, 5, 'Frontier'],
  [0x08, 'ADDMOD', 3, 1, 8, 'Frontier'],
  [0x09, 'MULMOD', 3, 1, 8, 'Frontier'],
  [0x0a, 'EXP', 2, 1, 10, 'Frontier', 'outOfLine'],
  [0x0b, 'SIGNEXTEND', 2, 1, 5, 'Frontier'],
  [0x10, 'LT', 2, 1, 3, 'Frontier'],
  [0x11, 'GT', 2, 1, 3, 'Frontier'],
  [0x12, 'SLT', 2, 1, 3, 'Frontier'],
  [0x13, 'SGT', 2, 1, 3, 'Frontier'],
  [0x14, 'EQ', 2, 1, 3, 'Frontier'],
  [0x15, 'ISZERO', 1, 1, 3, 'Frontier'],
  [0x16, 'AND', 2, 1, 3, 'Frontier'],
  [0x17, 'OR', 2, 1, 3, 'Frontier'],
  [0x18, 'XOR', 2, 1, 3, 'Frontier'],
  [0x19, 'NOT', 1, 1, 3, 'Frontier'],
  [0x1a, 'BYTE', 2, 1, 3, 'Frontier'],
  [0x1b, 'SHL', 2, 1, 3, 'Constantinople'], // EIP-145
  [0x1c, 'SHR', 2, 1, 3, 'Constantinople'], // EIP-145
  [0x1d, 'SAR', 2, 1, 3, 'Constantinople'], // EIP-145
  [0x1e, 'CLZ', 1, 1, 5, 'Osaka'], // EIP-7939
  [0x20, 'KECCAK256', 2, 1, 30, 'Frontier', 'outOfLine'],
  [0x30, 'ADDRESS', 0, 1, 2, 'Frontier'],
  [0x31, 'BALANCE', 1, 1, 0, 'Frontier', 'outOfLine'],
  [0x32, 'ORIGIN', 0, 1, 2, 'Frontier'],
  [0x33, 'CALLER', 0, 1, 2, 'Frontier'],
  [0x34, 'CALLVALUE', 0, 1, 2, 'Frontier'],
  [0x35, 'CALLDATALOAD', 1, 1, 3, 'Frontier'],
  [0x36, 'CALLDATASIZE', 0, 1, 2, 'Frontier'],
  [0x37, 'CALLDATACOPY', 3, 0, 3, 'Frontier', 'outOfLine'],
  [0x38, 'CODESIZE', 0, 1, 2, 'Frontier'],
  [0x39, 'CODECOPY', 3, 0, 3, 'Frontier', 'outOfLine'],
  [0x3a, 'GASPRICE', 0, 1, 2, 'Frontier'],
  [0x3b, 'EXTCODESIZE', 1, 1, 0, 'Frontier', 'outOfLine'],
  [0x3c, 'EXTCODECOPY', 4, 0, 0, 'Frontier', 'outOfLine'],
  [0x3d, 'RETURNDATASIZE', 0, 1, 2, 'Byzantium'], // EIP-211
  [0x3e, 'RETURNDATACOPY', 3, 0, 3, 'Byzantium', 'outOfLine'], // EIP-211
  [0x3f, 'EXTCODEHASH', 1, 1, 0, 'Constantinople', 'outOfLine'], // EIP-1052
  [0x40, 'BLOCKHASH', 1, 1, 20, 'Frontier', 'outOfLine'],
  [0x41, 'COINBASE', 0, 1, 2, 'Frontier'],
  [0x42, 'TIMESTAMP', 0, 1, 2, 'Frontier'],
  [0x43, 'NUMBER', 0, 1, 2, 'Frontier'],
  [0x44, 'PREVRANDAO', 0, 1, 2, 'Frontier'],
  [0x45, 'GASLIMIT', 0, 1, 2, 'Frontier'],
  [0x46, 'CHAINID', 0, 1, 2, 'Istanbul'], // EIP-1344
  [0x47, 'SELFBALANCE', 0, 1, 5, 'Istanbul'], // EIP-1884
  [0x48, 'BASEFEE', 0, 1, 2, 'London'], // EIP-3198
  [0x49, 'BLOBHASH', 1, 1, 3, 'Cancun', 'outOfLine'], // EIP-4844
  [0x4a, 'BLOBBASEFEE', 0, 1, 2, 'Cancun'], // EIP-7516
  [0x4b, 'SLOTNUM', 0, 1, 2, 'Amsterdam'], // EIP-7843
  [0x50, 'POP', 1, 0, 2, 'Frontier'],
  [0x51, 'MLOAD', 1, 1, 3, 'Frontier'],
  [0x52, 'MSTORE', 2, 0, 3, 'Frontier'],
  [0x53, 'MSTORE8', 2, 0, 3, 'Frontier'],
  [0x54, 'SLOAD', 1, 1, 0, 'Frontier', 'outOfLine'],
  [0x55, 'SSTORE', 2, 0, 0, 'Frontier', 'outOfLine'],
  [0x56, 'JUMP', 1, 0, 8, 'Frontier'],
  [0x57, 'JUMPI', 2, 0, 10, 'Frontier'],
  [0x58, 'PC', 0, 1, 2, 'Frontier'],
  [0x59, 'MSIZE', 0, 1, 2, 'Frontier'],
  [0x5a, 'GAS', 0, 1, 2, 'Frontier'],
  [0x5b, 'JUMPDEST', 0, 0, 1, 'Frontier'],
  [0x5c, 'TLOAD', 1, 1, 100, 'Cancun', 'outOfLine'], // EIP-1153
  [0x5d, 'TSTORE', 2, 0, 100, 'Cancun', 'outOfLine'], // EIP-1153
  [0x5e, 'MCOPY', 3, 0, 3, 'Cancun', 'outOfLine'], // EIP-5656
  [0x5f, 'PUSH0', 0, 1, 2, 'Shanghai'], // EIP-3855
  ...family('PUSH', 1, 32, (n) => [0x5f + n, 0, 1, 3]),
  ...family('DUP', 1, 16, (n) => [0x7f + n, n, n + 1, 3]),
  ...family('SWAP', 1, 16, (n) => [0x8f + n, n + 1, n + 1, 3]),
  ...family('LOG', 0, 4, (n) => [0xa0 + n, n + 2, 0, 375], 'outOfLine'),
  // EIP-8024; the immediate says how many words more
  [0xe6, 'DUPN', 1, 2, 3, 'Amsterdam'],
  [0xe7, 'SWAPN', 2, 2, 3, 'Amsterdam'],
  [0xe8, 'EXCHANGE', 2, 2, 3, 'Amsterdam'],
  [0xf0, 'CREATE', 3, 1, 12_000, 'Frontier', 'outOfLine'],
  [0xf1, 'CALL', 7, 1, 0, 'Frontier', 'outOfLine'],
  [0xf2, 'CALLCODE', 7, 1, 0, 'Frontier', 'outOfLine'],
  [0xf3, 'RETURN', 2, 0, 0, 'Frontier', 'outOfLine'],
  [0xf4, 'DELEGATECALL', 6, 1, 0, 'Homestead', 'outOfLine'], // EIP-7
  [0xf5, 'CREATE2', 4, 1, 12_000, 'Constantinople', 'outOfLine'], // EIP-1014
  [0xfa, 'STATICCALL', 6, 1, 0, 'Byzantium', 'outOfLine'], // EIP-214
  [0xfd, 'REVERT', 2, 0, 0, 'Byzantium', 'outOfLine'], // EIP-140
  [0xfe, 'INVALID', 0, 0, 0, 'Frontier'],
  [0xff, 'SELFDESTRUCT', 1, 0, 0, 'Frontier', 'outOfLine'],
]

/** The opcodes of all revisions by ascending code; the names are those of the execution specification. */
export const OPCODES: readonly Opcode[] = ROWS.map(
  ([code, name, taken, left, gas, since, place = 'loop']) => {
    const immediates = /^PUSH[1-9]/.test(name) ? code - 0x5f : Number(HAVE_OPERAND.includes(name))
    return { code, name, taken, left, gas, since, place, immediates }
  },
)
