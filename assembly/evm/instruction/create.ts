import {
  ADDRESS_COLLISION,
  DEPTH_EXCEEDED,
  INITCODE_TOO_LARGE,
  INSUFFICIENT_BALANCE,
  NEW_CONTRACT,
  NONCE_OVERFLOW,
  OUT_OF_GAS,
  WRITE,
} from '../../generated/fault'
import { CREATE2 } from '../../generated/frame-kind'
import { createGas, INITCODE_WORD, KECCAK_WORD, STATE_ACCOUNT } from '../../generated/gas'
import { MAX_DEPTH, maxInitcode } from '../../generated/limit'
import {
  AMSTERDAM,
  BERLIN,
  SHANGHAI,
  SPURIOUS_DRAGON,
  TANGERINE_WHISTLE,
} from '../../generated/revision'
import { keccak256 } from '../../hash/keccak'
import { ENDOWMENT, NEW_ADDRESS, NEW_ADDRESS_HASH, NEW_ADDRESS_PREIMAGE } from '../../layout'
import { isLooking, setStepCost } from '../../trace/trace-buffer'
import { copyAddress } from '../../u256/bytes'
import { copyWord, isLess, isZero, saturate, setWord, writeBytes } from '../../u256/word'
import {
  BUDGET,
  depth,
  IS_STATIC,
  LIMIT_SHIFT,
  pushFrame,
  runInitcode,
  SELF,
  suspend,
  top,
} from '../frame/frame'
import { failWith } from '../machine/ending'
import { clearAhead, expandMemory, expansionGas, rangeAt } from '../machine/memory'
import { exhausted, gas, pc, setGas, setReturnSize, setSp, sp } from '../machine/registers'
import { giveBackState, prepay, takeState } from '../machine/state-gas'
import { revision } from '../revision'
import { NEXT, PAUSE, SWITCH } from '../signal'
import { noteAccess } from '../state/access-list'
import {
  addBalance,
  BALANCE,
  CREATED,
  EXISTS,
  HAS_STORAGE,
  hasCode,
  hasFlag,
  isEmpty,
  NONCE,
  requireAccount,
  setFlags,
  setNonce,
  subtractBalance,
  TOUCHED,
  warmAccount,
} from '../state/account'
import { canLookUp, lookedUp, lookUp } from '../state/lookup'
import { refuse } from './call'
import { logTransfer } from './log'

/** Writes the address that `sender` creates with `nonce`: the end of the hash of their RLP list. */
export function addressByNonce(sender: usize, nonce: u64): void {
  let size: usize = 0
  for (let rest = nonce; rest != 0; rest >>= 8) size++
  const isByte = nonce < 0x80 && nonce != 0
  const nonceSize: usize = isByte ? 1 : 1 + size
  store<u8>(NEW_ADDRESS_PREIMAGE, u8(0xc0 + 21 + nonceSize))
  store<u8>(NEW_ADDRESS_PREIMAGE, 0x94, 1)
  copyAddress(NEW_ADDRESS_PREIMAGE + 2, sender)
  if (isByte) {
    store<u8>(NEW_ADDRESS_PREIMAGE, u8(nonce), 22)
  } else {
    store<u8>(NEW_ADDRESS_PREIMAGE, u8(0x80 + size), 22)
    for (let i: usize = 0; i < size; i++) {
      store<u8>(NEW_ADDRESS_PREIMAGE + 23 + i, u8(nonce >> ((size - 1 - i) << 3)))
    }
  }
  keccak256(NEW_ADDRESS_PREIMAGE, 22 + u32(nonceSize), NEW_ADDRESS_HASH)
  copyAddress(NEW_ADDRESS, NEW_ADDRESS_HASH + 12)
}

/** Writes the address of CREATE2 (EIP-1014). */
function addressBySalt(sender: usize, salt: usize, initcode: usize, size: u32): void {
  store<u8>(NEW_ADDRESS_PREIMAGE, 0xff)
  copyAddress(NEW_ADDRESS_PREIMAGE + 1, sender)
  writeBytes(NEW_ADDRESS_PREIMAGE + 21, salt)
  keccak256(initcode, size, NEW_ADDRESS_PREIMAGE + 53)
  keccak256(NEW_ADDRESS_PREIMAGE, 85, NEW_ADDRESS_HASH)
  copyAddress(NEW_ADDRESS, NEW_ADDRESS_HASH + 12)
}

/** Returns true if a nonce, code or storage blocks the creation (EIP-684, EIP-7610). */
export function collides(account: usize): bool {
  return load<u64>(account, NONCE) != 0 || hasCode(account) || hasFlag(account, HAS_STORAGE)
}

/**
 * Starts the frame of a creation after gas, nonce and `value` are checked. The creator has paid `prepaid` state gas for
 * the account.
 */
