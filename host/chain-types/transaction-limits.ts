/** Gas of one transaction, from Osaka on (EIP-7825). */
export const MAX_TRANSACTION_GAS = 16_777_216n

/** Bytes of a contract's code, from Spurious Dragon on (EIP-170). */
export const MAX_CODE = 24_576

/** Bytes of init code that a creation may carry, from Shanghai on (EIP-3860). */
export const MAX_INIT_CODE = 49_152

/** An account whose nonce is this sends no more (EIP-2681). */
export const MAX_NONCE: bigint = 2n ** 64n - 1n
