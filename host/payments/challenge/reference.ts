import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Seconds since 1970, big-endian. */
const TIME_BYTES = 6
const RANDOM_BYTES = 16
const MAC_BYTES = 16
const SIGNED_BYTES = TIME_BYTES + RANDOM_BYTES
const REFERENCE = /^[A-Za-z0-9_-]{51}$/

function authenticate(key: Uint8Array, signed: Uint8Array, resource: string): Buffer {
  return createHmac('sha256', key).update(signed).update(resource).digest().subarray(0, MAC_BYTES)
}

/**
 * Returns a reference: the time, 128 random bits and a MAC (HMAC-SHA-256, truncated to 128 bits) over both and the
 * resource. A server recognises its references without storing them. base64url, 51 characters.
 */
export function makeReference(key: Uint8Array, resource: string, now: bigint): string {
  const signed = Buffer.alloc(SIGNED_BYTES)
  signed.writeUIntBE(Number(now), 0, TIME_BYTES)
  randomBytes(RANDOM_BYTES).copy(signed, TIME_BYTES)
  return Buffer.concat([signed, authenticate(key, signed, resource)]).toString('base64url')
}

/** Returns when a reference was made, in seconds since 1970; undefined if the key did not make it for this resource. */
export function openReference(
  key: Uint8Array,
  resource: string,
  reference: string,
): bigint | undefined {
  if (!REFERENCE.test(reference)) return undefined
  const bytes = Buffer.from(reference, 'base64url')
  // Rejects other values of the last character's spare bits: a reference has one spelling.
  if (bytes.toString('base64url') !== reference) return undefined
  const signed = bytes.subarray(0, SIGNED_BYTES)
  const given = bytes.subarray(SIGNED_BYTES)
  if (!timingSafeEqual(given, authenticate(key, signed, resource))) return undefined
  return BigInt(signed.readUIntBE(0, TIME_BYTES))
}
