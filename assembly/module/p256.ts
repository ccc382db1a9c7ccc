import { p256Verify } from '../precompile/p256'
import { bytesArgument, foundSize, returnBytes } from './abi'
import { charge } from './call'
import { P256_VERIFY } from './generated/function'
import { P256 } from './generated/gas'

const RESULT: usize = memory.data(32, 8)

/** verify: digest, r, s, x, y as in RIP-7212; returns 1 as a word, or empty output. */
export function runP256(selector: u32): void {
  if (selector != P256_VERIFY) return
  const bytes = bytesArgument(0)
  const size = foundSize
  if (!charge(P256)) return
  returnBytes(RESULT, p256Verify(bytes, u32(size), RESULT))
}
