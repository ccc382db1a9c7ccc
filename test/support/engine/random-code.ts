import fc from 'fast-check'
import {
  JUMP,
  JUMPDEST,
  JUMPI,
  PUSH0,
  PUSH1,
  PUSH2,
} from '../../../host/evm/engine/generated/opcode.ts'

/** A piece of random code: bytes, and pushes of labels, which `linkCode` replaces. */
export type CodePart = number | { readonly label: number }

const SWAP1 = 0x90
const DUP1 = 0x80
const POP = 0x50
const MSTORE = 0x52

/** Constants at the edges of limbs, of small words and of addresses. */
const WORDS = [
  0n,
  1n,
  2n,
  7n,
  31n,
  32n,
  63n,
  64n,
  65n,
  127n,
  128n,
  160n,
  192n,
  255n,
  256n,
  0xffffn,
  (1n << 32n) - 1n,
  (1n << 63n) - 1n,
  1n << 63n,
  (1n << 64n) - 1n,
  1n << 64n,
  (1n << 128n) - 1n,
  (1n << 160n) - 1n,
  1n << 192n,
  (1n << 255n) - 1n,
  1n << 255n,
  (1n << 256n) - 1n,
]

function push(value: bigint): number[] {
  if (value === 0n) return [PUSH0]
  const digits = value.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return [PUSH0 + bytes.length, ...bytes]
}

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 300n }) },
)
const label = fc.nat(7).map((index): CodePart => ({ label: index }))
/** Pushes a word: a constant or a copy. */
const operand: fc.Arbitrary<readonly CodePart[]> = fc.oneof(
  { weight: 3, arbitrary: fc.nat(9).map((n) => [DUP1 + n]) },
  { weight: 2, arbitrary: word.map(push) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0x30, 0x33, 0x34, 0x36, 0x38, 0x3d, 0x42, 0x43, 0x46, 0x47, 0x58, 0x59, 0x5a)
      .map((n) => [n]),
  },
)
/** Removes the top word, or leaves it. */
const sink: fc.Arbitrary<readonly CodePart[]> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(9).map((n) => [SWAP1 + n, POP]) },
  { weight: 1, arbitrary: fc.constant([POP]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0n, 32n, 33n, 64n, 100n).map((at) => [...push(at), MSTORE]),
  },
  { weight: 1, arbitrary: fc.constant([]) },
)

const UNARY = [0x15, 0x19, 0x1e, 0x35, 0x51, 0x54, 0x5c, 0x31, 0x3b, 0x3f, 0x40, 0x49]
const BINARY = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17,
  0x18, 0x1a, 0x1b, 0x1c, 0x1d,
]
const TERNARY = [0x08, 0x09]

function concat(parts: readonly (readonly CodePart[])[]): CodePart[] {
  return parts.flat()
}

function operation(
  opcodes: readonly number[],
  operands: number,
): fc.Arbitrary<readonly CodePart[]> {
  const inputs = fc.array(operand, { minLength: operands, maxLength: operands })
  return fc
    .tuple(inputs, fc.constantFrom(...opcodes), sink)
    .map(([list, opcode, end]) => concat([...list, [opcode], end]))
}

const smallSize = fc.constantFrom(0n, 1n, 31n, 32n, 33n, 64n, 96n)
/** Hashes of 4 KiB and more charge fuel. */
const hashSize = fc.oneof(
  { weight: 6, arbitrary: smallSize },
  { weight: 1, arbitrary: fc.constantFrom(4095n, 4096n, 5000n) },
)
const smallOffset = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0n, 1n, 31n, 32n, 64n, 96n, 200n) },
  { weight: 1, arbitrary: fc.constantFrom(1000n, 5000n, 1n << 32n, 1n << 64n) },
)
/** Opcodes that take an offset and a value, or ranges of memory. */
const memory: fc.Arbitrary<readonly CodePart[]> = fc.oneof(
  fc.tuple(operand, smallOffset).map(([value, at]) => [...value, ...push(at), MSTORE]),
  fc.tuple(operand, smallOffset).map(([value, at]) => [...value, ...push(at), 0x53]),
  fc.tuple(operand, operand).map(([value, at]) => [...value, ...at, MSTORE]),
  fc.tuple(smallOffset, sink).map(([at, end]) => [...push(at), 0x51, ...end]),
  fc
    .tuple(hashSize, smallOffset, sink)
    .map(([size, at, end]) => [...push(size), ...push(at), 0x20, ...end]),
  fc
    .tuple(smallSize, smallOffset, smallOffset)
    .map(([size, from, to]) => [...push(size), ...push(from), ...push(to), ...push(0x2222n), 0x3c]),
  fc
    .tuple(smallSize, smallOffset, smallOffset, fc.constantFrom(0x37, 0x39, 0x5e, 0x3e))
    .map(([size, from, to, opcode]) => [...push(size), ...push(from), ...push(to), opcode]),
)
const storage: fc.Arbitrary<readonly CodePart[]> = fc
  .tuple(operand, fc.bigInt({ min: 0n, max: 3n }), fc.constantFrom(0x55, 0x5d))
  .map(([value, key, opcode]) => [...value, ...push(key), opcode])
