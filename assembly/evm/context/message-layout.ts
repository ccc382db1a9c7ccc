import { MESSAGE } from '../../layout'

/**
 * The message as the host wrote it. Words are little-endian limbs; addresses and hashes are bytes. The variable parts
 * follow the header, at the addresses in its fields.
 */
export const TYPE: usize = MESSAGE
export const FLAGS: usize = MESSAGE + 4
export const FROM: usize = MESSAGE + 8
/** 20 bytes; meaningless for a creation. */
export const TO: usize = MESSAGE + 32
export const NONCE: usize = MESSAGE + 56
export const GAS: usize = MESSAGE + 64
/** Entries of an address (20 bytes), the number of keys (u32), and keys of 32 big-endian bytes. */
export const ACCESS_AT: usize = MESSAGE + 72
export const ACCESS_COUNT: usize = MESSAGE + 76
/** Rows of AUTHORIZATION_SIZE bytes. */
export const AUTHORIZATIONS_AT: usize = MESSAGE + 80
export const AUTHORIZATION_COUNT: usize = MESSAGE + 84
/** 32 bytes each. */
export const BLOBS_AT: usize = MESSAGE + 88
const BLOB_COUNT: usize = MESSAGE + 92
export const DATA_AT: usize = MESSAGE + 96
export const DATA_SIZE: usize = MESSAGE + 100
export const MAX_FEE: usize = MESSAGE + 128
export const MAX_PRIORITY_FEE: usize = MESSAGE + 160
export const VALUE: usize = MESSAGE + 192
export const MAX_BLOB_FEE: usize = MESSAGE + 224
/** Written by the engine: the price that the sender pays per unit of gas. */
export const GAS_PRICE: usize = MESSAGE + 256
/** Bytes of the fields above. */
export const HEADER_SIZE: usize = 288

/** A row: chain id, nonce, parity as words; r, s, 32 big-endian bytes each; the address; padding 12. */
export const AUTHORIZATION_SIZE: usize = 192
export const AUTHORIZATION_NONCE: usize = 32
export const AUTHORIZATION_PARITY: usize = 64
export const AUTHORIZATION_R: usize = 96
export const AUTHORIZATION_S: usize = 128
export const AUTHORIZATION_ADDRESS: usize = 160

export const ORIGIN: usize = FROM

@inline
export function hasMessageFlag(flag: u32): bool {
  return (load<u32>(FLAGS) & flag) != 0
}

export function blobCount(): u32 {
  return load<u32>(BLOB_COUNT)
}

export function blobHash(index: u32): usize {
  return usize(load<u32>(BLOBS_AT)) + (usize(index) << 5)
}
