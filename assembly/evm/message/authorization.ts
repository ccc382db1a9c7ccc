import { recoverAddress } from '../../curve/secp256k1'
import { AUTHORIZATION_NEW, AUTHORIZATION_REFUND } from '../../generated/gas'
import { keccak256 } from '../../hash/keccak'
import {
  AUTHORITY,
  AUTHORIZATION_DIGEST,
  AUTHORIZATION_PREIMAGE,
  AUTHORIZATION_WORD,
  DELEGATION,
} from '../../layout'
import { equalWords, fitsLimb, isLess, isZero, readBytes, writeBytes } from '../../u256/word'
import { CHAIN_ID } from '../context/block'
import {
  AUTHORIZATION_ADDRESS,
  AUTHORIZATION_NONCE,
  AUTHORIZATION_PARITY,
  AUTHORIZATION_R,
  AUTHORIZATION_S,
  AUTHORIZATION_SIZE,
  AUTHORIZATIONS_AT,
} from '../context/message-layout'
import { addRefund } from '../frame/frame'
import { NEXT, PAUSE } from '../signal'
import {
  EXISTS,
  hasCode,
  hasFlag,
  NONCE,
  requireAccount,
  requireCode,
  setCode,
  setNonce,
  warmAccount,
} from '../state/account'
import { addCode, EMPTY_CODE, isDelegation } from '../state/code'
import { canLookUp, lookUp } from '../state/lookup'

/** Domain of the signed message (EIP-7702). */
const MAGIC: u8 = 0x05

/** Half the order of secp256k1, little-endian limbs: a larger s is malleable (EIP-2). */
const HALF_ORDER: usize = memory.data<u64>([
  0xdfe92f46681b20a0, 0x5d576e7357a4501d, 0xffffffffffffffff, 0x7fffffffffffffff,
])

/** Appends the RLP of an integer; returns the new end. */
function appendInteger(at: usize, word: usize): usize {
  writeBytes(AUTHORIZATION_WORD, word)
  let first: usize = 0
  while (first < 32 && load<u8>(AUTHORIZATION_WORD + first) == 0) first++
  const size: usize = 32 - first
  if (size != 1 || load<u8>(AUTHORIZATION_WORD + first) >= 0x80) {
    store<u8>(at, u8(0x80 + size))
    at++
  }
  memory.copy(at, AUTHORIZATION_WORD + first, size)
  return at + size
}

/** keccak256(0x05 || rlp([chain id, address, nonce])). */
function hashAuthorization(entry: usize): void {
  const payload = AUTHORIZATION_PREIMAGE + 2
  let end = appendInteger(payload, entry)
  store<u8>(end, 0x94)
  memory.copy(end + 1, entry + AUTHORIZATION_ADDRESS, 20)
  end = appendInteger(end + 21, entry + AUTHORIZATION_NONCE)
  const size = end - payload
  store<u8>(AUTHORIZATION_PREIMAGE, MAGIC)
  if (size < 56) {
    store<u8>(AUTHORIZATION_PREIMAGE, u8(0xc0 + size), 1)
    keccak256(AUTHORIZATION_PREIMAGE, u32(end - AUTHORIZATION_PREIMAGE), AUTHORIZATION_DIGEST)
    return
  }
  memory.copy(payload + 1, payload, size)
  store<u8>(AUTHORIZATION_PREIMAGE, 0xf8, 1)
  store<u8>(AUTHORIZATION_PREIMAGE, u8(size), 2)
  keccak256(AUTHORIZATION_PREIMAGE, u32(end - AUTHORIZATION_PREIMAGE) + 1, AUTHORIZATION_DIGEST)
}

/** Recovers the signer of an authorization into AUTHORITY, even if the authorization is invalid otherwise. */
function recoverAuthority(entry: usize): bool {
  const parity = load<u64>(entry, AUTHORIZATION_PARITY)
  if (!fitsLimb(entry + AUTHORIZATION_PARITY) || parity > 1) return false
  readBytes(AUTHORIZATION_WORD, entry + AUTHORIZATION_S)
  if (isLess(HALF_ORDER, AUTHORIZATION_WORD)) return false
  hashAuthorization(entry)
  const r = entry + AUTHORIZATION_R
  const s = entry + AUTHORIZATION_S
  return recoverAddress(AUTHORIZATION_DIGEST, u32(parity), r, s, AUTHORITY)
}

@inline
function entryAt(index: u32): usize {
  return usize(load<u32>(AUTHORIZATIONS_AT)) + usize(index) * AUTHORIZATION_SIZE
}

/**
 * Records the authority of the authorization at `index`, valid or not, for traces. Returns PAUSE if it must be called
 * again.
 */
export function lookUpAuthority(index: u32): i32 {
  if (!recoverAuthority(entryAt(index))) return NEXT
  const account = requireAccount(AUTHORITY)
  if (account == 0 || !canLookUp(account)) return PAUSE
  lookUp(account)
  return NEXT
}

/**
 * Applies the authorization at `index` (EIP-7702), and skips an invalid one. Returns PAUSE, without any change, if
 * the host must answer first.
 */
export function authorize(index: u32): i32 {
  const entry = entryAt(index)
  const nonce = load<u64>(entry, AUTHORIZATION_NONCE)
  if (!isZero(entry) && !equalWords(entry, CHAIN_ID)) return NEXT
  if (!fitsLimb(entry + AUTHORIZATION_NONCE) || nonce == u64.MAX_VALUE) return NEXT
  if (!recoverAuthority(entry)) return NEXT

  const account = requireAccount(AUTHORITY)
  if (account == 0) return PAUSE
  const code = requireCode(account)
  if (code == 0) return PAUSE
  warmAccount(account)
  if (hasCode(account) && !isDelegation(code)) return NEXT
  if (load<u64>(account, NONCE) != nonce) return NEXT
  if (hasFlag(account, EXISTS)) addRefund(i64(AUTHORIZATION_NEW - AUTHORIZATION_REFUND))
  const address = entry + AUTHORIZATION_ADDRESS
  if ((load<u64>(address) | load<u64>(address, 8) | u64(load<u32>(address, 16))) == 0) {
    setCode(account, EMPTY_CODE)
  } else {
    store<u32>(DELEGATION, 0x0001ef)
    memory.copy(DELEGATION + 3, address, 20)
    setCode(account, addCode(DELEGATION, 23, true))
  }
  setNonce(account, nonce + 1)
  return NEXT
}
