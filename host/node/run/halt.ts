import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { HaltPoint } from '../../chain/consensus/halt-point.ts'
import type { ConsensusOptions } from './consensus.ts'

export function haltPointOf({ haltHeight, haltTime }: Config): HaltPoint {
  return { height: haltHeight, time: haltTime }
}

/** @throws CONFIG_INVALID if the chain has reached `halt-height` or `halt-time` */
export function refuseHalted({
  config: { haltHeight, haltTime },
  stores: { storage },
}: Pick<ConsensusOptions, 'config' | 'stores'>): void {
  const { latest: height } = storage.chain
  if (haltHeight > 0 && height >= haltHeight) {
    throw new LockstepError(
      'CONFIG_INVALID',
      `halt-height is ${haltHeight}, but the chain is at height ${height}`,
      { hint: 'write a greater halt-height in app.toml, or 0 to continue' },
    )
  }
  const time = height > 0 ? (storage.chain.header(height)?.timestamp ?? 0) : 0
  if (haltTime > 0 && time >= haltTime) {
    throw new LockstepError(
      'CONFIG_INVALID',
      `halt-time is ${haltTime}, but block ${height} is of the time ${time}`,
      { hint: 'write a later halt-time in app.toml, or 0 to continue' },
    )
  }
}
