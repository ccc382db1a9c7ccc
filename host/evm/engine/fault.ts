import { FAULT, FAULT_TEXTS, GAS_FAILURES } from './generated/fault.ts'
import { PRECOMPILE_FAILURES } from './generated/precompile-failure.ts'
import { opcodeName } from './opcode.ts'

const REFUSALS: ReadonlySet<number> = new Set([
  FAULT.outOfGas,
  FAULT.stackUnderflow,
  FAULT.stackOverflow,
  FAULT.gasOverflow,
  FAULT.initcodeTooLarge,
])

/** The detail of a size beyond its limit is the size, and the limit above these bits. */
const SIZE_BITS = 40n
const SIZE_MASK = (1n << SIZE_BITS) - 1n

/** Bit of the detail of a stackUnderflow that is found while the opcode executes (EIP-8024). */
const WHILE_EXECUTING = 1n << 62n
/** Detail of an outOfGas that is found while the opcode executes. */
const NEW_CONTRACT = BigInt(GAS_FAILURES.indexOf(''))

/** True for a failure found by the stack and gas checks, before the opcode executes. */
export function isRefusal(fault: number, detail: bigint): boolean {
  if (fault === FAULT.outOfGas) return detail !== NEW_CONTRACT
  return REFUSALS.has(fault) && detail < WHILE_EXECUTING
}

/** Returns a failure's message with the values that geth includes; undefined for 0, success. */
export function faultText(fault: number, detail: bigint): string | undefined {
  if (fault === FAULT.none) return undefined
  const text = FAULT_TEXTS[fault] ?? `engine fault ${fault}`
  if (fault === FAULT.outOfGas) {
    const failure = GAS_FAILURES[Number(detail)]
    return failure === undefined || failure === '' ? text : `${text}: ${failure}`
  }
  if (fault === FAULT.stackUnderflow)
    return `${text} (${(detail >> 32n) & 0xffffn} <=> ${detail & 0xffffffffn})`
  // geth reports the greatest stack height that the opcode allows.
  if (fault === FAULT.stackOverflow) return `${text} (${detail - 1n})`
  if (fault === FAULT.codeTooLarge || fault === FAULT.initcodeTooLarge) {
    return `${text}: code size ${detail & SIZE_MASK} limit ${detail >> SIZE_BITS}`
  }
  if (fault === FAULT.precompileFailed) return PRECOMPILE_FAILURES[Number(detail)] ?? text
  if (fault === FAULT.invalidOpcode) {
    const name = opcodeName(Number(detail & 0xffn))
    // A forbidden operand of DUPN, SWAPN or EXCHANGE (EIP-8024)
    const operand = ((detail >> 8n) & 0xffn).toString(16).padStart(2, '0')
    return detail < 256n ? `${text}: ${name}` : `${text}: ${name} (operand: 0x${operand})`
  }
  return text
}
