import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import { atLeast, type Revision } from '../../host/evm/chain-types/revision.ts'
import { OPCODES } from '../../host/evm/engine/opcode.ts'
import type { Dice } from './dice.ts'
import { precompileInput } from './precompile-input.ts'
import {
  CALLS,
  CODES,
  ENDINGS,
  IDIOMS,
  OPERANDS,
  type Operand,
  PLAIN,
  SINCE,
} from './vocabulary.ts'

/** A piece of code that can be removed: an opcode with its immediate, a jump target, or the address of one. */
export type Instruction =
  | { readonly bytes: Uint8Array }
  | { readonly label: number }
  | { readonly target: number; readonly width: 1 | 2 }

/** What a program can refer to. */
export interface Surroundings {
  /** Addresses as numbers: accounts, precompiles, and one that does not exist. */
  readonly addresses: readonly bigint[]
  /** The precompiles that the revision may have. */
  readonly precompiles: readonly bigint[]
  readonly revision: Revision
  readonly blockNumber: number
}

const WORD = 1n << 256n

function opcode(name: string): Instruction {
  return { bytes: new Uint8Array([CODES.get(name) as number]) }
}

/** Returns a word near an edge case of arithmetic, or any word. */
function chooseWord(dice: Dice, surroundings: Surroundings): bigint {
  const power = 1n << BigInt(dice.below(256))
  switch (dice.below(10)) {
    case 9:
      // Beyond the end of the engine's memory, if taken as an address in it
      return (1n << 28n) + dice.number(32)
    case 0:
      return BigInt(dice.below(4))
    case 1:
      return BigInt(dice.below(300))
    case 2:
      return power
    case 3:
      return power - 1n
    case 4:
      return power + 1n
    case 5:
      return WORD - power
    case 6:
      return WORD - 1n - BigInt(dice.below(3))
    case 7:
      return dice.pick(surroundings.addresses)
    default:
      return dice.number(8 * (1 + dice.below(32)))
  }
}

function chooseOperand(dice: Dice, around: Surroundings, kind: Operand): bigint {
  // Any word may occur anywhere, but rarely: it mostly ends the program
  if (dice.chance(0.03)) return chooseWord(dice, around)
  switch (kind) {
    case 'word':
      return chooseWord(dice, around)
    case 'exponent':
      return dice.number(8 * dice.below(5))
    case 'offset':
      return BigInt(dice.below(dice.chance(0.1) ? 5000 : 256))
    case 'length':
      return BigInt(dice.chance(0.3) ? 0 : dice.below(dice.chance(0.1) ? 1500 : 80))
    case 'address':
      return dice.chance(0.1)
        ? dice.pick(around.precompiles) | (dice.number(96) << 160n)
        : dice.pick(around.addresses)
    case 'slot':
      return BigInt(dice.below(4))
    case 'value':
      return BigInt(dice.chance(0.5) ? 0 : dice.below(3))
    case 'gas':
      return dice.number(dice.pick([8, 12, 14, 17, 20]))
    case 'index':
      return BigInt(dice.below(36))
    case 'shift':
      return BigInt(dice.below(260))
    case 'block':
      return BigInt(around.blockNumber - 260 + dice.below(264))
  }
}

