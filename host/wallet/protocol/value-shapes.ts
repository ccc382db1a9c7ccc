import { z } from 'zod'
import type { Hex } from '../../base/hex.ts'
import { nameProblem } from '../../base/plain-name.ts'

/** Ids of wallets, policies, rules, quorums, transactions and webhooks. */
export const ID_PATTERN: RegExp = /^[A-Za-z0-9_-]{1,64}$/

export const Id: z.ZodString = z.string().regex(ID_PATTERN, 'is no id')

function hexString(pattern: RegExp, rule: string): z.ZodType<Hex> {
  return z.string().regex(pattern, rule) as unknown as z.ZodType<Hex>
}

export const Address: z.ZodType<Hex> = hexString(
  /^0x[0-9a-fA-F]{40}$/,
  'pass an address: 0x and 40 hex digits',
)
export const Hash: z.ZodType<Hex> = hexString(
  /^0x[0-9a-fA-F]{64}$/,
  'pass 32 bytes: 0x and 64 hex digits',
)
export const Data: z.ZodType<Hex> = hexString(
  /^0x(?:[0-9a-fA-F]{2})*$/,
  'pass bytes: 0x and an even number of hex digits',
)

const QUANTITY_RULE =
  'pass a hex string, such as 0x2386f26fc10000 (an integer up to 9007199254740991 may be a number)'

/** Up to 32 bytes: 0x-hex, leading zeros allowed, or a safe integer. */
export const QuantityShape: z.ZodType<Hex | number> = z.union(
  [
    hexString(/^0x(?:0{0,64}[0-9a-fA-F]{1,64})$/, QUANTITY_RULE),
    z.int(QUANTITY_RULE).min(0, QUANTITY_RULE).max(Number.MAX_SAFE_INTEGER, QUANTITY_RULE),
  ],
  { error: QUANTITY_RULE },
)

/** One half of a signature: up to 32 bytes, with or without leading zeros. */
export const SignatureScalar: z.ZodType<Hex> = hexString(
  /^0x[0-9a-fA-F]{1,64}$/,
  'pass up to 32 bytes: 0x and 1 to 64 hex digits',
)

export const Caip2: z.ZodString = z
  .string()
  .regex(/^eip155:[1-9][0-9]{0,19}$/, 'pass a CAIP-2 identifier, such as eip155:1329')

/** Base64 with or without padding. */
export const Base64: z.ZodString = z
  .string()
  .max(8192)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'pass base64')

/** Query parameter of routes that read wallets: archived ones are found only with it. */
export const IncludeArchived: z.ZodOptional<z.ZodBoolean> = z
  .boolean()
  .optional()
  .describe('finds archived wallets too')

/** Milliseconds since 1970. */
export const Time: z.ZodInt = z.int()

/** Text for people, without invisible characters. */
export const Name: z.ZodString = z
  .string()
  .min(1)
  .max(256)
  .refine((name) => nameProblem(name) === undefined, {
    error: ({ input }) => nameProblem(String(input)),
  })

export const ChainType: z.ZodLiteral<'ethereum'> = z.literal('ethereum')
