import { bigintToBytes, concatBytes } from '../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../base/hex.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'

/** What the payer of a transfer signs for binding `signed`. */
export interface SignedPaidRequest {
  readonly chainId: bigint
  /** Upper case. */
  readonly method: string
  /** Path with query of the URL, as requested. */
  readonly resource: string
  /** `extra.reference` of the challenge. */
  readonly reference: string
  readonly txHash: Hex
}

const NAME = 'Lockstep payment'
const VERSION = '1'

const TYPES = {
  PaidRequest: [
    { name: 'method', type: 'string' },
    { name: 'resource', type: 'string' },
    { name: 'reference', type: 'string' },
    { name: 'txHash', type: 'bytes32' },
  ],
} as const

const encoder = new TextEncoder()
const WORD = 32

/** Returns the signed parts of a request: method, and path with query. */
export function signedRequest(
  method: string,
  url: URL,
): Pick<SignedPaidRequest, 'method' | 'resource'> {
  return { method: method.toUpperCase(), resource: `${url.pathname}${url.search}` }
}

/** Returns the request as EIP-712 typed data for `eth_signTypedData_v4`. */
export function paidRequestTypedData(request: SignedPaidRequest) {
  const { chainId, method, resource, reference, txHash } = request
  return {
    domain: { name: NAME, version: VERSION, chainId },
    types: TYPES,
    primaryType: 'PaidRequest',
    message: { method, resource, reference, txHash },
  } as const
}

/** Returns the EIP-712 digest to sign, 32 bytes. */
export function paidRequestDigest(request: SignedPaidRequest, keccak256: Keccak256): Uint8Array {
  const hashed = (text: string) => keccak256(encoder.encode(text))
  const domain = keccak256(
    concatBytes([
      hashed('EIP712Domain(string name,string version,uint256 chainId)'),
      hashed(NAME),
      hashed(VERSION),
      bigintToBytes(request.chainId, WORD),
    ]),
  )
  const members = TYPES.PaidRequest.map(({ name, type }) => `${type} ${name}`).join(',')
  const message = keccak256(
    concatBytes([
      hashed(`PaidRequest(${members})`),
      hashed(request.method),
      hashed(request.resource),
      hashed(request.reference),
      parseData(request.txHash),
    ]),
  )
  return keccak256(concatBytes([Uint8Array.of(0x19, 0x01), domain, message]))
}

/**
 * Returns the commitment that a transfer appends to its calldata for binding `reference`. Chain observers cannot
 * derive the reference from it.
 * @returns keccak256 of the reference, 32 bytes
 */
export function referenceCommitment(reference: string, keccak256: Keccak256): Hex {
  return formatData(keccak256(encoder.encode(reference)))
}