/** Returns a writer of one program's instructions. `depth` bounds the nesting of programs. */
function makeWriter(dice: Dice, around: Surroundings, depth: number) {
  const code: Instruction[] = []
  const hasPush0 = atLeast(around.revision, 'Shanghai')
  // Occasionally an opcode of a later revision
  const exists = (name: string) =>
    atLeast(around.revision, SINCE[name] ?? 'Frontier') || dice.chance(0.02)
  let labels = 0
  let height = 0

  function push(value: bigint): void {
    let width = hasPush0 && value === 0n && dice.chance(0.8) ? 0 : 1
    while (value >> BigInt(8 * width) !== 0n) width++
    if (dice.chance(0.03)) width = Math.max(width, 1 + dice.below(32))
    code.push({ bytes: concatBytes([new Uint8Array([0x5f + width]), bigintToBytes(value, width)]) })
    height++
  }

  function apply(name: string): void {
    const row = OPCODES[CODES.get(name) as number]
    code.push(opcode(name))
    height = Math.max(0, height - (row?.taken ?? 0)) + (row?.left ?? 0)
  }

  function pushOperands(name: string, kinds: readonly Operand[]): void {
    for (let i = kinds.length - 1; i >= 0; i--) {
      const kind = kinds[i] as Operand
      if (kind === 'gas' && dice.chance(0.6)) apply('GAS')
      else if (name === 'RETURNDATACOPY' && i === 2 && dice.chance(0.5)) apply('RETURNDATASIZE')
      else if (kind === 'word' && height > 4 && dice.chance(0.2)) {
        apply(`DUP${1 + dice.below(Math.min(16, height))}`)
      } else push(chooseOperand(dice, around, kind))
    }
  }

  function pushTarget(label: number): void {
    code.push({ target: label, width: dice.chance(0.3) ? 1 : 2 })
    height++
  }

  /** Makes a result observable: in storage, in memory or on the stack. */
  function use(): void {
    const way = dice.below(10)
    if (way < 3) {
      push(BigInt(dice.below(4)))
      apply('SSTORE')
    } else if (way < 5) {
      push(BigInt(32 * dice.below(6)))
      apply('MSTORE')
    } else if (way < 7) apply('POP')
  }

  function writeMemory(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 32) {
      const chunk = new Uint8Array(33)
      chunk[0] = 0x7f
      chunk.set(bytes.subarray(at, at + 32), 1)
      code.push({ bytes: chunk })
      height++
      push(BigInt(at))
      apply('MSTORE')
    }
  }

  function operation(): void {
    const { name, taken, left } = dice.pick(PLAIN)
    if (!exists(name)) return
    const isFed = height < taken || dice.chance(0.85)
    if (/^(DUP|SWAP)/.test(name)) {
      if (height < taken && dice.chance(0.9)) return
    } else if (isFed) {
      pushOperands(name, OPERANDS[name] ?? new Array<Operand>(taken).fill('word'))
    }
    apply(name)
    if (left > 0 && taken <= 7) use()
  }

  function call(): void {
    const name = dice.pick(CALLS.filter(exists))
    const kinds = OPERANDS[name] as readonly Operand[]
    if (dice.chance(0.4)) writeMemory(dice.bytes(32 * dice.below(3)))
    pushOperands(name, kinds)
    apply(name)
    use()
    if (dice.chance(0.4) && exists('RETURNDATACOPY')) {
      const copy = 'RETURNDATACOPY'
      pushOperands(copy, OPERANDS[copy] ?? [])
      apply(copy)
    }
  }

  function callPrecompile(): void {
    const to = dice.pick(around.precompiles)
    const input = precompileInput(dice, Number(to))
    writeMemory(input)
    push(BigInt(dice.below(130)))
    push(0n)
    push(BigInt(dice.chance(0.9) ? input.length : dice.below(300)))
    push(0n)
    const name = dice.pick(CALLS.filter(exists))
    if (name === 'CALL' || name === 'CALLCODE') push(BigInt(dice.chance(0.8) ? 0 : 1))
    push(to)
    if (dice.chance(0.7)) apply('GAS')
    else push(dice.number(17))
    apply(name)
    use()
    push(0n)
    apply('MLOAD')
    use()
  }

  function create(): void {
    const initCode = assembleProgram(makeInitCode(dice, around, depth - 1))
    writeMemory(initCode)
    const name = dice.pick(['CREATE', 'CREATE2'].filter(exists))
    if (name === 'CREATE2') push(BigInt(dice.below(2)))
    push(BigInt(initCode.length))
    push(0n)
    push(chooseOperand(dice, around, 'value'))
    apply(name)
    if (dice.chance(0.5)) {
      // Calls the created contract
      for (let i = 0; i < 5; i++) push(0n)
      apply('DUP6')
      apply('GAS')
      apply('CALL')
    }
    use()
  }

  function branch(): void {
    const label = labels++
    const isConditional = dice.chance(0.7)
    if (isConditional) pushOperands('JUMPI', ['word'])
    pushTarget(dice.chance(0.03) ? label + 1 : label)
    apply(isConditional ? 'JUMPI' : 'JUMP')
    statements(dice.below(4))
    code.push({ label })
  }

  /** Writes a loop that counts in memory. Without a bound, it ends when the gas runs out. */
  function loop(): void {
    const label = labels++
    const counter = BigInt(0x600 + 32 * dice.below(4))
    code.push({ label })
    statements(1 + dice.below(3))
    push(counter)
    apply('MLOAD')
    push(1n)
    apply('ADD')
    apply('DUP1')
    push(counter)
    apply('MSTORE')
    push(dice.chance(0.1) ? 1n << 40n : BigInt(1 + dice.below(6)))
    apply('GT')
    pushTarget(label)
    apply('JUMPI')
  }

  function idiom(label: number): void {
    const names = dice.pick(IDIOMS)
    while (height < 5 && dice.chance(0.95)) push(BigInt(dice.below(400)))
    for (const name of names) {
      if (name === '#') code.push({ bytes: new Uint8Array([0x60, dice.below(256)]) })
      else if (name === '#4')
        code.push({ bytes: concatBytes([new Uint8Array([0x63]), dice.bytes(4)]) })
      else if (name === '@') pushTarget(label)
      else apply(name)
      if (name.startsWith('#')) height++
    }
  }

  function idioms(): void {
    const label = labels++
    for (let i = 1 + dice.below(6); i > 0; i--) idiom(label)
    if (dice.chance(0.3)) statement()
    code.push({ label })
  }

  /** Writes a loop that ends when the stack or the gas runs out. */
  function endlessLoop(): void {
    const label = labels++
    code.push({ label })
    for (let i = 1 + dice.below(6); i > 0; i--) idiom(dice.chance(0.8) ? label : label + 1)
    pushTarget(label)
    apply('JUMP')
  }

  function statement(): void {
    if (height > 60) for (let i = 0; i < 40; i++) apply('POP')
    const kind = dice.below(100)
    if (kind < 50) operation()
    else if (kind < 61) idioms()
    else if (kind < 62) endlessLoop()
    else if (kind < 74) call()
    else if (kind < 80) callPrecompile()
    else if (kind < 84 && depth > 0) create()
    else if (kind < 92) branch()
    else if (kind < 95) loop()
    else if (kind < 98) push(chooseWord(dice, around))
    else code.push({ bytes: dice.bytes(1 + dice.below(3)) })
  }

  function statements(count: number): void {
    for (let i = 0; i < count; i++) statement()
  }

  function end(): void {
    const name = dice.pick(ENDINGS.filter(exists))
    pushOperands(name, OPERANDS[name] ?? [])
    apply(name)
  }

  return { code, statements, end, writeMemory, push, apply }
}

