// Written by tools/generate-tables.ts from tools/tables/message-flag.ts; do not edit.

/** It creates a contract: there is no recipient. */
export const CREATION: u32 = 1
/** Nonce, EIP-3607 and the limit of the block are not checked. */
export const SKIP_SENDER_CHECKS: u32 = 2
/** No fee is checked or paid. */
export const SKIP_FEES: u32 = 4
/** Record frames as they are entered and left. */
export const TRACE_CALLS: u32 = 8
/** Record opcodes, in the traced loop. */
export const TRACE_STEPS: u32 = 16
/** Revert all effects at the end. */
export const DISCARD: u32 = 32
/** A call by the protocol: no fee, no nonce, no value (EIP-4788, EIP-2935, EIP-7002, EIP-7251). */
export const SYSTEM: u32 = 64
/** Record the accounts and slots that opcodes look up, before and after. */
export const TRACE_STATE: u32 = 128
/** With traceSteps: record the whole stack of each. */
export const TRACE_STACK: u32 = 256
/** With traceSteps: record writes into memory. */
export const TRACE_MEMORY: u32 = 512
/** With traceSteps: stop after each. */
export const TRACE_EACH: u32 = 1024
/** With traceCalls: record logs too. */
export const TRACE_LOGS: u32 = 2048
/** With skipSenderChecks: EIP-7825 still limits execution gas (EIP-8037). */
export const CAP_EXECUTION: u32 = 4096

// Flags of a block
/** The base fee goes to the coinbase. */
export const KEEP_BASE_FEE: u32 = 1