export function startCreation(
  kind: u32,
  creator: usize,
  account: usize,
  value: usize,
  given: u64,
  initcode: usize,
  size: u32,
  prepaid: u64,
): void {
  pushFrame(kind, account, creator, account, value, given, initcode, size, 0, 0, false)
  if (prepaid != 0) prepay(top + BUDGET, prepaid)
  setFlags(account, EXISTS | TOUCHED | CREATED)
  // EIP-161
  if (revision >= SPURIOUS_DRAGON) setNonce(account, 1)
  if (!isZero(value)) {
    subtractBalance(creator, value)
    addBalance(account, value)
    logTransfer(creator, account, value)
  }
  runInitcode()
}

/** CREATE and CREATE2; `kind` is a frame kind. */
export function create(kind: u32): i32 {
  const frame = top
  const self: usize = load<u32>(frame, SELF)
  const offset = saturate(sp - 32)
  const size = saturate(sp - 64)
  const result = kind == CREATE2 ? sp - 96 : sp - 64
  if (u64(gas) < createGas(revision)) return failWith(OUT_OF_GAS)
  let cost = expansionGas(offset, size)
  if (load<u32>(frame, IS_STATIC) != 0) return failWith(OUT_OF_GAS, WRITE)
  // EIP-3860
  const limit = maxInitcode(revision)
  if (revision >= SHANGHAI && size > limit) {
    return failWith(INITCODE_TOO_LARGE, (limit << LIMIT_SHIFT) | size)
  }
  if (cost == u64.MAX_VALUE) return failWith(OUT_OF_GAS)
  const words = (size + 31) >> 5
  cost += createGas(revision)
  if (revision >= SHANGHAI) cost += INITCODE_WORD * words
  if (kind == CREATE2) cost += KECCAK_WORD * words
  if (cost > u64(gas)) return failWith(OUT_OF_GAS)
  let available = u64(gas) - cost
  const nonce = load<u64>(self, NONCE)

  let error = 0
  if (depth >= MAX_DEPTH) error = DEPTH_EXCEEDED
  else if (isLess(self + BALANCE, sp)) error = INSUFFICIENT_BALANCE
  else if (nonce == u64.MAX_VALUE) error = NONCE_OVERFLOW

  // Traces show the address of a rejected creation too
  if (kind == CREATE2) {
    if (!clearAhead(offset, size)) return NEXT
    addressBySalt(self, sp - 96, rangeAt(offset, size), u32(size))
  } else {
    addressByNonce(self, nonce)
  }
  let account: usize = 0
  if (error == 0 || isLooking) {
    account = requireAccount(NEW_ADDRESS)
    if (account == 0 || !canLookUp(account)) return PAUSE
  }

  let prepaid: u64 = 0
  if (error == 0) {
    noteAccess(account)
    if (revision >= AMSTERDAM && isEmpty(account)) {
      const left = takeState(frame + BUDGET, i64(available), STATE_ACCOUNT)
      if (left < 0) {
        // As in geth, the opcode fails while it executes, and traces show the address
        lookUp(account)
        return failWith(OUT_OF_GAS, NEW_CONTRACT)
      }
      available = u64(left)
      prepaid = STATE_ACCOUNT
    }
  }
  const given = revision >= TANGERINE_WHISTLE ? available - available / 64 : available

  // As in geth, the gas passed to the creation is taken after the step
  setStepCost(cost)
  if (account != 0) lookUp(account)
  expandMemory(offset, size)
  if (exhausted) return NEXT
  const initcode = rangeAt(offset, size)
  setReturnSize(0)
  if (error != 0 && revision >= AMSTERDAM) {
    // EIP-8037 checks before there is a frame
    setWord(result, 0)
    setSp(result)
    setGas(i64(available))
    return lookedUp()
  }
  if (error != 0) {
    return refuse(
      kind,
      NEW_ADDRESS,
      sp,
      given,
      initcode,
      u32(size),
      error,
      result,
      i64(available),
      0,
    )
  }
  setNonce(self, nonce + 1)
  if (revision >= BERLIN) warmAccount(account)
  if (collides(account)) {
    let gasAfter = i64(available - given)
    if (prepaid != 0) gasAfter = giveBackState(frame + BUDGET, gasAfter, prepaid)
    return refuse(
      kind,
      account,
      sp,
      given,
      initcode,
      u32(size),
      ADDRESS_COLLISION,
      result,
      gasAfter,
      given,
    )
  }
  copyWord(ENDOWMENT, sp)
  suspend(pc + 1, result - 32, i64(available - given))
  startCreation(kind, self, account, ENDOWMENT, given, initcode, u32(size), prepaid)
  return SWITCH
}
