import { concatBytes } from '../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { abiWord, encodeAbiCall } from '../../evm/chain-types/abi.ts'
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

/** Both overloads begin with the signed members. */
const TRANSFER = 'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32'

/** Return value of ERC-1271 for a valid signature: the selector of its function. */
const VALID_SIGNATURE = '0x1626ba7e'

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
      abiWord(terms.chainId),
      abiWord(BigInt(terms.asset)),
    ]),
  )
  const message = keccak256(concatBytes([TRANSFER_TYPE, ...authorized(proof).map(abiWord)]))
  return keccak256(concatBytes([Uint8Array.of(0x19, 0x01), domain, message]))
}

/** Returns the six signed members, which are also the first arguments of the call. */
function authorized({ from, to, value, validAfter, validBefore, nonce }: AuthorizationProof) {
  return [BigInt(from), BigInt(to), value, validAfter, validBefore, BigInt(nonce)]
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
  const signature = `${TRANSFER},uint8,bytes32,bytes32)`
  return formatData(encodeAbiCall(signature, [...authorized(proof), BigInt(v), r, s]))
}

/** Returns calldata that executes an authorization whose payer is a contract (ERC-1271). */
export function transferByContract(proof: AuthorizationProof): Hex {
  const args = [...authorized(proof), parseData(proof.signature)]
  return formatData(encodeAbiCall(`${TRANSFER},bytes)`, args))
}

/** Returns calldata that asks a contract whether a signature is valid. */
export function isValidSignature(digest: Uint8Array, signature: Hex): Hex {
  return formatData(
    encodeAbiCall('isValidSignature(bytes32,bytes)', [digest, parseData(signature)]),
  )
}

/** Returns whether the result of `isValidSignature` means valid. */
export function isMagic(answer: Hex): boolean {
  return answer.startsWith(VALID_SIGNATURE.padEnd(WORD_DIGITS + 2, '0'))
}

/** Returns calldata that asks whether an authorization was used or cancelled. */
export function authorizationState({
  from,
  nonce,
}: Pick<AuthorizationProof, 'from' | 'nonce'>): Hex {
  const key = [BigInt(from), BigInt(nonce)]
  return formatData(encodeAbiCall('authorizationState(address,bytes32)', key))
}

/** Returns calldata that asks for an account's token balance. */
export function balanceOf(account: Hex): Hex {
  return formatData(encodeAbiCall('balanceOf(address)', [BigInt(account)]))
}

/** Decodes a returned number or boolean; undefined if the call returned no word because the function does not exist. */
export function readResultWord(answer: Hex): bigint | undefined {
  return answer.length === WORD_DIGITS + 2 ? BigInt(answer) : undefined
}
