/** Explanations of geth's failure messages. The first row with a matching pattern applies. */
interface FaultCause {
  readonly pattern: RegExp
  readonly what: string
  readonly cause: string
  /** The available and required gas explain more than `cause`. */
  readonly isGas?: boolean
}

export const FAULT_CAUSES: readonly FaultCause[] = [
  {
    pattern: /^out of gas: not enough gas for reentrancy sentry/,
    what: 'A write to a storage slot was attempted with 2,300 gas or less left.',
    cause:
      'Since EIP-2200 SSTORE then fails, so code called with the stipend of transfer() or send() cannot write. Use a call that passes on more gas.',
  },
  {
    pattern: /^out of gas: max initcode size exceeded|^max initcode size exceeded/,
    what: 'The creation code is longer than 49,152 bytes (EIP-3860).',
    cause: 'The contract is too large: turn on the optimizer, or split it.',
  },
  {
    pattern: /^(out of gas: )?write protection/,
    what: 'A frame that may not change state tried to.',
    cause:
      'An outer frame is a STATICCALL: a view or pure function was called, and something below it writes a slot, emits a log, creates a contract, destroys itself or sends value.',
  },
  {
    pattern: /^(out of gas: )?gas uint64 overflow/,
    what: 'The price of an opcode does not fit 64 bits.',
    cause: 'An offset or a length near 2^256 was requested: usually a wrong length in calldata.',
  },
  {
    pattern: /^out of gas/,
    what: 'The gas of the frame was used up.',
    cause: '',
    isGas: true,
  },
  {
    pattern: /^contract creation code storage out of gas/,
    what: 'The constructor ran, but too little gas was left to store the code: 200 for each byte.',
    cause: 'Raise the gas limit.',
  },
  {
    pattern: /^stack underflow/,
    what: 'An opcode needed more words than the stack had.',
    cause:
      'Compiled code does not do this: usually data ran as code, a jump had a wrong target, or hand-written assembly is wrong.',
  },
  {
    pattern: /^stack limit reached/,
    what: 'The stack would have had more than 1024 words.',
    cause:
      'Usually an endless recursion of internal functions, or a loop that leaves words behind.',
  },
  {
    pattern: /^invalid jump destination/,
    what: 'The target of a jump is not a JUMPDEST.',
    cause:
      'Usually a function pointer that was never set (compilers before 0.8), wrong hand-written assembly, or the way old compilers fail.',
  },
  {
    pattern: /^invalid opcode: INVALID/,
    what: 'The opcode INVALID ran: all gas of the frame is consumed.',
    cause:
      'Compilers before 0.8.0 use it if assert(...) fails or an index is out of bounds; in assembly it is invalid().',
  },
  {
    pattern: /^invalid opcode/,
    what: 'A byte ran that is not an opcode in this revision: all gas of the frame is consumed.',
    cause:
      'The contract was compiled for a later revision than the block’s (the compiler’s evmVersion), or data ran as code.',
  },
  {
    pattern: /^return data out of bounds/,
    what: 'RETURNDATACOPY read past the end of the return data.',
    cause:
      'The called contract returned less than expected: usually it is another contract, or none.',
  },
  {
    pattern: /^max call depth exceeded/,
    what: 'The call would have exceeded the depth limit of 1,024.',
    cause: 'Contracts call each other without end.',
  },
  {
    pattern: /^insufficient balance for transfer/,
    what: 'The caller has less than the value that it wanted to send.',
    cause: 'The sending contract must hold the ether: check its balance before the call.',
  },
  {
    pattern: /^contract address collision/,
    what: 'A contract already exists at the address of the new one.',
    cause: 'CREATE2 was used a second time with the same salt and code (EIP-684, EIP-7610).',
  },
  {
    pattern: /^nonce uint64 overflow/,
    what: 'The creator has used up all nonces (EIP-2681).',
    cause: 'It has created 2^64 - 1 contracts, or its nonce was set to that value.',
  },
  {
    pattern: /^max code size exceeded/,
    what: 'The constructor returned code of more than 24,576 bytes (EIP-170).',
    cause:
      'The contract is too large: turn on the optimizer, move parts to libraries, or split it.',
  },
  {
    pattern: /^invalid code: must not begin with 0xef/,
    what: 'The constructor returned code that begins with 0xef, which is reserved (EIP-3541).',
    cause: 'The creation code returns something other than the contract.',
  },
  {
    pattern:
      /^(invalid input length|invalid final flag|bad elliptic curve pairing size|error verifying kzg proof: short buffer)/,
    what: 'A precompile of the protocol rejected its input: the length or form is wrong.',
    cause: 'Check how the caller encodes the input: each field has a fixed length.',
  },
  {
    pattern:
      /^(point is not|invalid (fp|field|point)|g[12] point is not|error verifying kzg|mismatched versioned hash)/,
    what: 'A precompile of the protocol rejected its input: a point, a number or a proof in it is invalid.',
    cause:
      'Coordinates must be below the prime, big-endian, and points on the curve, with their parts in the right order.',
  },
  {
    pattern: /^(precompile failed|one or more of base)/,
    what: 'A precompile of the protocol rejected its input.',
    cause: 'Compare the input with what the precompile expects.',
  },
]
