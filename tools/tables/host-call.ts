/**
 * State operations of the host for a precompile that it answers (assembly/evm/frame/host-operation.ts). The number of
 * each is its index. From `writeRow` on they change state, which a static call must not.
 */
export const HOST_OPERATIONS = [
  { name: 'readRow', doc: 'A slot of an account.' },
  { name: 'readAccount', doc: 'Nonce, balance and code hash of an account.' },
  { name: 'writeRow', doc: 'Writes a slot.' },
  { name: 'log', doc: 'A log of an account.' },
  { name: 'move', doc: 'Moves wei from one account to another.' },
  { name: 'burn', doc: 'Burns wei of an account.' },
] as const

/** How a call that the host answers ends. The number of each is its index. */
export const HOST_RESULTS = [
  {
    name: 'failed',
    doc: 'All gas is taken; the field of the gas used holds the number of a reason.',
  },
  { name: 'succeeded', doc: 'The gas used is taken.' },
  { name: 'reverted', doc: 'The gas used is taken, and all effects are reverted.' },
  { name: 'outOfGas', doc: 'All gas is taken.' },
] as const
