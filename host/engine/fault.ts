import { MAX_CODE, MAX_INIT_CODE } from '../chain-types/transaction-limits.ts'
import { opcodeName } from './opcode.ts'
import { PRECOMPILE_FAILURES } from './precompile-failure.ts'

/** `fault` of a frame whose code reverted: the only failure that keeps its output. */
export const REVERTED = 6

/** geth's texts (core/vm/errors.go), numbered as in assembly/evm/errors.ts. */
const TEXTS: readonly string[] = [
  '',
  'out of gas',
  'stack underflow',
  'stack limit reached 1024',
  'invalid jump destination',
  'invalid opcode',
  'execution reverted',
  'write protection',
  'return data out of bounds',
  'gas uint64 overflow',
  'max call depth exceeded',
  'insufficient balance for transfer',
  'contract address collision',
  'nonce uint64 overflow',
  'max code size exceeded',
  'out of gas: max initcode size exceeded',
  'invalid code: must not begin with 0xef',
  'contract creation code storage out of gas',
  PRECOMPILE_FAILURES[0],
]

const OUT_OF_GAS = 1
const STACK_UNDERFLOW = 2
const STACK_OVERFLOW = 3
const INVALID_OPCODE = 5
const GAS_OVERFLOW = 9
const CODE_TOO_LARGE = 14
const INITCODE_TOO_LARGE = 15
const PRECOMPILE_FAILED = 18

/** What geth's function for an opcode's gas says, by the detail of OUT_OF_GAS. */
const GAS_FAILURES: readonly (string | undefined)[] = [
  undefined,
  'not enough gas for reentrancy sentry',
  'gas uint64 overflow',
  'out of gas',
  'write protection',
]

/** True for what the checks of stack and gas find, before an opcode begins its work. */
export function isRefusal(fault: number): boolean {
  return (
    fault === OUT_OF_GAS ||
    fault === STACK_UNDERFLOW ||
    fault === STACK_OVERFLOW ||
    fault === GAS_OVERFLOW ||
    fault === INITCODE_TOO_LARGE
  )
}

/** Text of a failure with the numbers geth puts into it; undefined for 0, success. */
export function faultText(fault: number, detail: bigint): string | undefined {
  if (fault === 0) return undefined
  const text = TEXTS[fault] ?? `engine fault ${fault}`
  if (fault === OUT_OF_GAS) {
    const failure = GAS_FAILURES[Number(detail)]
    return failure === undefined ? text : `${text}: ${failure}`
  }
  if (fault === STACK_UNDERFLOW) return `${text} (${detail >> 32n} <=> ${detail & 0xffffffffn})`
  // The height at which the opcode would still have had room
  if (fault === STACK_OVERFLOW) return `${text} (${detail - 1n})`
  if (fault === CODE_TOO_LARGE) return `${text}: code size ${detail} limit ${MAX_CODE}`
  if (fault === INITCODE_TOO_LARGE) return `${text}: code size ${detail} limit ${MAX_INIT_CODE}`
  if (fault === PRECOMPILE_FAILED) return PRECOMPILE_FAILURES[Number(detail)] ?? text
  if (fault === INVALID_OPCODE) return `${text}: ${opcodeName(Number(detail))}`
  return text
}
