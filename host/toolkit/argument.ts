import { z } from 'zod'
import type { Hex } from '../base/hex.ts'
import { checksummed, isChecksummed } from './checksum.ts'

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const ZERO = /^0x0{40}$/

function hasNoCase(text: string): boolean {
  return text === text.toLowerCase()
}

const anyAddress = z
  .string()
  .regex(ADDRESS, {
    error: 'is not an address: write 0x and 40 hex digits; names are not resolved',
    abort: true,
  })
  .refine((text) => hasNoCase(text) || isChecksummed(text), {
    error:
      'has a wrong checksum (EIP-55): a digit is mistyped; copy the address again from its source',
    abort: true,
  })

/** An address to read: with a correct checksum, or without one. */
export const addressArgument = anyAddress
  .transform(checksummed)
  .describe('address: 0x and 40 hex digits')

/** An address that something is sent to: with its checksum, and not the zero address. */
export const recipientInput = anyAddress
  .refine((text) => !ZERO.test(text), {
    error: 'is the zero address: what is sent there is lost',
    abort: true,
  })
  .refine((text) => !hasNoCase(text) || isChecksummed(text), {
    error: 'has no checksum: copy it in the mixed case of EIP-55 from its source',
    abort: true,
  })
  .transform((text) => text as Hex)
  .describe('address in the mixed case of EIP-55')

export const hashInput = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'is not a hash: write 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .describe('hash of a transaction: 0x and 64 hex digits')

/** Calldata, at most 128 KiB. */
export const dataInput = z
  .string()
  .max(2 + 2 * 131_072, 'is longer than 128 KiB')
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'is not hex data: write 0x and an even number of hex digits')
  .transform((text) => text.toLowerCase() as Hex)
  .describe('data: 0x and hex digits')

/** A decimal amount in whole units, converted with the token's decimals without rounding. */
export const amountInput = z
  .string()
  .max(160)
  .describe('decimal amount in whole units as a string, such as "1.5"; nothing is rounded')

/** An integer of 256 bits, in decimal or 0x-hex. */
export const integerInput = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/, {
    error: 'is not an integer in decimal or 0x-hex',
    abort: true,
  })
  .refine((text) => BigInt(text) < 2n ** 256n, 'does not fit into 256 bits')
  .transform((text) => BigInt(text))
  .describe('integer as a string, in decimal or 0x-hex')

/** Arguments of every action that sends something. */
export const sending = {
  dryRun: z
    .boolean()
    .default(false)
    .describe(
      'true only simulates: nothing is signed or sent, and the result says what would happen',
    ),
  idempotencyKey: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{8,128}$/, 'is not a key of 8 to 128 letters, digits and ._:-')
    .optional()
    .describe('repeating a key returns the first result instead of sending twice'),
}

/** Shapes of outputs. */
export const addressOutput = z.string().regex(ADDRESS)
export const hashOutput = z.string().regex(/^0x[0-9a-f]{64}$/)
export const amountOutput = z.string().regex(/^\d+(\.\d+)?$/)
export const integerOutput = z.string().regex(/^-?\d+$/)
