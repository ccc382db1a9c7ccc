import { formatData, type Hex, parseData } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'

const WORD = 32
const SIGNATURE_BYTES = 65

/** The address that signed a digest; undefined where a signature of 65 bytes (r, s, v) has none. */
export function recoverSigner(
  digest: Uint8Array,
  signature: Hex,
  recovery: SignatureRecovery,
): Hex | undefined {
  const bytes = parseData(signature)
  if (bytes.length !== SIGNATURE_BYTES) return undefined
  const v = bytes[2 * WORD] as number
  // 27 and 28 as wallets write it, 0 and 1 as some libraries do
  const parity = v >= 27 ? v - 27 : v
  if (parity !== 0 && parity !== 1) return undefined
  const address = recovery.recoverAddress(
    digest,
    parity,
    bytes.subarray(0, WORD),
    bytes.subarray(WORD, 2 * WORD),
  )
  return address === undefined ? undefined : formatData(address)
}
