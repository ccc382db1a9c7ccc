import { bigintToBytes, concatBytes } from '../../../host/base/bytes.ts'
import { OPCODES } from '../../../host/evm/engine/opcode.ts'
import type { Dice } from '../../fuzz/dice.ts'
import { assembleProgram, generateInitCode, generateProgram } from '../../fuzz/program.ts'
import { assemble } from '../../support/engine/bytecode.ts'
import { encodeAbi } from './revert-data.ts'

/** A contract of the genesis. */
export interface GenesisContract {
  readonly address: bigint
  readonly code: Uint8Array
  readonly storage?: readonly (readonly [slot: bigint, value: bigint])[]
  readonly balance?: bigint
}

/**
 * Returns code that calls as its input says: a word each for target, gas and value, then the callee's input. It
 * returns the callee's output, or reverts with it after a failure.
 */
function forwarder(kind: 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'): Uint8Array {
  const hasValue = kind === 'CALL' || kind === 'CALLCODE'
  const value = hasValue ? [64, 'CALLDATALOAD'] : []
  const head = assemble(
    ...[96, 'CALLDATASIZE', 'SUB', 96, 0, 'CALLDATACOPY'],
    ...[0, 0, 96, 'CALLDATASIZE', 'SUB', 0],
    ...value,
    ...[0, 'CALLDATALOAD', 32, 'CALLDATALOAD', kind],
    ...['RETURNDATASIZE', 0, 0, 'RETURNDATACOPY'],
  )
  const tail = (at: number) =>
    assemble(at, 'JUMPI', 'RETURNDATASIZE', 0, 'REVERT', 'JUMPDEST', 'RETURNDATASIZE', 0, 'RETURN')
  return concatBytes([head, tail(head.length + 7)])
}

/**
 * Creates a contract with the input after its first word as init code: by CREATE if the word is zero, otherwise by
 * CREATE2 with the word as salt.
 */
const FACTORY: Uint8Array = (() => {
  const head = assemble(
    ...[32, 'CALLDATASIZE', 'SUB', 32, 0, 'CALLDATACOPY'],
    ...[0, 'CALLDATALOAD'],
  )
  const plain = assemble(32, 'CALLDATASIZE', 'SUB', 0, 'CALLVALUE', 'CREATE', 0, 'SSTORE', 'STOP')
  const jump = assemble(head.length + 3 + plain.length, 'JUMPI')
  const salted = assemble(
    ...['JUMPDEST', 0, 'CALLDATALOAD', 32, 'CALLDATASIZE', 'SUB', 0, 'CALLVALUE', 'CREATE2'],
    ...['DUP1', 1, 'SSTORE', 'EXTCODESIZE', 2, 'SSTORE', 'RETURNDATASIZE', 0, 0],
    ...['RETURNDATACOPY', 'RETURNDATASIZE', 0, 'RETURN'],
  )
  return concatBytes([head, jump, plain, salted])
})()

