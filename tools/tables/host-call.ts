/**
 * What the host may do to the state for a precompile that it answers (assembly/evm/frame/host-operation.ts): the
 * number of each is its index. From `writeRow` on they change something, which a static call may not.
 */
export const HOST_OPERATIONS = [
  { name: 'readRow', doc: 'A slot of an account.' },
  { name: 'readAccount', doc: 'Nonce, balance and code hash of an account.' },
  { name: 'writeRow', doc: 'A slot gets a value.' },
  { name: 'log', doc: 'A log of an account.' },
  { name: 'move', doc: 'Wei go from one account to another.' },
  { name: 'burn', doc: 'Wei of an account cease to be.' },
] as const

/** How a call that the host answers ends: the number of each is its index. */
export const HOST_RESULTS = [
  {
    name: 'failed',
    doc: 'All gas is taken; in place of the gas used stands the number of a reason.',
  },
  { name: 'succeeded', doc: 'The gas used is taken.' },
  { name: 'reverted', doc: 'The gas used is taken, and all effects are taken back.' },
  { name: 'outOfGas', doc: 'All gas is taken.' },
] as const
