import { z } from 'zod'
import { Caip2, Hash, Id, IncludeArchived, Name, QuantityShape, Time } from './value-shapes.ts'

export const TRANSACTION_STATUSES = [
  'pending',
  'broadcasted',
  'confirmed',
  'finalized',
  'execution_reverted',
  'replaced',
  'failed',
  'provider_error',
] as const

export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

const transaction = {
  wallet_id: Id,
  caip2: z.string(),
  transaction_hash: Hash.nullable(),
  status: z.enum(TRANSACTION_STATUSES),
  created_at: Time,
}

export const TransactionAnswer = z.object({
  ...transaction,
  id: Id,
  reference_id: z.string().nullable(),
})

export const TransactionListAnswer = z.object({
  transactions: z.array(TransactionAnswer),
  next_cursor: z.string().nullable(),
})

export const TransactionListQuery = z.strictObject({
  cursor: z.string().max(256).optional(),
  limit: z.int().min(1).max(100).optional(),
  chain: Caip2.optional(),
  tx_hash: Hash.optional(),
  include_archived: IncludeArchived,
})

/** Omitted fees are raised to what the chain requires of a replacement. */
export const TransactionReplaceBody = z.strictObject({
  max_fee_per_gas: QuantityShape.optional(),
  max_priority_fee_per_gas: QuantityShape.optional(),
  gas_price: QuantityShape.optional(),
})

export const BalanceQuery = z.strictObject({
  chain: Caip2.optional().describe('the chain of the asset; all configured chains if absent'),
  asset: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('the native token by its name, or usdc; the native token if absent'),
  token: z
    .string()
    .max(128)
    .optional()
    .describe('an ERC-20 token as <chain>:<address>, in place of asset and chain'),
  include_archived: IncludeArchived,
})

export const BalanceAnswer = z.object({
  balances: z.array(
    z.object({
      chain: z.string(),
      caip2: Caip2,
      asset: z.string(),
      raw_value: z.string().regex(/^[0-9]+$/),
      raw_value_decimals: z.int(),
      display_values: z.record(z.string(), z.string()),
    }),
  ),
})

const Url = z.url({ protocol: /^https?$/, error: 'pass an http or https URL' }).max(2048)
const Events = z.array(Name).max(100).nullable().optional()

export const WebhookCreateBody = z.strictObject({
  url: Url,
  events: Events.describe('event types; all if absent or null'),
})

export const WebhookUpdateBody = z.strictObject({ url: Url.optional(), events: Events })

export const WebhookAnswer = z.object({
  id: Id,
  url: z.string(),
  events: z.array(z.string()).nullable(),
  created_at: Time,
})

/** The secret is returned only when the webhook is created. */
export const WebhookCreateAnswer = z.object({
  ...WebhookAnswer.shape,
  secret: z.string().regex(/^whsec_/),
})