/** Calls itself until it has too little gas, and counts the depth in transient storage. */
const RECURSION: Uint8Array = assemble(
  ...[0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL', 'POP', 1, 0, 'TLOAD', 'ADD', 0, 'TSTORE', 'STOP'],
)

function revertWith(data: Uint8Array): Uint8Array {
  // The data follows the code, whose length is the same for any offset below 256
  const code = (at: number) => assemble(data.length, at, 0, 'CODECOPY', data.length, 0, 'REVERT')
  return concatBytes([code(code(0).length), data])
}

/** Operations that a static frame refuses, with operands that would otherwise be valid, and with too few. */
const WRITES: readonly Uint8Array[] = [
  assemble(5, 1, 'SSTORE', 'STOP'),
  assemble(5, 1, 'TSTORE', 'STOP'),
  ...[0, 1, 2, 3, 4].map((topics) =>
    assemble(...Array(topics).fill(9), 32, 0, `LOG${topics}`, 'STOP'),
  ),
  assemble(0, 0, 0, 'CREATE', 'STOP'),
  assemble(7, 0, 0, 0, 'CREATE2', 'STOP'),
  assemble(1 << 17, 0, 0, 'CREATE', 'STOP'),
  assemble(7, 1 << 17, 0, 0, 'CREATE2', 'STOP'),
  assemble(0, 0, 0, 0, 1, 0xea01, 50_000, 'CALL', 'STOP'),
  assemble(0, 0, 0, 0, 1, 0xea01, 50_000, 'CALLCODE', 'STOP'),
  assemble(0xea01, 'SELFDESTRUCT'),
  assemble('SSTORE'),
  assemble(1n << 255n, 0, 'LOG0'),
  assemble(32, 1 << 20, 'LOG1'),
  assemble(5, 1, 'SLOAD', 'SSTORE', 'STOP'),
]

/** Accesses at the limits of memory. */
const MEMORY: readonly Uint8Array[] = [
  assemble(1, 1n << 255n, 'MSTORE'),
  assemble(1n << 64n, 'MLOAD'),
  assemble(1, 1 << 22, 'MSTORE8'),
  assemble(1, 20_000, 'MSTORE', 'MSIZE', 0, 'SSTORE', 'STOP'),
  assemble(1n << 200n, 0, 'KECCAK256'),
  assemble(4000, 64, 'KECCAK256', 0, 'SSTORE', 'STOP'),
  assemble(33, 0, 0, 'RETURNDATACOPY'),
  assemble(1n << 70n, 1n << 70n, 0, 'RETURNDATACOPY'),
  assemble(100, 3, 7, 'MCOPY', 'MSIZE', 0, 'MSTORE', 64, 0, 'RETURN'),
  assemble(1n << 40n, 0, 'RETURN'),
  assemble(1n << 40n, 0, 'REVERT'),
  assemble(32, 1n << 66n, 0, 'CALLDATACOPY', 0, 'MLOAD', 0, 'SSTORE', 'STOP'),
  assemble(40, 3, 0, 'CODECOPY', 40, 5, 0, 0xea01, 'EXTCODECOPY', 64, 0, 'RETURN'),
]

/** Unusual ends of a frame. */
const ENDS: readonly Uint8Array[] = [
  assemble('INVALID'),
  Uint8Array.of(0x0c),
  Uint8Array.of(0xef, 0, 1),
  assemble(3, 'JUMP'),
  assemble(1n << 200n, 'JUMP'),
  assemble(1, 77, 'JUMPI'),
  assemble('POP'),
  concatBytes([assemble('JUMPDEST'), assemble(0, 0, 'JUMP')]),
  assemble(0, 'SELFDESTRUCT'),
  assemble('ADDRESS', 'SELFDESTRUCT'),
  assemble('CALLER', 'SELFDESTRUCT'),
  assemble(0xea02, 'SELFDESTRUCT'),
  assemble('STOP'),
  Uint8Array.of(0x60),
]

/** Revert data: standard errors, malformed ones, and other data. */
const REVERTS: readonly Uint8Array[] = [
  revertWith(new Uint8Array()),
  revertWith(encodeAbi('nothing to see here')),
  revertWith(encodeAbi('')),
  revertWith(encodeAbi('\u{1f600} "quoted" \\ line\nnext <&>')),
  revertWith(concatBytes([encodeAbi('broken').subarray(0, 40)])),
  revertWith(concatBytes([encodeAbi('').subarray(0, 4), bigintToBytes(1n << 200n, 32)])),
  revertWith(
    concatBytes([encodeAbi('invalid utf').subarray(0, 68), new Uint8Array(32).fill(0xff)]),
  ),
  ...[0x00n, 0x01n, 0x11n, 0x12n, 0x32n, 0x99n, 1n << 200n].map((code) =>
    revertWith(concatBytes([Uint8Array.of(0x4e, 0x48, 0x7b, 0x71), bigintToBytes(code, 32)])),
  ),
  revertWith(Uint8Array.of(0x12, 0x34, 0x56, 0x78, 0x9a)),
]

/** Each opcode by itself, with operands valid for most. */
const OPCODE_CODES: readonly Uint8Array[] = OPCODES.flatMap((opcode, code) => {
  if (opcode === undefined || opcode.immediates > 0) return []
  const operands = Array.from({ length: opcode.taken }, (_, i) => (opcode.taken - i) * 32)
  return [assemble(...operands, Uint8Array.of(code), 'STOP')]
})

/** Returns code that calls many of `targets` with little gas, in each way in turn, and stores how each call ended. */
function battery(targets: readonly bigint[], gas: (index: number) => number): Uint8Array {
  const kinds = ['STATICCALL', 'CALL', 'DELEGATECALL', 'CALLCODE']
  return concatBytes(
    targets.map((target, i) => {
      const kind = kinds[i % kinds.length] as string
      const value = /^CALL/.test(kind) ? [i % 8 === 1 ? 1 : 0] : []
      return assemble(0, 0, 32, 0, ...value, target, gas(i), kind, 'POP')
    }),
  )
}

export const FORWARDERS = {
  CALL: 0xf001n,
  CALLCODE: 0xf002n,
  DELEGATECALL: 0xf003n,
  STATICCALL: 0xf004n,
} as const
export const FACTORY_AT = 0xf005n
export const RECURSION_AT = 0xf006n
/** Has a balance and no code. */
export const PLAIN_AT = 0xea01n

const at = (base: bigint, codes: readonly Uint8Array[]): GenesisContract[] =>
  codes.map((code, i) => ({
    address: base + BigInt(i),
    code,
    storage: [[1n, 3n]],
    balance: 100n,
  }))

/** Contracts that each fail or end in a different way. */
export const SPECIAL: readonly GenesisContract[] = [
  ...at(0xa100n, WRITES),
  ...at(0xa200n, MEMORY),
  ...at(0xa300n, ENDS),
  ...at(0xa400n, REVERTS),
]
const SINGLE_OPCODES = at(0xa500n, OPCODE_CODES)

const BATTERY_SIZE = 24

/** Returns callers of the special contracts and of single opcodes, a few dozen each. */
function batteries(): GenesisContract[] {
  const targets = [...SPECIAL, ...SINGLE_OPCODES].map(({ address }) => address)
  const made: GenesisContract[] = []
  for (const [round, gases] of [
    [0, [0, 3, 9, 21, 120]],
    [1, [700, 2_300, 2_599, 2_700, 9_000]],
    [2, [5_000, 20_000, 40_000, 22_099, 35_000]],
  ] as const) {
    for (let from = 0; from < targets.length; from += BATTERY_SIZE) {
      const some = targets.slice(from, from + BATTERY_SIZE)
      const code = battery(some, (i) => gases[i % gases.length] as number)
      const address = 0xb000n + BigInt(made.length)
      made.push({ address, code, balance: 1000n, storage: [[BigInt(round), 5n]] })
    }
  }
  return made
}

export const BATTERIES: readonly GenesisContract[] = batteries()

const PRECOMPILES: readonly bigint[] = [
  ...Array.from({ length: 17 }, (_, i) => BigInt(i + 1)),
  0x100n,
]

/** Address of the first generated contract. */
export const GENERATED_AT = 0xc000n

export function generatedContracts(
  dice: Dice,
  count: number,
  others: readonly bigint[],
): GenesisContract[] {
  const addresses = Array.from({ length: count }, (_, i) => GENERATED_AT + BigInt(i))
  const around = surroundings([...addresses, ...others])
  return addresses.map((address) => ({
    address,
    code: assembleProgram(generateProgram(dice, around, 3 + dice.below(16))),
    storage: [0n, 1n, 2n].flatMap((slot) =>
      dice.chance(0.5) ? [[slot, BigInt(1 + dice.below(3))] as const] : [],
    ),
    balance: BigInt(dice.below(10)),
  }))
}

function surroundings(addresses: readonly bigint[]) {
  return {
    addresses: [...addresses, PLAIN_AT, 0xdeadn, 0n, ...PRECOMPILES.slice(0, 3)],
    precompiles: PRECOMPILES,
    revision: 'Osaka' as const,
    // The requested block hashes range from before the chain to after its end
    blockNumber: 265,
  }
}

/** Returns init code that deploys `runtime`. */
export function deployment(runtime: Uint8Array): Uint8Array {
  const length = assemble(runtime.length).length
  // The runtime code follows the code that returns it
  const size = 2 * length + 8
  const head = assemble(runtime.length, size, 0, 'CODECOPY', runtime.length, 0, 'RETURN')
  return concatBytes([head, new Uint8Array(size - head.length), runtime])
}

/** Init codes that each end in a different way. */
export const INIT_CODES: readonly Uint8Array[] = [
  new Uint8Array(),
  deployment(assemble('CALLER', 'SELFDESTRUCT')),
  deployment(new Uint8Array(100).fill(0x5b)),
  // Code may not begin with 0xef (EIP-3541)
  deployment(Uint8Array.of(0xef)),
  deployment(Uint8Array.of(0xef, 1, 0)),
  // More than 24,576 bytes (EIP-170), and exactly as many
  assemble(24_577, 0, 'RETURN'),
  assemble(24_576, 0, 'RETURN'),
  assemble(5000, 0, 'RETURN'),
  assemble(1 << 20, 0, 'RETURN'),
  assemble('INVALID'),
  assemble(7, 0, 'MSTORE', 32, 0, 'REVERT'),
  revertWith(encodeAbi('no birth')),
  revertWith(new Uint8Array()),
  assemble(0, 'SELFDESTRUCT'),
  assemble('CALLER', 'SELFDESTRUCT'),
  assemble(4, 'JUMP'),
  assemble(5, 1, 'SSTORE', 1, 0, 'RETURN'),
  assemble(5, 1, 'SSTORE', 'POP'),
  assemble(32, 0, 'LOG0', 0, 0, 'CREATE', 'STOP'),
  assemble(0, 0, 0, 'CREATE', 0, 'SSTORE', 1, 0, 'RETURN'),
  assemble(0, 0, 0, 0, 0, 'CALLER', 'GAS', 'CALL', 1, 0, 'RETURN'),
]

export function generatedInitCode(dice: Dice, others: readonly bigint[]): Uint8Array {
  return assembleProgram(generateInitCode(dice, surroundings(others)))
}

/** Returns all contracts of the genesis. */
export function genesisContracts(dice: Dice, others: readonly bigint[]): GenesisContract[] {
  const kinds = Object.entries(FORWARDERS) as [keyof typeof FORWARDERS, bigint][]
  return [
    ...kinds.map(([kind, address]) => ({ address, code: forwarder(kind), balance: 1000n })),
    { address: FACTORY_AT, code: FACTORY, balance: 1000n },
    { address: RECURSION_AT, code: RECURSION },
    ...SPECIAL,
    ...SINGLE_OPCODES,
    ...BATTERIES,
    ...generatedContracts(dice, 40, others),
  ]
}
