import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { decodeRlp, encodeRlp, type RlpItem, readRlpInteger, rlpInteger } from '../../base/rlp.ts'
import { decodeSigned } from '../../evm/chain-types/transaction-codec.ts'
import type { SigningAction } from '../../wallet/policy/signing-action.ts'
import { WalletError } from '../../wallet/protocol/wallet-error.ts'
import {
  type Body,
  invalidBody,
  readAddress,
  readBytesMember,
  readIntegerMember,
  readObjectMember,
  readTextMember,
} from '../../wallet/signer/body.ts'
import { readTransaction } from '../../wallet/signer/transaction-request.ts'
import { readTypedData } from '../../wallet/signer/typed-data-request.ts'

/** Number of elements of an unsigned transaction, by type. */
const UNSIGNED_ELEMENTS: readonly number[] = [6, 8, 9, 11, 10]

/** Placeholder r and s that every decoder accepts: the evaluation does not depend on them. */
const SOME_SIGNATURE: readonly RlpItem[] = [Uint8Array.of(1), Uint8Array.of(1)]

/**
 * Returns the signing action of a raw transaction, signed or unsigned.
 * @throws INVALID_RLP, TRANSACTION_REJECTED
 */
export function readRawTransaction(raw: Uint8Array): SigningAction {
  return { method: 'eth_sendTransaction', transaction: decodeSigned(signedForm(raw), keccak_256) }
}

function signedForm(raw: Uint8Array): Uint8Array {
  const [first = 0xff] = raw
  const typed = first <= 0x7f
  const items = decodeRlp(typed ? raw.subarray(1) : raw)
  if (items instanceof Uint8Array) return raw
  const type = typed ? first : 0
  const prefix = typed ? raw.subarray(0, 1) : EMPTY_BYTES
  if (items.length === UNSIGNED_ELEMENTS[type]) {
    // A legacy transaction of six elements has no chain id: its v is 27.
    const v = rlpInteger(typed ? 0 : 27)
    return concatBytes([prefix, encodeRlp([...items, v, ...SOME_SIGNATURE])])
  }
  const [chainId, r, s] = items.slice(6)
  const isUnsigned = [r, s].every((item) => item instanceof Uint8Array && item.length === 0)
  if (typed || items.length !== 9 || !isUnsigned) return raw
  // EIP-155: an unsigned transaction has the chain id in place of v, and v is twice the chain id plus 35.
  const v = rlpInteger(readRlpInteger(chainId, 256) * 2n + 35n)
  return encodeRlp([...items.slice(0, 6), v, ...SOME_SIGNATURE])
}

/**
 * Reads the body of a signing request: `{method, caip2, params}`. Transaction members left out are 0; the service
 * would fill them.
 * @param wallet 20 bytes
 * @throws INVALID_ARGUMENT with the message of the API
 */
export function readAction(given: unknown, wallet: Uint8Array): SigningAction {
  try {
    return actionOf(readObjectMember(given, 'the action'), wallet)
  } catch (thrown) {
    if (!(thrown instanceof WalletError)) throw thrown
    throw new LockstepError('INVALID_ARGUMENT', thrown.message, {
      hint: 'write the body of a signing request, as {"method": "personal_sign", "params": {"message": "hello"}}',
    })
  }
}

function actionOf(body: Body, wallet: Uint8Array): SigningAction {
  const { method } = body
  const params = body.params === undefined ? {} : readObjectMember(body.params, 'params')
  switch (method) {
    case 'eth_sendTransaction':
    case 'eth_signTransaction': {
      const asked = readObjectMember(params.transaction, 'params.transaction')
      const open = {
        nonce: 0,
        gas_limit: 0,
        ...(asked.gas_price === undefined && { max_fee_per_gas: 0, max_priority_fee_per_gas: 0 }),
      }
      const filled = { ...body, params: { ...params, transaction: { ...open, ...asked } } }
      return { method, transaction: readTransaction(filled, wallet, undefined) }
    }
    case 'personal_sign': {
      const text = readTextMember(params.message, 'params.message', Number.POSITIVE_INFINITY)
      const isHex = params.encoding === 'hex'
      const message = isHex
        ? readBytesMember(/^0x/i.test(text) ? text : `0x${text}`, 'params.message')
        : new TextEncoder().encode(text)
      return { method, message }
    }
    case 'eth_signTypedData_v4':
      return { method, typedData: readTypedData(params) }
    case 'secp256k1_sign':
      return { method, hash: readBytesMember(params.hash, 'params.hash', 32) }
    case 'eth_sign7702Authorization':
      return {
        method,
        contract: readAddress(params.contract, 'params.contract'),
        chainId: readIntegerMember(params.chain_id, 'params.chain_id'),
        nonce: readIntegerMember(params.nonce ?? 0, 'params.nonce'),
      }
    case 'exportPrivateKey':
      return { method }
    default:
      throw invalidBody(`method: no rule applies to ${JSON.stringify(method)?.slice(0, 80)}`)
  }
}
