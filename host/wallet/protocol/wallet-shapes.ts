import { z } from 'zod'
import {
  Address,
  Base64,
  ChainType,
  Data,
  Id,
  IncludeArchived,
  Name,
  Time,
} from './value-shapes.ts'

const PolicyIds = z.array(Id).max(100)

const Owner = z.strictObject({ public_key: Base64 })

const AdditionalSigners = z
  .array(z.strictObject({ signer_id: Id, override_policy_ids: PolicyIds.optional() }))
  .max(100)

/** Owner, signers and policies of a wallet to create. */
const control = {
  policy_ids: PolicyIds.optional(),
  owner: Owner.nullable().optional().describe('a P-256 key that decides alone'),
  owner_id: Id.nullable().optional().describe('a key quorum'),
  additional_signers: AdditionalSigners.optional(),
  display_name: Name.max(100).nullable().optional(),
  external_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'pass up to 64 letters, digits, - and _')
    .nullable()
    .optional(),
}

const newWallet = {
  chain_type: ChainType,
  ...control,
  authorization_key_ids: z
    .array(z.string().max(256))
    .max(100)
    .optional()
    .describe('ids of registered authorization keys that own the wallet together'),
  authorization_threshold: z.int().min(1).max(100).optional(),
}

export const WalletCreateBody = z.strictObject(newWallet)

export const WalletBatchBody = z.strictObject({
  wallets: z.array(WalletCreateBody).min(1).max(100),
})

export const WalletUpdateBody = z.strictObject(control)

export const WalletAddressBody = z.strictObject({ address: Address })

export const WalletImportInitBody = z.strictObject({
  address: Address,
  chain_type: ChainType,
  entropy_type: z.literal('private-key'),
  encryption_type: z.literal('HPKE'),
})

export const WalletImportSubmitBody = z.strictObject({
  wallet: z.strictObject({
    ...WalletImportInitBody.shape,
    encapsulated_key: Base64,
    ciphertext: Base64,
    import_id: Id.optional(),
  }),
  ...control,
})

export const WalletExportBody = z.strictObject({
  encryption_type: z.literal('HPKE'),
  recipient_public_key: Base64.describe('P-256, SPKI DER'),
  export_seed_phrase: z.literal(false).optional(),
  export_type: z.enum(['display', 'client']).optional(),
})

export const WalletAnswer = z.object({
  id: Id,
  address: Address,
  public_key: Data,
  chain_type: ChainType,
  policy_ids: z.array(Id),
  owner_id: Id.nullable(),
  additional_signers: z.array(
    z.object({ signer_id: Id, override_policy_ids: z.array(Id).optional() }),
  ),
  display_name: z.string().nullable(),
  external_id: z.string().nullable(),
  created_at: Time,
  exported_at: Time.nullable(),
  imported_at: Time.nullable(),
  archived_at: Time.nullable(),
})

export const WalletBatchAnswer = z.object({
  results: z.array(
    z.union([
      z.object({ index: z.int(), success: z.literal(true), wallet: WalletAnswer }),
      z.object({
        index: z.int(),
        success: z.literal(false),
        error: z.string(),
        code: z.string(),
      }),
    ]),
  ),
})

export const WalletImportInitAnswer = z.object({
  encryption_type: z.literal('HPKE'),
  encryption_public_key: Base64.describe('the point as 65 bytes'),
  import_id: Id.optional(),
})

export const WalletExportAnswer = z.object({
  encryption_type: z.literal('HPKE'),
  encapsulated_key: Base64,
  ciphertext: Base64,
})

/** Query parameters of lists. */
const page = {
  cursor: z.string().max(256).optional(),
  limit: z.int().min(1).max(100).optional(),
}

export const PageQuery = z.strictObject(page)

export const WalletListQuery = z.strictObject({
  ...page,
  chain_type: ChainType.optional(),
  address: Address.optional(),
  external_id: z.string().max(64).optional(),
  include_archived: IncludeArchived,
})

export const WalletQuery = z.strictObject({ include_archived: IncludeArchived })

/** A page of a list. `next_cursor` is null on the last page. */
export function pageShape<T extends z.ZodType>(
  item: T,
): z.ZodObject<{ data: z.ZodArray<T>; next_cursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() })
}
