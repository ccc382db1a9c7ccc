// Written by tools/generate-tables.ts from tools/tables/message-flag.ts; do not edit.

export const MESSAGE_FLAG = {
  /** It creates a contract: there is no recipient. */
  creation: 1,
  /** Nonce, EIP-3607 and the limit of the block are not checked. */
  skipSenderChecks: 2,
  /** No fee is checked or paid. */
  skipFees: 4,
  /** Record frames as they are entered and left. */
  traceCalls: 8,
  /** Record opcodes, in the traced loop. */
  traceSteps: 16,
  /** Revert all effects at the end. */
  discard: 32,
  /** A call by the protocol: no fee, no nonce, no value (EIP-4788, EIP-2935, EIP-7002, EIP-7251). */
  system: 64,
  /** Record the accounts and slots that opcodes look up, before and after. */
  traceState: 128,
  /** With traceSteps: record the whole stack of each. */
  traceStack: 256,
  /** With traceSteps: record writes into memory. */
  traceMemory: 512,
  /** With traceSteps: stop after each. */
  traceEach: 1024,
  /** With traceCalls: record logs too. */
  traceLogs: 2048,
  /** With skipSenderChecks: EIP-7825 still limits execution gas (EIP-8037). */
  capExecution: 4096,
} as const

export const BLOCK_FLAG = {
  /** The base fee goes to the coinbase. */
  keepBaseFee: 1,
} as const
