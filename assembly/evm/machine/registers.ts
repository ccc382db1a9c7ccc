import { RETURN_DATA, RETURN_DATA_SIZE, STACKS } from '../../layout'
import { copyBytes } from '../../u256/bytes'

/**
 * The registers: state that the running frame and its instruction share with the functions that the interpreter
 * calls. The interpreter keeps pc, sp and gas in locals and spills them here around each call.
 */

/** Address of the current opcode in the executable form of the code. */
export let pc: usize = 0
/** Address of the top word of the stack. */
export let sp: usize = STACKS
export let gas: i64 = 0

/** Output of the last call: RETURNDATASIZE and RETURNDATACOPY. It lies at RETURN_DATA. */
export let returnSize: u32 = 0

/** Set when a region of memory is full. The run then ends with an engine error. */
export let exhausted: bool = false

export function setRegisters(newPc: usize, newSp: usize, newGas: i64): void {
  pc = newPc
  sp = newSp
  gas = newGas
}

export function setGas(value: i64): void {
  gas = value
}

/** Takes gas. Returns false if it does not suffice. */
@inline
export function pay(cost: u64): bool {
  const left = gas - i64(cost)
  setGas(left)
  return left >= 0
}

export function setSp(value: usize): void {
  sp = value
}

export function setReturnSize(size: u32): void {
  returnSize = size
}

/** Stores `size` bytes as the return data. */
export function keepReturnData(from: usize, size: u32): void {
  if (usize(size) > RETURN_DATA_SIZE) {
    exhausted = true
    returnSize = 0
    return
  }
  if (from != RETURN_DATA) copyBytes(RETURN_DATA, from, size)
  returnSize = size
}

export function setExhausted(value: bool): void {
  exhausted = value
}
