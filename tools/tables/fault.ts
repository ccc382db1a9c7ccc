/** Why a frame fails, with geth's message (core/vm/errors.go). The number of each is its index. */
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
 * Reasons that geth's gas function of an opcode appends to an outOfGas message. The detail of the fault is the index,
 * from 1. An empty text adds nothing to the message.
 */
export const GAS_FAILURES: readonly {
  readonly name: string
  readonly text: string
  readonly doc: string
}[] = [
  {
    name: 'sentry',
    text: 'not enough gas for reentrancy sentry',
    doc: 'SSTORE requires more than the stipend to be left (EIP-2200).',
  },
  {
    name: 'memoryOverflow',
    text: 'gas uint64 overflow',
    doc: 'The memory is so large that its price exceeds 64 bits.',
  },
  {
    name: 'callGas',
    text: 'out of gas',
    doc: 'A call cannot pay its own cost, without the gas passed on (EIP-2929, EIP-7702), or SELFDESTRUCT its access.',
  },
  {
    name: 'write',
    text: 'write protection',
    doc: 'The opcode must not write in a static frame, which geth checks while it prices it.',
  },
  {
    name: 'newContract',
    text: '',
    doc: 'A creation cannot pay the state gas of its account, which geth takes after the step (EIP-8037).',
  },
]
