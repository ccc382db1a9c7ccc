import { decompress, recover } from '../curve/secp256k1'
import { keccak256 } from '../hash/keccak'
import { ripemd160 } from '../hash/ripemd160'
import { sha256 } from '../hash/sha256'
import { copyBytes } from '../u256/bytes'
import { isZero } from '../u256/word'
import {
  addressArgument,
  bytesArgument,
  foundSize,
  patchNumber,
  putAddress,
  putBytes,
  putNumber,
  returnBytes,
} from './abi'
import { associate, findEvm, findOther } from './association'
import { BECH32, decodeBech32, encodeBech32 } from './bech32'
import { charge, isRunning } from './call'
import { denominationCount, moveHeld, readHeld, wantHeld } from './denomination'
import {
  ADDR_ASSOCIATE,
  ADDR_ASSOCIATE_PUB_KEY,
  ADDR_GET_EVM_ADDR,
  ADDR_GET_SEI_ADDR,
} from './generated/function'
import { KEY_HASH, RECOVERY } from './generated/gas'
import { BECH32_PREFIX } from './generated/native'
import { moveWei, readBalance } from './state'
import { addBytes, addHex, addText, beginText, fail, outputSize, revertWithText } from './text'

/** Longest text repeated in an error. */
const SHOWN: usize = 96
const PREFIXED: u32 = 33

const V: usize = memory.data(32, 8)
const R: usize = memory.data(32, 8)
const S: usize = memory.data(32, 8)
const DIGEST: usize = memory.data(32, 8)
/** x and y. */
const KEY: usize = memory.data(64, 8)
/** A key in 33 bytes: 2 or 3 by the parity of y, then x. */
const COMPRESSED: usize = memory.data(40, 8)
const EVM: usize = memory.data(24, 8)
const OTHER: usize = memory.data(24, 8)
const AMOUNT: usize = memory.data(32, 8)

function hexValue(byte: u8): i32 {
  if (byte >= 0x30 && byte <= 0x39) return i32(byte) - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? i32(lower) - 0x57 : -1
}

/**
 * Reads hex digits, with or without 0x, to the `room` bytes at `out`, with leading zeros. Reverts if they are
 * invalid.
 */
function readHex(place: usize, out: usize, room: usize): void {
  let text = bytesArgument(place)
  let size = foundSize
  if (size >= 2 && load<u8>(text) == 0x30 && (load<u8>(text, 1) | 0x20) == 0x78) {
    text += 2
    size -= 2
  }
  memory.fill(out, 0, room)
  if (size == 0 || size > 2 * room) return fail('addr: a hex string is empty or too long')
  for (let i: usize = 0; i < size; i++) {
    const digit = hexValue(load<u8>(text + i))
    if (digit < 0) return fail('addr: a hex string has characters that are not hex digits')
    const from: usize = (room << 1) - size + i
    const byte = out + (from >> 1)
    store<u8>(byte, u8((u32(load<u8>(byte)) << 4) | u32(digit)))
  }
}

/** Associates the two addresses of KEY, moves the balances held under the other address's bytes, and returns both. */
function associateKey(): void {
  if (!charge(KEY_HASH)) return
  store<u8>(COMPRESSED, 2 + (load<u8>(KEY + 63) & 1))
  copyBytes(COMPRESSED + 1, KEY, 32)
  sha256(COMPRESSED, PREFIXED, DIGEST)
  ripemd160(DIGEST, 32, OTHER)
  keccak256(KEY, 64, DIGEST)
  copyBytes(EVM, DIGEST + 12, 20)
  const isAssociated = findOther(EVM, AMOUNT) || findEvm(OTHER, AMOUNT)
  if (isAssociated) return fail('account already has association set')
  associate(EVM, OTHER)
  readBalance(AMOUNT, OTHER)
  moveWei(OTHER, EVM, AMOUNT)
  const count = denominationCount()
  for (let number: u32 = 1; number <= count; number++) wantHeld(OTHER, number)
  for (let number: u32 = 1; number <= count && isRunning(); number++) {
    readHeld(AMOUNT, OTHER, number)
    if (!isZero(AMOUNT)) moveHeld(OTHER, EVM, number, AMOUNT)
  }
  const offset = outputSize
  putNumber(0)
  putAddress(EVM)
  patchNumber(offset, outputSize)
  putBytes(BECH32, encodeBech32(BECH32_PREFIX, OTHER))
}

/** associate: uses a signature over the hash of a text. */
function associateSigner(): void {
  readHex(0, V, 32)
  readHex(1, R, 32)
  readHex(2, S, 32)
  const text = bytesArgument(3)
  const size = foundSize
  if (!charge(RECOVERY)) return
  let parity = bswap(load<u64>(V, 24))
  if (parity >= 27) parity -= 27
  if (load<u64>(V) != 0 || load<u64>(V, 8) != 0 || load<u64>(V, 16) != 0 || parity > 1) {
    return fail('addr: v must be 0, 1, 27 or 28')
  }
  keccak256(text, u32(size), DIGEST)
  if (!recover(DIGEST, u32(parity), R, S, KEY))
    return fail('addr: the signature is invalid: it recovers no key')
  associateKey()
}

/** associatePubKey: uses the key itself, in 33 bytes. */
function associatePublicKey(): void {
  readHex(0, COMPRESSED, usize(PREFIXED))
  if (!charge(RECOVERY)) return
  const sign = load<u8>(COMPRESSED)
  if ((sign != 2 && sign != 3) || !decompress(COMPRESSED + 1, sign & 1, KEY)) {
    return fail('addr: not a public key of 33 bytes')
  }
  associateKey()
}

function getSeiAddr(): void {
  const evm = addressArgument(0)
  if (findOther(evm, OTHER)) {
    returnBytes(BECH32, encodeBech32(BECH32_PREFIX, OTHER))
    return
  }
  beginText()
  addText('EVM address ')
  addHex(evm, 20)
  addText(' is not associated')
  revertWithText()
}

function getEvmAddr(): void {
  const text = bytesArgument(0)
  const size = foundSize
  const isAddress = decodeBech32(BECH32_PREFIX, text, size, OTHER)
  if (isAddress && findEvm(OTHER, EVM)) return putAddress(EVM)
  beginText()
  addText(isAddress ? 'address ' : 'addr: not a bech32 address of this chain: ')
  addBytes(text, min(size, SHOWN))
  if (isAddress) addText(' is not associated')
  revertWithText()
}

/** Associates accounts with their bech32 addresses, and looks one up by the other. */
export function runAddr(selector: u32): void {
  if (selector == ADDR_ASSOCIATE) associateSigner()
  else if (selector == ADDR_ASSOCIATE_PUB_KEY) associatePublicKey()
  else if (selector == ADDR_GET_SEI_ADDR) getSeiAddr()
  else if (selector == ADDR_GET_EVM_ADDR) getEvmAddr()
}
