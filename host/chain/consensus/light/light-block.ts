import { equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { hexDigits } from '../../../base/hex.ts'
import { NO_BLOCK_ID } from '../comet/block-id.ts'
import { isSameBlock } from '../comet/commit-verification.ts'
import { BLOCK_PROTOCOL, hashCometHeader } from '../comet/header.ts'
import type { SignedHeader } from '../comet/json-decode.ts'
import { type CometValidator, hashValidators } from '../comet/validator-set.ts'

/** A header with the data that proves it, given a trusted earlier header. */
export interface LightBlock extends SignedHeader {
  readonly validators: readonly CometValidator[]
}

/** @throws PEER_INVALID always: the block of another node is not part of the chain */
export function refuseBlock(height: number, reason: string): never {
  throw new LockstepError('PEER_INVALID', `block ${height}: ${reason}`)
}

const MAX_CHAIN_ID = 50

function shown(hash: Uint8Array): string {
  return hexDigits(hash).toUpperCase()
}

/**
 * Checks what needs no trust: that header, commit and validators belong to one block of the chain (CometBFT
 * `LightBlock.ValidateBasic`). Does not verify signatures.
 * @throws PEER_INVALID
 */
export function checkForm(chainId: string, { header, commit, validators }: LightBlock): void {
  const { height } = header
  checkSignedHeader(chainId, { header, commit })
  if (validators.length === 0) refuseBlock(height, 'no validators')
  const actual = hashValidators(validators)
  if (equalBytes(actual, header.validatorsHash)) return
  refuseBlock(
    height,
    `validators of hash ${shown(actual)}, the header states ${shown(header.validatorsHash)}`,
  )
}

/**
 * Checks the part of `checkForm` that needs no validators.
 * @throws PEER_INVALID
 */
export function checkSignedHeader(chainId: string, { header, commit }: SignedHeader): void {
  const { height, version, lastBlockId } = header
  if (version.block !== BLOCK_PROTOCOL) {
    refuseBlock(height, `block protocol ${version.block}, want ${BLOCK_PROTOCOL}`)
  }
  if (header.chainId.length > MAX_CHAIN_ID) refuseBlock(height, 'the chain id is too long')
  if (header.chainId !== chainId) {
    refuseBlock(height, `it is of chain ${header.chainId}, not of ${chainId}`)
  }
  if (height < 1) refuseBlock(height, 'heights begin with 1')
  const isWhole = lastBlockId.hash.length > 0 && lastBlockId.parts.total > 0
  if (!isWhole && !isSameBlock(lastBlockId, NO_BLOCK_ID))
    refuseBlock(height, 'half a last_block_id')
  if (commit.height !== height) refuseBlock(height, `the commit is for height ${commit.height}`)
  if (commit.blockId.hash.length === 0) refuseBlock(height, 'the commit is for no block')
  if (commit.signatures.length === 0) refuseBlock(height, 'the commit has no signatures')
  const hash = hashCometHeader(header)
  if (equalBytes(hash, commit.blockId.hash)) return
  refuseBlock(
    height,
    `the header has hash ${shown(hash)}, the commit signs ${shown(commit.blockId.hash)}`,
  )
}
