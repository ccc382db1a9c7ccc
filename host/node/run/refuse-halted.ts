import { LockstepError } from '../../base/error.ts'

/** @throws CONFIG_INVALID where the chain has reached the height after which the node stops */
export function refuseHalted(haltHeight: number, height: number): void {
  if (haltHeight === 0 || height < haltHeight) return
  throw new LockstepError(
    'CONFIG_INVALID',
    `halt-height is ${haltHeight}, and the chain is at height ${height}`,
    { hint: 'write a greater halt-height in app.toml, or 0 to go on' },
  )
}
