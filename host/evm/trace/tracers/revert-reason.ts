import { bytesToBigint } from '../../../base/bytes.ts'
import { goText } from '../../../base/utf8.ts'
import { abiBytesAt, abiSizeAt } from '../../chain-types/abi.ts'

/** Selectors of `Error(string)` and `Panic(uint256)`. */
const ERROR_SELECTOR = 0x08c379a0
const PANIC_SELECTOR = 0x4e487b71

/** Solidity's panic codes, with geth's messages. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

function selectorOf(output: Uint8Array): number {
  if (output.length < 4) return -1
  return new DataView(output.buffer, output.byteOffset).getUint32(0)
}

/** Decodes the only string in ABI data; undefined if the data is anything else. */
function decodeString(data: Uint8Array): string | undefined {
  const offset = abiSizeAt(data, 0)
  const text = offset === undefined ? undefined : abiBytesAt(data, offset)
  return text && goText(text)
}

/**
 * Returns the message of revert data: the text of `Error(string)`, or the meaning of `Panic(uint256)`. Undefined for
 * anything else, including custom errors.
 */
export function gethRevertReason(output: Uint8Array): string | undefined {
  const selector = selectorOf(output)
  const data = output.subarray(4)
  if (selector === ERROR_SELECTOR) return decodeString(data)
  if (selector !== PANIC_SELECTOR || data.length < 32) return undefined
  const code = bytesToBigint(data.subarray(0, 32))
  return PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
}
