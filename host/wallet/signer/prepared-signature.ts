import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { formatData, hexDigits, parseData } from '../../base/hex.ts'
import { encodeRlp, rlpInteger } from '../../base/rlp.ts'
import {
  decodeSigned,
  encodeTransaction,
  type UnsignedTransaction,
} from '../../evm/chain-types/transaction-codec.ts'
import type { SigningAction } from '../policy/signing-action.ts'
import type { ParsedWalletRequest } from './authorized-request.ts'
import {
  type Body,
  invalidBody,
  readAddress,
  readBytesMember,
  readCaip2,
  readIntegerMember,
  readObjectMember,
  readOptionalInteger,
  readTextMember,
  requireKnownBodyMembers,
} from './body.ts'
import {
  formatSignature,
  type Recovery,
  signDigest,
  signTransactionWith,
  signTypedDataWith,
} from './key-signer.ts'
import type { FilledTransaction, Signed } from './signer-link.ts'
import type { Command } from './signer-parts.ts'
import type { StoredWallet } from './signer-store.ts'
import {
  fillOpen,
  fillReplacement,
  type OpenFilling,
  readReplacement,
  readTransaction,
} from './transaction-request.ts'
import { readTypedData } from './typed-data-request.ts'

/** A prepared signature: the action to evaluate, and the function that signs it. */
export interface Prepared {
  readonly action: SigningAction
  /** Identifies what can be executed only once: a nonce on a chain, or the signed bytes. */
  readonly slot: string
  /** A transaction in wire format, with a placeholder signature. */
  readonly encoded?: Uint8Array
  /** True if the gas limit comes from a run of the transaction. */
  readonly isGasTried?: boolean
  sign(secret: Uint8Array, wallet: StoredWallet, recovery: Recovery): Signed
}

/** Prefix byte of a signed authorization (EIP-7702). */
const AUTHORIZATION_MAGIC = 0x05

/** @throws WalletError invalid_data */
export function prepare({ read, filled }: Command, stored: StoredWallet): Prepared {
  const { body, id } = read
  if (body.wallet_id !== undefined && body.wallet_id !== id) {
    throw invalidBody('wallet_id is not the wallet of the path')
  }
  if (
    body.address !== undefined &&
    !equalBytes(readAddress(body.address, 'address'), stored.address)
  ) {
    throw invalidBody('address is not that of the wallet')
  }
  if (read.name === 'rawSign') return rawSign(body)
  switch (body.method) {
    case 'eth_sendTransaction':
    case 'eth_signTransaction':
      return {
        ...transaction(body.method, readTransaction(body, stored.address, filled)),
        isGasTried: filled?.gas !== undefined && isGasOpen(body),
      }
    case 'personal_sign':
      return personalSign(paramsOf(body))
    case 'eth_signTypedData_v4':
      return typedData(paramsOf(body))
    case 'secp256k1_sign':
      return ofHash(readBytesMember(paramsOf(body, ['hash']).hash, 'params.hash', 32))
    case 'eth_sign7702Authorization':
      return authorization(body, filled)
    default:
      throw invalidBody(
        `method: ${JSON.stringify(body.method)?.slice(0, 80)} is not supported by the signer`,
      )
  }
}

/** Requires a body whose transaction was validated. */
function isGasOpen({ params }: Body): boolean {
  const { transaction } = params as { readonly transaction: Body }
  return (transaction.gas_limit ?? undefined) === undefined
}

/**
 * Returns values for the fields that a request leaves open; none for requests without a transaction.
 * @param sent the transaction to replace
 * @throws WalletError invalid_data
 */
export function openFilling(
  { name, body }: ParsedWalletRequest,
  known: Partial<FilledTransaction>,
  sent: Uint8Array | undefined,
): OpenFilling {
  if (sent !== undefined) return fillReplacement(decodeSigned(sent, keccak_256), body)
  if (name !== 'walletRpc') return { filled: {}, open: [] }
  if (body.method === 'eth_sendTransaction' || body.method === 'eth_signTransaction') {
    const params = readObjectMember(body.params, 'params')
    return fillOpen(readObjectMember(params.transaction, 'params.transaction'), known)
  }
  const isDelegation = body.method === 'eth_sign7702Authorization'
  return isDelegation ? { filled: { nonce: 0n }, open: ['nonce'] } : { filled: {}, open: [] }
}

/** A chain in such a request is validated, but not signed. */
function paramsOf(body: Body, members?: readonly string[]): Body {
  readCaip2(body.caip2)
  const params = readObjectMember(body.params, 'params')
  if (members !== undefined) requireKnownBodyMembers(params, members, 'params')
  return params
}

/**
 * Prepares a transaction that was sent before with new fees, from the request or filled by the API.
 * @throws WalletError invalid_data if a fee is lower than before
 */
export function prepareReplacement({ read, filled }: Command, encoded: Uint8Array): Prepared {
  const before = decodeSigned(encoded, keccak_256)
  return transaction('eth_sendTransaction', readReplacement(before, read.body, filled))
}

