/** Why a frame fails, with geth's text (core/vm/errors.go): the number of each is its index. */
export const FAULTS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'none', text: '' },
  { name: 'outOfGas', text: 'out of gas' },
  { name: 'stackUnderflow', text: 'stack underflow' },
  { name: 'stackOverflow', text: 'stack limit reached 1024' },
  { name: 'invalidJump', text: 'invalid jump destination' },
  { name: 'invalidOpcode', text: 'invalid opcode' },
  { name: 'reverted', text: 'execution reverted' },
  { name: 'writeProtection', text: 'write protection' },
  { name: 'returnDataBounds', text: 'return data out of bounds' },
  { name: 'gasOverflow', text: 'gas uint64 overflow' },
  { name: 'depthExceeded', text: 'max call depth exceeded' },
  { name: 'insufficientBalance', text: 'insufficient balance for transfer' },
  { name: 'addressCollision', text: 'contract address collision' },
  { name: 'nonceOverflow', text: 'nonce uint64 overflow' },
  { name: 'codeTooLarge', text: 'max code size exceeded' },
  { name: 'initcodeTooLarge', text: 'out of gas: max initcode size exceeded' },
  { name: 'codeStartsWithEf', text: 'invalid code: must not begin with 0xef' },
  { name: 'codeDepositGas', text: 'contract creation code storage out of gas' },
  { name: 'precompileFailed', text: 'precompile failed' },
]

/**
 * What geth's function for the gas of an opcode says of an outOfGas, behind its text: the detail of the fault
 * is the index, from 1.
 */
export const GAS_FAILURES: readonly {
  readonly name: string
  readonly text: string
  readonly doc: string
}[] = [
  {
    name: 'sentry',
    text: 'not enough gas for reentrancy sentry',
    doc: 'SSTORE wants more than the stipend left (EIP-2200).',
  },
  {
    name: 'memoryOverflow',
    text: 'gas uint64 overflow',
    doc: 'The memory is so large that its price passes 64 bits.',
  },
  {
    name: 'callGas',
    text: 'out of gas',
    doc: 'A call has too little for the gas that is not handed on (EIP-2929, EIP-7702).',
  },
  {
    name: 'write',
    text: 'write protection',
    doc: 'The opcode may not write in a static frame, which geth finds while it prices it.',
  },
]