const log: fc.Arbitrary<readonly CodePart[]> = fc
  .tuple(operand, smallSize, smallOffset)
  .map(([topic, size, at]) => [...topic, ...push(size), ...push(at), 0xa1])
/** A call of this contract or of a precompile, with some gas. */
const call: fc.Arbitrary<readonly CodePart[]> = fc
  .tuple(
    fc.constantFrom(0x2222n, 4n, 2n, 0xbn, 0x9999n),
    fc.constantFrom(0n, 700n, 5000n),
    fc.boolean(),
    sink,
  )
  .map(([to, gas, isStatic, end]) => [
    ...push(32n),
    ...push(0n),
    ...push(32n),
    ...push(0n),
    ...(isStatic ? [] : push(0n)),
    ...push(to),
    ...push(gas),
    isStatic ? 0xfa : 0xf1,
    ...end,
  ])
const control: fc.Arbitrary<readonly CodePart[]> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(operand, label).map(([condition, to]) => [...condition, to, JUMPI]),
  },
  { weight: 1, arbitrary: label.map((to) => [to, JUMP]) },
  // A function call: the return address, then the function's
  { weight: 3, arbitrary: fc.tuple(label, label).map(([back, to]) => [back, to, JUMP]) },
  // A return, or a jump to whatever is on the stack
  { weight: 2, arbitrary: fc.nat(3).map((n) => (n === 0 ? [JUMP] : [DUP1 + n - 1, JUMP])) },
)
const stack: fc.Arbitrary<readonly CodePart[]> = fc.oneof(
  fc.nat(15).map((n) => [SWAP1 + n]),
  fc.nat(15).map((n) => [DUP1 + n]),
  fc.constant([POP]),
  word.map(push),
  label.map((to) => [to]),
)
/** DUPN, SWAPN and EXCHANGE (EIP-8024), and in earlier revisions an invalid opcode. */
const farStack: fc.Arbitrary<readonly CodePart[]> = fc.tuple(
  fc.constantFrom(0xe6, 0xe7, 0xe8),
  fc.oneof(
    // The operands of 17 to 30 words
    { weight: 4, arbitrary: fc.integer({ min: 128, max: 141 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
  ),
)
const rare: fc.Arbitrary<readonly CodePart[]> = fc.constantFrom(
  [0xfe],
  [0x00],
  [0x0c],
  [0x2e],
  [PUSH1, 64, PUSH0, 0xf3],
  [PUSH1, 64, PUSH0, 0xfd],
  [0xff],
)

export interface CodePiece {
  readonly parts: readonly CodePart[]
  readonly isLabelled: boolean
}

/** A piece of code that computes, moves words, accesses memory or storage, calls, jumps, or fails. */
export const codePiece: fc.Arbitrary<CodePiece> = fc.record({
  parts: fc.oneof(
    { weight: 10, arbitrary: operation(BINARY, 2) },
    { weight: 3, arbitrary: operation(UNARY, 1) },
    { weight: 2, arbitrary: operation(TERNARY, 3) },
    { weight: 4, arbitrary: memory },
    { weight: 1, arbitrary: storage },
    { weight: 1, arbitrary: log },
    { weight: 1, arbitrary: call },
    { weight: 4, arbitrary: control },
    { weight: 3, arbitrary: stack },
    { weight: 1, arbitrary: farStack },
    { weight: 1, arbitrary: rare },
  ),
  isLabelled: fc.boolean(),
})

/** Words at the bottom of the stack before random code. */
export const filling: fc.Arbitrary<readonly CodePart[]> = fc
  .array(word, { maxLength: 32 })
  .map((words) => words.flatMap(push))

/**
 * Links pieces to a loop of `turns` turns, whose counter is below the words that the pieces use. A label is a
 * JUMPDEST before a piece; label 0 is the start of the loop.
 */
export function linkCode(
  before: readonly CodePart[],
  pieces: readonly CodePiece[],
  turns: number,
): Uint8Array {
  const code: number[] = []
  const labels: number[] = []
  const holes: { at: number; label: number }[] = []
  const emit = (parts: readonly CodePart[]) => {
    for (const part of parts) {
      if (typeof part === 'number') {
        code.push(part)
        continue
      }
      code.push(PUSH2)
      holes.push({ at: code.length, label: part.label })
      code.push(0, 0)
    }
  }
  const mark = () => {
    labels.push(code.length)
    code.push(JUMPDEST)
  }
  emit(before)
  emit([PUSH1, turns])
  mark()
  for (const { parts, isLabelled } of pieces) {
    if (isLabelled) mark()
    emit(parts)
  }
  // One turn less, then again unless none is left
  emit([PUSH1, 1, SWAP1, 0x03, DUP1, { label: 0 }, JUMPI])
  emit([PUSH0, MSTORE, PUSH1, 32, MSTORE, PUSH1, 96, PUSH0, 0xf3])
  for (const { at, label: index } of holes) {
    const target = labels[index % labels.length] as number
    code[at] = target >> 8
    code[at + 1] = target & 0xff
  }
  return new Uint8Array(code)
}
