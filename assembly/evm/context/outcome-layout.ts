import { OUTCOME } from '../../layout'

/**
 * The result of the message, which the host reads after DONE. The order is that of host/evm/engine/outcome-reader.ts.
 */
export const REJECTION: usize = OUTCOME
export const ERROR: usize = OUTCOME + 4
export const DETAIL: usize = OUTCOME + 8
export const GAS_USED: usize = OUTCOME + 16
export const GAS_REFUNDED: usize = OUTCOME + 24
export const OUTPUT_SIZE: usize = OUTCOME + 32
export const LOG_COUNT: usize = OUTCOME + 36
export const HAS_ADDRESS: usize = OUTCOME + 40
export const CREATED_ADDRESS: usize = OUTCOME + 44
export const OUTPUT_AT: usize = OUTCOME + 64
export const LOGS_AT: usize = OUTCOME + 68
/** What the message adds to the gas of its block: since EIP-8037 in two dimensions, before it `GAS_USED` and 0. */
export const BLOCK_GAS: usize = OUTCOME + 72
export const STATE_GAS: usize = OUTCOME + 80
export const OUTCOME_SIZE: usize = 88
