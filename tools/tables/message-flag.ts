/** Options of a message. The bit of each is its index. */
export const MESSAGE_FLAGS: readonly { readonly name: string; readonly doc: string }[] = [
  { name: 'creation', doc: 'It creates a contract: there is no recipient.' },
  { name: 'skipSenderChecks', doc: 'Nonce, EIP-3607 and the limit of the block are not checked.' },
  { name: 'skipFees', doc: 'No fee is checked or paid.' },
  { name: 'traceCalls', doc: 'Record frames as they are entered and left.' },
  { name: 'traceSteps', doc: 'Record opcodes, in the traced loop.' },
  { name: 'discard', doc: 'Revert all effects at the end.' },
  {
    name: 'system',
    doc: 'A call by the protocol: no fee, no nonce, no value (EIP-4788, EIP-2935, EIP-7002, EIP-7251).',
  },
  {
    name: 'traceState',
    doc: 'Record the accounts and slots that opcodes look up, before and after.',
  },
  { name: 'traceStack', doc: 'With traceSteps: record the whole stack of each.' },
  { name: 'traceMemory', doc: 'With traceSteps: record writes into memory.' },
  { name: 'traceEach', doc: 'With traceSteps: stop after each.' },
  { name: 'traceLogs', doc: 'With traceCalls: record logs too.' },
  {
    name: 'capExecution',
    doc: 'With skipSenderChecks: EIP-7825 still limits execution gas (EIP-8037).',
  },
]

/** Options of a block. The bit of each is its index. */
export const BLOCK_FLAGS: readonly { readonly name: string; readonly doc: string }[] = [
  { name: 'keepBaseFee', doc: 'The base fee goes to the coinbase.' },
]
