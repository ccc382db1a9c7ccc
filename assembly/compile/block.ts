import { constantGas, wordsLeft, wordsTaken } from '../evm/opcode'
import * as op from '../generated/opcode'
import { byte, cursor } from './bytes'
import { instruct } from './call'
import { emitTruth } from './condition'
import {
  AT,
  beginIf,
  beginInstance,
  continueAt,
  end,
  endInstance,
  JUMPED,
  leaveBefore,
  leaveRegion,
} from './exit'
import { applyContext, heightOf, instances, isDestination, isEntered, pcOf } from './instance'
import { BODY, BODY_SIZE } from './layout'
import { beginTemporaries, GAS, get, set } from './local'
import { beginMemory } from './memory'
import { compileInline } from './opcode'
import { drop, isInReach, peek, popTo, resetStack } from './stack'
import { BRANCHES, CALLED, LEAVES, nextOf, opcodeAt, treatmentOf, wordsNeeded } from './treatment'
import { A, bitsOf, constant, isConstant, release, smallConstant } from './value'
import * as wasm from './wasm'

/** Compiles the opcodes of a block. */

/** Opcodes that the pass has compiled. */
export let opcodes: u32 = 0

export function resetOpcodes(): void {
  opcodes = 0
}

/** Returns the gas of the opcodes from `pc` that nothing interrupts: a segment, paid at its start. */
function segmentGas(pc: u32): u32 {
  let gas: u32 = 0
  const start = pc
  while (true) {
    const opcode = opcodeAt(pc)
    const treatment = treatmentOf(pc)
    if (treatment == LEAVES || treatment == CALLED) return gas
    if (opcode == op.JUMPDEST && pc != start && isEntered(pc)) return gas
    gas += constantGas(opcode)
    if (treatment == BRANCHES || opcode == op.GAS) return gas
    pc = nextOf(pc)
  }
}

/** Returns true if the block at `pc` ends the frame: it runs once at most, so it is left to the interpreter. */
function isFinal(pc: u32): bool {
  const start = pc
  while (true) {
    const opcode = opcodeAt(pc)
    const treatment = treatmentOf(pc)
    if (treatment == BRANCHES) return false
    if (opcode == op.JUMPDEST && pc != start) return false
    if (treatment == LEAVES) {
      return opcode < op.CREATE || opcode == op.RETURN || opcode >= op.REVERT
    }
    pc = nextOf(pc)
  }
}

/** Continues at a jump destination, or leaves if the frame ends there. */
function follow(pc: u32, isJump: bool): void {
  if (isFinal(pc)) return leaveRegion(isJump ? JUMPED : AT, pc)
  continueAt(pc, isJump)
}

function compileBranch(opcode: u32, pc: u32): void {
  const target = smallConstant(peek(0))
  const isStatic = target >= 0 && isDestination(u32(target))
  if (!isStatic) return leaveBefore(pc, constantGas(opcode))
  drop()
  if (opcode == op.JUMP) return follow(u32(target), true)
  popTo(A)
  const isDecided = isConstant(A)
  if (isDecided) {
    if (bitsOf(A) != 0) follow(u32(target), true)
    else follow(pc + 1, false)
    return
  }
  emitTruth(A)
  release(A)
  beginIf()
  follow(u32(target), true)
  end()
  follow(pc + 1, false)
}

/** Compiles an instance of a block. Returns false if the body has become too large. */
export function compileInstance(index: i32): bool {
  let pc = pcOf(index)
  const start = pc
  let unused: u32 = 0
  let isSegment = false
  beginInstance(index)
  beginTemporaries()
  beginMemory()
  resetStack(heightOf(index))
  applyContext(index)
  while (true) {
    if (cursor() > BODY + BODY_SIZE) {
      if (instances > 1) return false
      // The interpreter executes the rest of a long block
      leaveBefore(pc, unused)
      break
    }
    const opcode = opcodeAt(pc)
    const treatment = treatmentOf(pc)
    const growth = i32(wordsLeft(opcode)) - i32(wordsTaken(opcode))
    if (treatment == LEAVES || !isInReach(wordsNeeded(pc), growth)) {
      leaveBefore(pc, unused)
      break
    }
    if (opcode == op.JUMPDEST && pc != start && isEntered(pc)) {
      follow(pc, false)
      break
    }
    if (treatment == CALLED) {
      instruct(opcode, pc)
      isSegment = false
      pc++
      continue
    }
    if (!isSegment) {
      isSegment = true
      unused = segmentGas(pc)
      get(GAS)
      constant(unused)
      byte(wasm.I64_LT_S)
      beginIf()
      leaveRegion(AT, pc)
      end()
      get(GAS)
      constant(unused)
      byte(wasm.I64_SUB)
      set(GAS)
    }
    opcodes++
    if (treatment == BRANCHES) {
      compileBranch(opcode, pc)
      break
    }
    compileInline(opcode, pc, unused)
    unused -= constantGas(opcode)
    if (opcode == op.GAS) isSegment = false
    pc = nextOf(pc)
  }
  endInstance()
  return true
}
