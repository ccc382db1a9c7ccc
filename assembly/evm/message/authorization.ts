import { recoverAddress } from '../../curve/secp256k1'
import {
  ACCOUNT_WRITE,
  AUTHORIZATION_REFUND,
  authorizationGas,
  STATE_ACCOUNT,
  STATE_DELEGATION,
} from '../../generated/gas'
import { AMSTERDAM } from '../../generated/revision'
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
  FROM,
  TO,
  VALUE,
} from '../context/message-layout'
import { addRefund } from '../frame/frame'
import { revision } from '../revision'
import { END, NEXT, PAUSE } from '../signal'
import { noteAccess } from '../state/access-list'
import {
  AUTHORIZED,
  DELEGATION_PAID,
  EXISTS,
  hasCode,
  hasFlag,
  isEmpty,
  NONCE,
  requireAccount,
  requireCode,
  setCode,
  setFlags,
  setNonce,
  WRITE_PAID,
  warmAccount,
} from '../state/account'
import { addCode, EMPTY_CODE, isDelegation } from '../state/code'
import { canLookUp, lookUp } from '../state/lookup'
import { payRuntime } from './runtime-gas'

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

/** Charges for what a valid authorization changes, once for each signer (EIP-2780). Returns false if out of gas. */
function payAuthorization(account: usize, isDelegated: bool, delegates: bool): bool {
  let flags = AUTHORIZED
  let write: u64 = 0
  let state: u64 = 0
  const isPrepaid = memory.compare(account, TO, 20) == 0 && !isZero(VALUE)
  if (!hasFlag(account, WRITE_PAID) && !isPrepaid && memory.compare(account, FROM, 20) != 0) {
    write = ACCOUNT_WRITE
    flags |= WRITE_PAID
  }
  if (isEmpty(account)) state += STATE_ACCOUNT
  const isCovered = hasFlag(account, AUTHORIZED) ? hasFlag(account, DELEGATION_PAID) : isDelegated
  if (delegates && !isCovered) state += STATE_DELEGATION
  if (delegates || isCovered) flags |= DELEGATION_PAID
  if (!payRuntime(write, state)) return false
  setFlags(account, flags)
  return true
}

/**
 * Applies the authorization at `index` (EIP-7702), and skips an invalid one. Returns PAUSE, without any change, if
 * the host must answer first, and END if the transaction is out of gas.
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
  noteAccess(account)
  const isDelegated = isDelegation(code)
  if (hasCode(account) && !isDelegated) return NEXT
  if (load<u64>(account, NONCE) != nonce) return NEXT
  const address = entry + AUTHORIZATION_ADDRESS
  const delegates = (load<u64>(address) | load<u64>(address, 8) | u64(load<u32>(address, 16))) != 0
  if (revision >= AMSTERDAM) {
    if (!payAuthorization(account, isDelegated, delegates)) return END
  } else if (hasFlag(account, EXISTS)) {
    addRefund(i64(authorizationGas(revision) - AUTHORIZATION_REFUND))
  }
  if (!delegates) {
    setCode(account, EMPTY_CODE)
  } else {
    store<u32>(DELEGATION, 0x0001ef)
    memory.copy(DELEGATION + 3, address, 20)
    setCode(account, addCode(DELEGATION, 23, true))
  }
  setNonce(account, nonce + 1)
  return NEXT
}
