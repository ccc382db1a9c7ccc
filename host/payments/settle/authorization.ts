import { bigintToBytes, concatBytes } from '../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { MAX_S } from '../../evm/chain-types/transaction-codec.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

/** keccak256 of `EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)`. */
const DOMAIN_TYPE = parseData('0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f')

/** TRANSFER_WITH_AUTHORIZATION_TYPEHASH of EIP-3009. */
const TRANSFER_TYPE = parseData(
  '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267',
)

const SELECTORS = {
  /** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32) */
  transferByKey: '0xe3ee160e',
  /** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes) */
  transferByContract: '0xcf092995',
  /** authorizationState(address,bytes32) */
  authorizationState: '0xe94a0102',
  /** balanceOf(address) */
  balanceOf: '0x70a08231',
  /** isValidSignature(bytes32,bytes) of ERC-1271; also its return value */
  isValidSignature: '0x1626ba7e',
} as const satisfies Record<string, Hex>

/** Last 32 bytes of an ERC-6492 signature. */
const UNDEPLOYED_MARK = '6492649264926492649264926492649264926492649264926492649264926492'

const WORD_DIGITS = 64
const SIGNATURE_BYTES = 65

const encoder = new TextEncoder()

/** `s` and `v` are in the ranges that tokens accept (EIP-2); `v` is 27 or 28. */
export interface KeySignature {
  readonly v: 27 | 28
  readonly r: Uint8Array
  readonly s: Uint8Array
}

function word(value: bigint): string {
  return value.toString(16).padStart(WORD_DIGITS, '0')
}

/** Left-pads hex of up to 32 bytes, such as an address, to a word. */
function wordOf(hex: Hex): string {
  return hex.slice(2).toLowerCase().padStart(WORD_DIGITS, '0')
}

/** Encodes `bytes` as the last argument: length and padded content. */
function tail(bytes: Hex): string {
  const digits = bytes.slice(2)
  const words = Math.ceil(digits.length / WORD_DIGITS)
  return word(BigInt(digits.length / 2)) + digits.padEnd(words * WORD_DIGITS, '0')
}

/** Returns the EIP-712 digest of a TransferWithAuthorization, which the payer signs. */
export function authorizationDigest(
  proof: AuthorizationProof,
  terms: PaymentTerms,
  recovery: SignatureRecovery,
): Uint8Array {
  const keccak256 = (bytes: Uint8Array) => recovery.keccak256(bytes)
  const hashed = (text: string) => keccak256(encoder.encode(text))
  const domain = keccak256(
    concatBytes([
      DOMAIN_TYPE,
      hashed(terms.token.name),
      hashed(terms.token.version),
      bigintToBytes(terms.chainId, 32),
      parseData(`0x${wordOf(terms.asset)}`),
    ]),
  )
  const message = keccak256(concatBytes([TRANSFER_TYPE, parseData(`0x${authorized(proof)}`)]))
  return keccak256(concatBytes([Uint8Array.of(0x19, 0x01), domain, message]))
}

/** Encodes the six signed members, which are also the first arguments of the call. */
function authorized({ from, to, value, validAfter, validBefore, nonce }: AuthorizationProof) {
  return (
    wordOf(from) + wordOf(to) + word(value) + word(validAfter) + word(validBefore) + wordOf(nonce)
  )
}

/** Returns keccak256 of asset, payer and nonce, the token's key for an authorization: it executes only one per key. */
export function authorizationId(
  { from, nonce }: AuthorizationProof,
  asset: Hex,
  recovery: SignatureRecovery,
): Hex {
  return formatData(recovery.keccak256(concatBytes([asset, from, nonce].map(parseData))))
}

/** Returns whether a signature is from an undeployed wallet (ERC-6492). */
export function isUndeployed(signature: Hex): boolean {
  return signature.toLowerCase().endsWith(UNDEPLOYED_MARK)
}

/** Splits a key signature if tokens would accept it; `v` may also be 0 or 1, as some wallets write it. */
export function keySignature(signature: Hex): KeySignature | undefined {
  const bytes = parseData(signature)
  if (bytes.length !== SIGNATURE_BYTES) return undefined
  const last = bytes[SIGNATURE_BYTES - 1] as number
  const v = last < 27 ? last + 27 : last
  const s = bytes.subarray(32, 64)
  if ((v !== 27 && v !== 28) || BigInt(formatData(s)) > MAX_S) return undefined
  return { v, r: bytes.subarray(0, 32), s }
}

/** Returns calldata that executes an authorization signed by a key. */
export function transferByKey(proof: AuthorizationProof, { v, r, s }: KeySignature): Hex {
  const signature = word(BigInt(v)) + formatData(r).slice(2) + formatData(s).slice(2)
  return `${SELECTORS.transferByKey}${authorized(proof)}${signature}`
}

/** Returns calldata that executes an authorization whose payer is a contract (ERC-1271). */
export function transferByContract(proof: AuthorizationProof): Hex {
  const offset = word(7n * 32n)
  return `${SELECTORS.transferByContract}${authorized(proof)}${offset}${tail(proof.signature)}`
}

/** Returns calldata that asks a contract whether a signature is valid. */
export function isValidSignature(digest: Uint8Array, signature: Hex): Hex {
  return `${SELECTORS.isValidSignature}${formatData(digest).slice(2)}${word(64n)}${tail(signature)}`
}

/** Returns whether the result of `isValidSignature` means valid. */
export function isMagic(answer: Hex): boolean {
  return answer.startsWith(SELECTORS.isValidSignature.padEnd(WORD_DIGITS + 2, '0'))
}

/** Returns calldata that asks whether an authorization was used or cancelled. */
export function authorizationState({ from, nonce }: AuthorizationProof): Hex {
  return `${SELECTORS.authorizationState}${wordOf(from)}${wordOf(nonce)}`
}

/** Returns calldata that asks for an account's token balance. */
export function balanceOf(account: Hex): Hex {
  return `${SELECTORS.balanceOf}${wordOf(account)}`
}

/** Decodes a returned number or boolean; undefined if the call returned no word because the function does not exist. */
export function readResultWord(answer: Hex): bigint | undefined {
  return answer.length === WORD_DIGITS + 2 ? BigInt(answer) : undefined
}
