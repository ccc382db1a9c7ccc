import { z } from 'zod'
import { FIELD_SOURCES, OPERATORS, RULE_METHODS } from './policy-shapes.ts'
import { Base64, ChainType, Id, Name, Time } from './value-shapes.ts'

/** Checks form only. The policy parser rejects the rest, such as an ABI without the function. */
const ConditionBody = z.strictObject({
  field_source: z.enum(FIELD_SOURCES),
  field: z.string().min(1).max(256),
  operator: z.enum(OPERATORS),
  value: z.union([z.string().max(8192), z.array(z.string().max(8192)).max(1000)], {
    error: 'pass a string, or strings for `in`: amounts are decimal or 0x-hex integers of wei',
  }),
  abi: z.array(z.unknown()).max(1000).optional(),
  typed_data: z.unknown().optional(),
  period: z.int().min(1).max(31_536_000).optional().describe('seconds'),
})

const rule = {
  name: Name,
  method: z.enum(RULE_METHODS),
  action: z.enum(['ALLOW', 'DENY']),
  conditions: z.array(ConditionBody).max(100),
}

export const RuleBody = z.strictObject(rule)

/** Accepts the ids of existing rules: to change one rule, a client sends the others back unchanged. */
const RuleOfPolicy = z.strictObject({ ...rule, id: Id.optional() })

const owner = {
  owner: z.strictObject({ public_key: Base64 }).nullable().optional(),
  owner_id: Id.nullable().optional(),
}

export const PolicyCreateBody = z.strictObject({
  version: z.literal('1.0'),
  name: Name,
  chain_type: ChainType,
  rules: z.array(RuleOfPolicy).max(100),
  ...owner,
})

export const PolicyUpdateBody = z.strictObject({
  name: Name.optional(),
  rules: z.array(RuleOfPolicy).max(100).optional(),
  ...owner,
})

export const RuleAnswer = z.object({
  ...rule,
  id: Id,
  conditions: z.array(z.looseObject(ConditionBody.shape)),
})

export const PolicyAnswer = z.object({
  id: Id,
  version: z.literal('1.0'),
  name: z.string(),
  chain_type: ChainType,
  rules: z.array(RuleAnswer),
  owner_id: Id.nullable(),
  created_at: Time,
})

const quorum = {
  display_name: Name.nullable().optional(),
  authorization_threshold: z.int().min(1).max(100).optional(),
  public_keys: z.array(Base64).max(100).optional().describe('P-256, SPKI DER'),
  key_quorum_ids: z.array(Id).max(100).optional(),
  user_ids: z.array(z.string()).max(0, 'there are no users here: pass public_keys').optional(),
}

export const KeyQuorumCreateBody = z.strictObject(quorum)
export const KeyQuorumUpdateBody = z.strictObject(quorum)

export const KeyQuorumAnswer = z.object({
  id: Id,
  display_name: z.string().nullable(),
  authorization_threshold: z.int(),
  authorization_keys: z.array(
    z.object({ public_key: z.string(), display_name: z.string().nullable() }),
  ),
  key_quorum_ids: z.array(Id),
  user_ids: z.array(z.string()).nullable().optional(),
  created_at: Time,
})

export const SuccessAnswer = z.object({ success: z.literal(true) })
