// Written by tools/generate-tables.ts from tools/tables/fault.ts; do not edit.

export const FAULT = {
  none: 0,
  outOfGas: 1,
  stackUnderflow: 2,
  stackOverflow: 3,
  invalidJump: 4,
  invalidOpcode: 5,
  reverted: 6,
  writeProtection: 7,
  returnDataBounds: 8,
  gasOverflow: 9,
  depthExceeded: 10,
  insufficientBalance: 11,
  addressCollision: 12,
  nonceOverflow: 13,
  codeTooLarge: 14,
  initcodeTooLarge: 15,
  codeStartsWithEf: 16,
  codeDepositGas: 17,
  precompileFailed: 18,
} as const

export const FAULT_TEXTS = [
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
  'precompile failed',
] as const

/** By the detail of `outOfGas`, which is 0 if geth's gas function gives no reason. */
export const GAS_FAILURES: readonly (string | undefined)[] = [
  undefined,
  'not enough gas for reentrancy sentry',
  'gas uint64 overflow',
  'out of gas',
  'write protection',
  '',
]
