// Written by tools/generate-tables.ts from tools/tables/limit.ts; do not edit.

/** Bytes of a contract's code, from Spurious Dragon on (EIP-170). */
export const MAX_CODE = 24576
/** Bytes of initcode that a creation may carry, from Shanghai on (EIP-3860). */
export const MAX_INITCODE = 49152
/** Gas of one transaction, from Osaka on (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16777216n
/** An account with this nonce can send no more (EIP-2681). */
export const MAX_NONCE = 18446744073709551615n
/** Most precompiles that a simulation may move, limited by the room in the block. */
export const MAX_MOVED = 32