/** Returns init code that mostly returns runtime code. */
function makeInitCode(dice: Dice, around: Surroundings, depth: number): readonly Instruction[] {
  const writer = makeWriter(dice, around, depth)
  writer.statements(dice.below(3))
  if (dice.chance(0.2)) {
    writer.end()
    return writer.code
  }
  const inner = makeWriter(dice, around, 0)
  inner.statements(1 + dice.below(3))
  inner.end()
  const runtime = assembleProgram(inner.code)
  if (dice.chance(0.05)) runtime[0] = 0xef
  writer.writeMemory(runtime)
  writer.push(BigInt(runtime.length))
  writer.push(0n)
  writer.apply('RETURN')
  return writer.code
}

/** Returns a program of about `size` statements. */
export function generateProgram(
  dice: Dice,
  around: Surroundings,
  size: number,
): readonly Instruction[] {
  const writer = makeWriter(dice, around, 1)
  writer.statements(size)
  if (dice.chance(0.9)) writer.end()
  return writer.code
}

/** Returns init code for a creation transaction. */
export function generateInitCode(dice: Dice, around: Surroundings): readonly Instruction[] {
  return makeInitCode(dice, around, 1)
}

/** Returns the bytes of a program. The address of a missing label is 0. */
export function assembleProgram(program: readonly Instruction[]): Uint8Array {
  const at = new Map<number, number>()
  let length = 0
  for (const item of program) {
    if ('label' in item) at.set(item.label, length)
    length += 'bytes' in item ? item.bytes.length : 'label' in item ? 1 : 1 + item.width
  }
  return concatBytes(
    program.map((item) => {
      if ('bytes' in item) return item.bytes
      if ('label' in item) return new Uint8Array([0x5b])
      const target = BigInt(at.get(item.target) ?? 0)
      const push = new Uint8Array([0x5f + item.width])
      return concatBytes([push, bigintToBytes(BigInt.asUintN(8 * item.width, target), item.width)])
    }),
  )
}