function transaction(
  method: 'eth_sendTransaction' | 'eth_signTransaction',
  asked: UnsignedTransaction,
): Prepared {
  // Policies see what the bytes to sign decode to, and not the request that they were built from.
  const encoded = encodeTransaction(asked, { v: unsignedV(asked), r: 1n, s: 1n })
  const decoded: UnsignedTransaction = decodeSigned(encoded, keccak_256)
  return {
    action: { method, transaction: decoded },
    slot: `eip155:${decoded.chainId}:${decoded.nonce}`,
    encoded,
    sign(secret, { address }, recovery) {
      const { raw, hash } = signTransactionWith(decoded, secret, address, recovery)
      return { kind: 'transaction', raw: formatData(raw), hash: formatData(hash) }
    },
  }
}

function unsignedV({ type, chainId }: UnsignedTransaction): bigint {
  return type === 0 ? (chainId ?? 0n) * 2n + 35n : 0n
}

function personalSign(params: Body): Prepared {
  requireKnownBodyMembers(params, ['message', 'encoding'], 'params')
  const text = readTextMember(params.message, 'params.message', Number.POSITIVE_INFINITY)
  const message = messageBytes(text, params.encoding ?? 'utf-8', 'params')
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`)
  const digest = keccak_256(concatBytes([prefix, message]))
  return signature({ method: 'personal_sign', message }, digest)
}

function messageBytes(text: string, encoding: unknown, name: string): Uint8Array {
  if (encoding === 'utf-8') {
    return Buffer.from(text)
  }
  if (encoding === 'hex') {
    try {
      return parseData(/^0x/i.test(text) ? text : `0x${text}`)
    } catch {
      throw invalidBody(`${name}: the message is not hex`)
    }
  }
  throw invalidBody(`${name}.encoding: give "utf-8" or "hex"`)
}

function typedData(params: Body): Prepared {
  const data = readTypedData(params)
  const digest = createHash('sha256').update(JSON.stringify(data)).digest()
  return {
    action: { method: 'eth_signTypedData_v4', typedData: data },
    slot: `typed:${hexDigits(digest)}`,
    sign: (secret, { wallet }) => ({
      kind: 'signature',
      signature: signTypedDataWith(data, secret, wallet.address),
    }),
  }
}

function rawSign(body: Body): Prepared {
  const params = readObjectMember(body.params, 'params')
  if (params.hash !== undefined) {
    requireKnownBodyMembers(params, ['hash'], 'params')
    return ofHash(readBytesMember(params.hash, 'params.hash', 32))
  }
  requireKnownBodyMembers(params, ['bytes', 'encoding', 'hash_function'], 'params')
  const text = readTextMember(params.bytes, 'params.bytes', Number.POSITIVE_INFINITY)
  const bytes =
    params.encoding === 'base64'
      ? Buffer.from(text, 'base64')
      : messageBytes(text, params.encoding, 'params')
  switch (params.hash_function) {
    case 'keccak256':
      return ofHash(keccak_256(bytes))
    case 'sha256':
      return ofHash(createHash('sha256').update(bytes).digest())
    default:
      throw invalidBody('params.hash_function: give "keccak256" or "sha256"')
  }
}

function ofHash(hash: Uint8Array): Prepared {
  return signature({ method: 'secp256k1_sign', hash }, hash)
}

function signature(action: SigningAction, digest: Uint8Array): Prepared {
  return {
    action,
    slot: `digest:${hexDigits(digest)}`,
    sign: (secret, { address }, recovery) => ({
      kind: 'signature',
      signature: formatSignature(signDigest(digest, secret, address, recovery)),
    }),
  }
}

function authorization(body: Body, filled: Partial<FilledTransaction> | undefined): Prepared {
  const params = paramsOf(body, ['contract', 'chain_id', 'nonce', 'executor'])
  const contract = readAddress(params.contract, 'params.contract')
  const chainId = readIntegerMember(params.chain_id, 'params.chain_id')
  const caip2 = readCaip2(body.caip2)
  if (caip2 !== undefined && caip2 !== chainId) {
    throw invalidBody(`chain_id is ${chainId}, but caip2 is eip155:${caip2}: give the same chain`)
  }
  if (params.executor !== undefined && params.executor !== 'self') {
    throw invalidBody('params.executor: give "self", or leave it out')
  }
  const asked = readOptionalInteger(params.nonce, 'params.nonce', 64)
  const nonce = asked ?? filled?.nonce
  if (nonce === undefined) throw invalidBody('params.nonce is open and was not filled')
  if (filled?.nonce !== undefined && asked !== undefined && filled.nonce !== asked) {
    throw invalidBody(`nonce is ${asked} in the request, but was filled with ${filled.nonce}`)
  }
  const payload = encodeRlp([rlpInteger(chainId), contract, rlpInteger(nonce)])
  const digest = keccak_256(concatBytes([Uint8Array.of(AUTHORIZATION_MAGIC), payload]))
  return {
    action: { method: 'eth_sign7702Authorization', chainId, contract, nonce },
    slot: `authorization:${chainId}:${nonce}`,
    sign(secret, { address }, recovery) {
      const { r, s, yParity } = signDigest(digest, secret, address, recovery)
      return {
        kind: 'authorization',
        chainId,
        contract: formatData(contract),
        nonce,
        r: formatData(r),
        s: formatData(s),
        yParity,
      }
    },
  }
}
