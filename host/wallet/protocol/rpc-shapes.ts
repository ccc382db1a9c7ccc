import { z } from 'zod'
import {
  Address,
  Caip2,
  ChainType,
  Data,
  Hash,
  Id,
  Name,
  QuantityShape,
  SignatureScalar,
} from './value-shapes.ts'

/** An EIP-7702 authorization as part of a transaction. */
const Authorization7702 = z.strictObject({
  chain_id: QuantityShape,
  contract: Address,
  nonce: QuantityShape,
  r: SignatureScalar,
  s: SignatureScalar,
  y_parity: z.union([z.literal(0), z.literal(1)]),
})

export const RpcTransactionBody = z.strictObject({
  to: Address.optional(),
  from: Address.optional(),
  value: QuantityShape.optional(),
  data: Data.optional(),
  chain_id: QuantityShape.optional(),
  nonce: QuantityShape.optional(),
  gas_limit: QuantityShape.optional(),
  gas_price: QuantityShape.optional(),
  max_fee_per_gas: QuantityShape.optional(),
  max_priority_fee_per_gas: QuantityShape.optional(),
  type: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(4)]).optional(),
  access_list: z
    .array(z.strictObject({ address: Address, storage_keys: z.array(Hash) }))
    .max(1000)
    .optional(),
  authorization_list: z.array(Authorization7702).max(100).optional(),
})

/** Members that any method accepts besides its parameters. They must agree with the path and the wallet. */
const beside = {
  chain_type: ChainType.optional(),
  wallet_id: Id.optional(),
  address: Address.optional(),
  caip2: Caip2.optional(),
}

const TypedDataBody = z.strictObject({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() }))),
  primary_type: z.string(),
  message: z.record(z.string(), z.unknown()),
})

export const RpcBody = z.discriminatedUnion(
  'method',
  [
    z.strictObject({
      ...beside,
      method: z.literal('eth_sendTransaction'),
      caip2: Caip2,
      params: z.strictObject({ transaction: RpcTransactionBody }),
      sponsor: z.literal(false, 'the wallet pays for its own gas').optional(),
      reference_id: Name.max(64).optional(),
    }),
    z.strictObject({
      ...beside,
      method: z.literal('eth_signTransaction'),
      params: z.strictObject({ transaction: RpcTransactionBody }),
    }),
    z.strictObject({
      ...beside,
      method: z.literal('personal_sign'),
      params: z.strictObject({
        message: z.string(),
        encoding: z.enum(['utf-8', 'hex']).optional(),
      }),
    }),
    z.strictObject({
      ...beside,
      method: z.literal('eth_signTypedData_v4'),
      params: z.strictObject({ typed_data: TypedDataBody }),
    }),
    z.strictObject({
      ...beside,
      method: z.literal('secp256k1_sign'),
      params: z.strictObject({ hash: Hash }),
    }),
    z.strictObject({
      ...beside,
      method: z.literal('eth_sign7702Authorization'),
      params: z.strictObject({
        contract: Address,
        chain_id: QuantityShape,
        nonce: QuantityShape.optional(),
        executor: z.literal('self').optional(),
      }),
    }),
  ],
  { error: 'pass a method that the API supports' },
)

export type RpcBody = z.infer<typeof RpcBody>
export type RpcMethod = RpcBody['method']

export const RawSignBody = z.strictObject({
  ...beside,
  params: z.union([
    z.strictObject({ hash: Hash }),
    z.strictObject({
      bytes: z.string(),
      encoding: z.enum(['utf-8', 'hex', 'base64']),
      hash_function: z.enum(['keccak256', 'sha256']),
    }),
  ]),
})

const Signature = z.object({ signature: Data, encoding: z.literal('hex') })

export const RpcAnswer = z.union([
  z.object({
    method: z.literal('eth_sendTransaction'),
    hash: Hash,
    data: z.object({
      hash: Hash,
      caip2: Caip2,
      transaction_id: Id,
      reference_id: z.string().nullable().optional(),
    }),
  }),
  z.object({
    method: z.literal('eth_signTransaction'),
    data: z.object({ signed_transaction: Data, encoding: z.literal('rlp') }),
  }),
  z.object({
    method: z.enum(['personal_sign', 'eth_signTypedData_v4', 'secp256k1_sign']),
    data: Signature,
  }),
  z.object({
    method: z.literal('eth_sign7702Authorization'),
    data: z.object({
      authorization: z.object({
        chain_id: QuantityShape,
        contract: Address,
        nonce: QuantityShape,
        r: Data,
        s: Data,
        y_parity: z.union([z.literal(0), z.literal(1)]),
      }),
    }),
  }),
])

export const RawSignAnswer = z.object({ method: z.literal('raw_sign'), data: Signature })
