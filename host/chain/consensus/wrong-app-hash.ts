import { LockstepError } from '../../base/error.ts'
import { hexDigits } from '../../base/hex.ts'

/**
 * Returns the error for a block whose app hash (`stated`) differs from the application's (`expected`), with
 * CometBFT's message, which operators search for.
 */
export function wrongAppHash(
  expected: Uint8Array,
  stated: Uint8Array,
  height: number,
  blockHash: Uint8Array,
): LockstepError {
  const [want, got, block] = [expected, stated, blockHash].map((hash) =>
    hexDigits(hash).toUpperCase(),
  )
  return new LockstepError(
    'APP_HASH_MISMATCH',
    `wrong Block.Header.AppHash. Expected ${want}, got ${got} (height ${height}, block_id ${block})`,
    { data: { height, blockId: block } },
  )
}
